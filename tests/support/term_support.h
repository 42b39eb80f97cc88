/* What a score term declares, for the tests of term plugins. */
#ifndef EDGEFW_TESTS_SUPPORT_TERM_SUPPORT_H
#define EDGEFW_TESTS_SUPPORT_TERM_SUPPORT_H

#include "support/tiny_model.h"

/* A model with one term, and its graph for five nodes. */
typedef struct term_fixture {
  tiny_model tiny;
  edgefw__policy_graph graph;
} term_fixture;

/* `text` is TINY_MODEL("NAME") with sections appended. */
void term_open(term_fixture *f, const char *text);
void term_close(term_fixture *f);

/* Feature `index` is of this kind and looks the operation `op` of the z-scored cost up there;
 * `column` is not looked at for node features. */
void term_expect(const term_fixture *f, int index, edgefw_feature_kind kind, const char *op,
                 edgefw_at row, edgefw_at column);

/* Pair feature `index` looks the operation `op` of the raw cost up there. */
void term_expect_raw(const term_fixture *f, int index, const char *op, edgefw_at row,
                     edgefw_at column);

/* Table `table` of the plan is this field as it is. */
void term_expect_field(const term_fixture *f, int table, const char *field);

/* Table `table` of the plan is the distances of this field's points. */
void term_expect_distances(const term_fixture *f, int table, const char *field);

#endif
