/* One line that says which instances something belongs to: "problem = atsp; size = 20; seed = 2026;
 * distribution = tmat" for generated ones, "problem = atsp; nodes = 20; content = 0123456789abcdef"
 * for those of a dataset. Reference costs carry such a line (docs: file formats). */
#ifndef EDGEFW__SET_LINE_H
#define EDGEFW__SET_LINE_H

#include "config/forbidden_rule.h"
#include "data/dataset.h"
#include "edgefw/arena.h"
#include "edgefw/problem.h"
#include "plugin/registry.h"

/* The line of generated instances: problem, size (customers, where there is a depot), seed, and the
 * problem's keys, some of which may not matter here. Text in `arena`; NULL without memory. */
const char *edgefw__set_line_generated(edgefw_context *ctx, edgefw_arena *arena,
                                       const edgefw__plugin *problem, const edgefw_options *options,
                                       int64_t size, uint64_t seed);

/* The line of a dataset's instances; `content` is edgefw__set_content of them. A rule for forbidden
 * arcs makes other instances of the same numbers, so one that is given belongs to the line. */
const char *edgefw__set_line_stored(edgefw_arena *arena, const char *problem_name, int64_t nodes,
                                    uint64_t content, const edgefw__forbidden_rule *rule);

/* Fingerprint of all instances of a dataset, as they are stored: fields, sizes, numbers. What else
 * the file holds (reference costs, attributes) does not count, nor how it is compressed. */
EDGEFW_NODISCARD edgefw_status edgefw__set_content(edgefw_context *ctx, edgefw__dataset *dataset,
                                                   const edgefw_field *fields, uint64_t *out);

/* Is the line that of instances of a dataset? */
bool edgefw__set_line_is_stored(const char *line);

/* Do both lines say the same of instances of that problem? Their order is free, and a key of the
 * problem that one of them lacks counts as its default. Where they do not, the instances may be the
 * same all the same, as with a capacity that is given and one that follows from the size.
 * OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__set_line_same(edgefw_context *ctx, edgefw_arena *scratch,
                                                     const edgefw_option *table, const char *a,
                                                     const char *b, bool *same);

/* What a line of generated instances says. */
typedef struct edgefw__set_generated {
  int64_t size;
  uint64_t seed;
  edgefw_options *options; /* of the problem */
} edgefw__set_generated;

/* Take a line of generated instances of that problem apart, into `arena`. *good is false if it is
 * none, or has keys or values that the problem does not know. OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__set_line_parse(edgefw_context *ctx, edgefw_arena *arena,
                                                      const edgefw__plugin *problem,
                                                      const char *line, edgefw__set_generated *out,
                                                      bool *good);

#endif
