/* A row of results from an evaluation. */
#ifndef EDGEFW__RESULT_ROW_H
#define EDGEFW__RESULT_ROW_H

#include "report/results.h"

/* What evaluating `set` with `settings` gave, as a row of the model's variant. `fingerprint` is
 * that of the model (edgefw__fingerprint). Texts belong to model and set. */
edgefw__result edgefw__result_of(const edgefw__model *model, const edgefw__instance_set *set,
                                 const edgefw__eval_settings *settings,
                                 const edgefw__eval_result *result, uint64_t fingerprint);

/* The row as a line for people. */
void edgefw__result_plain(edgefw__text *text, const edgefw__result *row);

#endif
