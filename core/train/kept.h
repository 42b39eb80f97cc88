/* Which of its states a training keeps, and which one is evaluated behind it. With validation that
 * is the one that did best, in the file best.h5 beside the others; else the last one. */
#ifndef EDGEFW__KEPT_H
#define EDGEFW__KEPT_H

#include "train/snapshot.h"
#include "train/validation.h"

/* --- Rules; `train` are the options of [train] --- */

/* Is the state one between two epochs that is to be validated and was not yet? */
bool edgefw__validation_is_due(const edgefw_options *train, const edgefw__progress *progress);

/* Have [train] patience validations in a row been no better than the best one? */
bool edgefw__patience_is_over(const edgefw_options *train, const edgefw__history *history);

/* Is the training at its end: by its epochs, or by its patience? */
bool edgefw__training_is_over(const edgefw_options *train, const edgefw__progress *progress);

/* MISMATCH if the state, that of the checkpoint `path`, is beyond the end of [train] epochs. */
EDGEFW_NODISCARD edgefw_status edgefw__kept_check_epochs(edgefw_context *ctx,
                                                         const edgefw_options *train,
                                                         const char *path,
                                                         const edgefw__progress *progress);

/* --- While training goes on --- */

/* What a training keeps its states with. Zero is a closed one. */
typedef struct edgefw__keeper {
  edgefw__model *model;
  const char *folder;             /* of the training */
  edgefw__validation *validation; /* NULL: none, or none any more */
  edgefw_arena *arena;            /* paths */
} edgefw__keeper;

/* Make one for a training that stands at `progress`. Close it also after a failure; model and
 * folder outlive it. */
EDGEFW_NODISCARD edgefw_status edgefw__keeper_begin(edgefw__model *model, const char *folder,
                                                    const edgefw__progress *progress,
                                                    edgefw__keeper *out);
void edgefw__keeper_end(edgefw__keeper *keeper);

/* Do the validation that is due, add it to the history, tell the log, and write best.h5 if it is
 * the best one. That file is on disk before any later state is. INTERRUPTED: it is due as before.
 */
EDGEFW_NODISCARD edgefw_status edgefw__keeper_validate(const edgefw__keeper *keeper,
                                                       edgefw__progress *progress);

/* Bring the model, which holds the last state, to the one that is evaluated: its exponential mean
 * where one is kept, or the state that did best in validation. *path is replaced by that of
 * best.h5, where it counts, until the keeper ends. IO, MISMATCH, if best.h5 is gone or is of
 * another epoch than the history says. */
EDGEFW_NODISCARD edgefw_status edgefw__keeper_take_evaluated(const edgefw__keeper *keeper,
                                                             const edgefw__progress *progress,
                                                             const char **path);

/* --- Afterwards --- */

/* What a training has left in its folder. */
typedef struct edgefw__kept {
  char *newest;    /* checkpoint of the last state; NULL: there is none */
  char *evaluated; /* the one that is evaluated: best.h5, or the newest where none was validated */
  int64_t epoch;   /* epochs behind the newest */
  bool is_over;    /* the training is at its end */
} edgefw__kept;

/* Look that up for a training with the options `train`; paths are in `arena`. Failures are those of
 * edgefw__checkpoint_latest and edgefw__kept_check_epochs, and FORMAT for validations that cannot
 * be. */
EDGEFW_NODISCARD edgefw_status edgefw__kept_find(edgefw_context *ctx, edgefw_arena *arena,
                                                 const edgefw_options *train, const char *folder,
                                                 edgefw__kept *out);

#endif
