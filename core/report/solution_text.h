/* Solutions as text, in the forms that other programs and people read. */
#ifndef EDGEFW__SOLUTION_TEXT_H
#define EDGEFW__SOLUTION_TEXT_H

#include "base/text.h"
#include "eval/evaluate.h"

typedef enum edgefw__solution_form {
  EDGEFW__SOLUTION_TOUR = 0, /* TSPLIB TOUR */
  EDGEFW__SOLUTION_SOL,      /* VRPLIB .sol */
  EDGEFW__SOLUTION_JSON,     /* an object on a line, as answers.h */
  EDGEFW__SOLUTION_CSV       /* a line for each stop, in the order of visit */
} edgefw__solution_form;

/* The form called `name` ("tour"), for solutions of the problem. CONFIG: there is none of that
 * name, or it cannot hold them. */
EDGEFW_NODISCARD edgefw_status edgefw__solution_form_parse(edgefw_context *ctx, const char *name,
                                                           const edgefw_problem *problem,
                                                           edgefw__solution_form *out);

/* The form in which solutions of the problem are written unless another one is asked for. */
edgefw__solution_form edgefw__solution_form_of(const edgefw_problem *problem);

/* Its name, which is also the ending of such files. Static. */
const char *edgefw__solution_form_name(edgefw__solution_form form);

/* What comes before all solutions: the header of CSV. */
void edgefw__solution_text_header(edgefw__solution_form form, edgefw__text *text);

/* One solution. CSV has for each stop its set and instance, the number of its route (1 for a
 * closed tour), its position there from 1, its number and its name. The number is that of the stop
 * in its file, from 1; where a library file or a dataset has a depot, that of the customer. */
void edgefw__solution_text_add(const edgefw_problem *problem, const edgefw__instance_set *set,
                               const edgefw__eval_answer *answer, edgefw__solution_form form,
                               edgefw__text *text);

#endif
