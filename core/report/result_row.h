/* A row of results from an evaluation. */
#ifndef EDGEFW__RESULT_ROW_H
#define EDGEFW__RESULT_ROW_H

#include "report/results.h"

/* Bytes of the text that says how solutions were made. */
#define EDGEFW__DECODING_TEXT 800

/* How solutions were made: "greedy", "sample", or the heuristics, as in "nearest/patching"; then
 * "+beam", "+fixed", "+start", "+local", "+reconstruct" and "+kicks" for what [search] has done
 * beside and behind. `set`, which may be NULL, knows a solution to begin with. Returns `out`. */
const char *edgefw__decoding_text(const edgefw__composition *composition,
                                  const edgefw__instance_set *set,
                                  const edgefw__eval_settings *settings,
                                  char out[EDGEFW__DECODING_TEXT]);

/* What evaluating `set` with `settings` gave, as a row of the model's variant. `fingerprint` is
 * that of the model (edgefw__fingerprint). `select` takes how its solutions were made; the other
 * texts belong to model and set. */
edgefw__result edgefw__result_of(const edgefw__model *model, const edgefw__instance_set *set,
                                 const edgefw__eval_settings *settings,
                                 const edgefw__eval_result *result, uint64_t fingerprint,
                                 char select[EDGEFW__DECODING_TEXT]);

/* The row as a line for people. */
void edgefw__result_plain(edgefw__text *text, const edgefw__result *row);

#endif
