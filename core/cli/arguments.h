/* Command line arguments: options declared in tables, checked, and found by name. */
#ifndef EDGEFW__ARGUMENTS_H
#define EDGEFW__ARGUMENTS_H

#include "edgefw/arena.h"

/* An option. A table of them ends with a NULL name. */
typedef struct edgefw__argument {
  const char *name;   /* "--out" */
  const char *letter; /* "-o", or NULL */
  const char *value;  /* what to write for its value in the help ("DIR"); NULL: it has none */
  const char *help;
} edgefw__argument;

/* What was given. Texts belong to argv. */
typedef struct edgefw__arguments {
  edgefw_context *ctx;
  const char *const *words; /* what is no option, in order */
  int word_count;
  struct edgefw__given {
    const edgefw__argument *argument;
    const char *value; /* NULL for one without */
  } * given;
  int given_count;
} edgefw__arguments;

/* Sort argv[0 .. argc) by the options of `table` and `global`; "--" ends the options, "--out=DIR"
 * is "--out DIR". CONFIG: an unknown option (with the nearest known one), a missing or superfluous
 * value; messages end by naming `help` ("edgefw help run"). */
EDGEFW_NODISCARD edgefw_status edgefw__arguments_parse(edgefw_context *ctx, edgefw_arena *arena,
                                                       const edgefw__argument *table,
                                                       const edgefw__argument *global,
                                                       const char *help, int argc,
                                                       char *const *argv, edgefw__arguments *out);

/* Was option `name` given? */
bool edgefw__arguments_has(const edgefw__arguments *arguments, const char *name);

/* Value of option `name`, the last one if it is repeated; `fallback` if it was not given. */
const char *edgefw__arguments_value(const edgefw__arguments *arguments, const char *name,
                                    const char *fallback);

/* The `index`-th value of a repeated option; NULL when there are no more. */
const char *edgefw__arguments_value_at(const edgefw__arguments *arguments, const char *name,
                                       int index);

/* All values of a repeated option, in order; *out lives in `arena`. OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__arguments_values(const edgefw__arguments *arguments,
                                                        edgefw_arena *arena, const char *name,
                                                        const char *const **out, int *count);

/* Whole number in [min, max]; *out is left alone if the option was not given. CONFIG. */
EDGEFW_NODISCARD edgefw_status edgefw__arguments_integer(const edgefw__arguments *arguments,
                                                         const char *name, int64_t min, int64_t max,
                                                         int64_t *out);

/* Finite number above 0; *out is left alone if the option was not given. CONFIG. */
EDGEFW_NODISCARD edgefw_status edgefw__arguments_positive(const edgefw__arguments *arguments,
                                                          const char *name, double *out);

/* Is there exactly one word per name in `names` ("CONFIG.ini", NULL at the end)? CONFIG names the
 * first that is missing or the first that is too many. */
EDGEFW_NODISCARD edgefw_status edgefw__arguments_words(const edgefw__arguments *arguments,
                                                       const char *const *names);

#endif
