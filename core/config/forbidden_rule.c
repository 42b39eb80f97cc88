/* Which costs mean that an arc is forbidden. */
#include "config/forbidden_rule.h"

#include <math.h>
#include <string.h>

#include "base/text_file.h"
#include "plugin/options.h"

bool edgefw__forbidden_parse(const char *text, edgefw__forbidden_rule *out) {
  *out = (edgefw__forbidden_rule){.given = false};
  if (strcmp(text, "none") == 0) return true;
  out->given = edgefw__parse_number(text, &out->value);
  return out->given;
}

edgefw_status edgefw__forbidden_rule_of(edgefw_context *ctx, const edgefw_options *problem_options,
                                        edgefw__forbidden_rule *out) {
  static const char key[] = "forbidden";
  *out = (edgefw__forbidden_rule){.given = false};
  if (!problem_options) return EDGEFW_OK;
  size_t i = 0;
  while (i < edgefw__options_size(problem_options) &&
         strcmp(edgefw__options_key(problem_options, i), key) != 0)
    ++i;
  if (i == edgefw__options_size(problem_options)) return EDGEFW_OK;
  const char *text = edgefw__options_value(problem_options, i)->text;
  if (edgefw__forbidden_parse(text, out)) return EDGEFW_OK;
  const char *where = edgefw__options_where(problem_options, key);
  return edgefw_fail(ctx, EDGEFW_CONFIG,
                     "%s: problem.forbidden = '%s'; expected the cost of forbidden arcs, a number, "
                     "or none",
                     where ? where : "[problem]", text);
}

bool edgefw__forbidden_says(const edgefw__forbidden_rule *rule, double cost) {
  if (isnan(cost) || cost == (double)INFINITY) return true;
  if (!rule->given) return false;
  return rule->value > 0.0 ? cost >= rule->value : cost == rule->value;
}
