/* Solutions of single instances as people and scripts read them. */
#ifndef EDGEFW__ANSWERS_H
#define EDGEFW__ANSWERS_H

#include "base/text.h"
#include "eval/evaluate.h"

typedef enum edgefw__answer_format {
  EDGEFW__ANSWER_PLAIN = 0, /* one line for people */
  EDGEFW__ANSWER_JSON = 1,  /* one object, with the solution, on a line */
  EDGEFW__ANSWER_CSV = 2    /* a row below edgefw__answers_header */
} edgefw__answer_format;

/* What comes before all answers of a format: the header of CSV, nothing for others. */
void edgefw__answers_header(edgefw__answer_format format, edgefw__text *text);

/* One answer for an instance of `set`. In JSON the nodes of a closed tour count from 1; where there
 * is a depot it is 0 and customers count from 1. For files of other programs "stops" has the same
 * nodes by the names of their stops, or by their numbers in the file, from 1. */
void edgefw__answers_add(const edgefw_problem *problem, const edgefw__instance_set *set,
                         const edgefw__eval_answer *answer, edgefw__answer_format format,
                         edgefw__text *text);

#endif
