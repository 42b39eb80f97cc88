/* Which costs mean that an arc is forbidden: [problem] forbidden = VALUE | none. */
#ifndef EDGEFW__FORBIDDEN_RULE_H
#define EDGEFW__FORBIDDEN_RULE_H

#include "edgefw/options.h"

/* Infinite costs and those that are no numbers mean it whatever the rule says. */
typedef struct edgefw__forbidden_rule {
  bool given;   /* false: no number means it */
  double value; /* above 0: costs of at least this; otherwise costs that equal it */
} edgefw__forbidden_rule;

/* Read "none" or a finite number; false if the text is neither. */
bool edgefw__forbidden_parse(const char *text, edgefw__forbidden_rule *out);

/* The rule of a problem's options; without options, or where they do not have the key: none.
 * CONFIG, naming the place, if the value is neither "none" nor a number. */
EDGEFW_NODISCARD edgefw_status edgefw__forbidden_rule_of(edgefw_context *ctx,
                                                         const edgefw_options *problem_options,
                                                         edgefw__forbidden_rule *out);

/* Does a cost mean that its arc is forbidden? */
bool edgefw__forbidden_says(const edgefw__forbidden_rule *rule, double cost);

#endif
