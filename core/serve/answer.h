/* Answers of `edgefw serve`: a line of JSON each (docs/serving.md). */
#ifndef EDGEFW__ANSWER_H
#define EDGEFW__ANSWER_H

#include "base/text.h"
#include "serve/request.h"

/* The solution of a request, by the model of this description. */
void edgefw__answer_solution(const edgefw__request *request, const edgefw_model_info *model,
                             const edgefw_solutions *solutions, edgefw__text *text);

/* What a request failed with; `id` as JSON, `number` of its line. */
void edgefw__answer_failure(const char *id, int64_t number, edgefw_status status,
                            const char *message, edgefw__text *text);

#endif
