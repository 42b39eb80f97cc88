/* Telling outcomes, and finding parts that fit together. */
#include "conformance/conformance_report.h"

#include <stdarg.h>
#include <stdio.h>

#include "config/schema.h"
#include "plugin/options.h"

bool edgefw__conformance_tell(edgefw__conformance_report *report, bool passed, const char *format,
                              ...) {
  char line[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  report->failures += !passed;
  report->sink(report->user, passed, line);
  return passed;
}

bool edgefw__conformance_call(edgefw__conformance_report *report, edgefw_status status,
                              const char *what) {
  if (status == EDGEFW_OK) return edgefw__conformance_tell(report, true, "%s", what);
  edgefw__conformance_tell(report, false, "%s: %s", what, edgefw_message(report->ctx));
  edgefw_clear(report->ctx);
  return false;
}

/* --- Composing --- */

static edgefw_status default_options(edgefw__conformance_report *report, const edgefw_option *table,
                                     const edgefw_options **out) {
  edgefw_options *options = NULL;
  const edgefw_status status =
      edgefw__options_defaults(report->ctx, report->arena, table, &options);
  *out = options;
  return status;
}

/* The sections of the core, at their defaults. */
static edgefw_status core_options(edgefw__conformance_report *report, edgefw__composition *out) {
  const struct {
    const char *section;
    const edgefw_options **options;
  } sections[] = {
      {"decoder", &out->decoder}, {"train", &out->train},           {"eval", &out->eval},
      {"search", &out->search},   {"experiment", &out->experiment}, {"data", &out->data},
      {"report", &out->report}};
  edgefw_status status = EDGEFW_OK;
  for (size_t s = 0; status == EDGEFW_OK && s < sizeof sections / sizeof *sections; ++s)
    status =
        default_options(report, edgefw__schema_options(sections[s].section), sections[s].options);
  return status;
}

/* Add a term with its defaults if it fits the problem; false: it does not, `why` says it. */
static bool add_term(edgefw__conformance_report *report, edgefw__composition *composition,
                     const edgefw__plugin *term, char *why, size_t why_size) {
  edgefw__term_list *terms = &composition->terms;
  const edgefw_options **options = &terms->options[terms->count];
  if (terms->count == EDGEFW__MAX_TERMS ||
      default_options(report, term->options, options) != EDGEFW_OK ||
      !edgefw__plugin_fits(term, *options, &composition->problem->vtable.problem, why, why_size))
    return false;
  terms->plugins[terms->count++] = term;
  composition->eval_terms = *terms;
  return true;
}

/* One candidate pair of problem and backbone. */
static bool try_pair(edgefw__conformance_report *report, const edgefw__plugin *problem,
                     const edgefw__plugin *backbone, edgefw__composition *out, char *why,
                     size_t why_size) {
  out->problem = problem;
  out->backbone = backbone;
  out->terms = out->eval_terms = (edgefw__term_list){0};
  if (default_options(report, problem->options, &out->problem_options) != EDGEFW_OK ||
      default_options(report, backbone->options, &out->backbone_options) != EDGEFW_OK)
    return false;
  if (!edgefw__plugin_fits(backbone, out->backbone_options, &problem->vtable.problem, why,
                           why_size))
    return false;
  if (report->plugin->kind == EDGEFW_KIND_TERM)
    return add_term(report, out, report->plugin, why, why_size);
  if (report->plugin->kind == EDGEFW_KIND_DEVICE)
    for (size_t p = 0; p < edgefw__registry_count(report->registry); ++p) {
      const edgefw__plugin *term = edgefw__registry_at(report->registry, p);
      if (term->kind == EDGEFW_KIND_TERM) (void)add_term(report, out, term, why, why_size);
    }
  return true;
}

/* Candidates of a kind: the plugin under test alone if it is of that kind, else those registered.
 * NULL when there are no more. */
static const edgefw__plugin *candidate(const edgefw__conformance_report *report, edgefw_kind kind,
                                       size_t *next) {
  if (report->plugin->kind == kind) return (*next)++ == 0 ? report->plugin : NULL;
  while (*next < edgefw__registry_count(report->registry)) {
    const edgefw__plugin *plugin = edgefw__registry_at(report->registry, (*next)++);
    if (plugin->kind == kind) return plugin;
  }
  return NULL;
}

bool edgefw__conformance_compose(edgefw__conformance_report *report, edgefw__composition *out) {
  char why[256] = "no problem and backbone are installed";
  *out = (edgefw__composition){.variant = "check", .checkpoint = "", .text = ""};
  if (core_options(report, out) != EDGEFW_OK)
    return edgefw__conformance_call(report, edgefw_failure(report->ctx), "options of the core");
  const edgefw__plugin *problem = NULL, *backbone = NULL;
  for (size_t p = 0; (problem = candidate(report, EDGEFW_KIND_PROBLEM, &p)) != NULL;)
    for (size_t b = 0; (backbone = candidate(report, EDGEFW_KIND_BACKBONE, &b)) != NULL;)
      if (try_pair(report, problem, backbone, out, why, sizeof why))
        return edgefw__conformance_tell(report, true, "composes with problem %s and backbone %s",
                                        problem->descriptor->name, backbone->descriptor->name);
  if (edgefw_failure(report->ctx) != EDGEFW_OK)
    return edgefw__conformance_call(report, edgefw_failure(report->ctx), "default options");
  return edgefw__conformance_tell(report, false, "nothing to compose it with: %s", why);
}
