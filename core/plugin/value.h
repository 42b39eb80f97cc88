/* One value: text from a configuration, read strictly by what its option declares. */
#ifndef EDGEFW__VALUE_H
#define EDGEFW__VALUE_H

#include "edgefw/arena.h"
#include "edgefw/options.h"

typedef struct edgefw__value {
  const char *text; /* canonical: written back, it reads as the same value; "" for none */
  int64_t integer;  /* INT; BOOL 0 or 1; CHOICE position */
  double real;      /* REAL */
  int64_t count;    /* lists */
  const int64_t *integers;
  const char *const *texts;
} edgefw__value;

/* Read `text`. Paths are taken relative to `folder` (NULL: the working directory) and come out
 * absolute. The result lives in `arena`. CONFIG: the text is refused, `why` says in one line what
 * was expected and nothing is recorded in the context; OUT_OF_MEMORY is recorded by the arena. */
EDGEFW_NODISCARD edgefw_status edgefw__value_parse(edgefw_arena *arena, const edgefw_option *option,
                                                   const char *text, const char *folder,
                                                   edgefw__value *out, char *why, size_t why_size);

/* Name of an option's type for people ("whole number"). Static. */
const char *edgefw__option_type_name(edgefw_option_type type);

/* Write what an option admits: "whole number in [1, 64]", "greedy|sample". Returns `out`. */
const char *edgefw__option_expects(const edgefw_option *option, char *out, size_t size);

/* Item `index` of the option's choices goes into `out`; false when there are no more. */
bool edgefw__option_choice(const edgefw_option *option, int index, char *out, size_t size);

#endif
