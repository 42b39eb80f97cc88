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

/* Is the state one between two epochs that was validated, and did better than all before? */
bool edgefw__state_is_best(const edgefw__progress *progress);

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

/* Do the validation that is due, add it to the history, and tell the log. INTERRUPTED: it is due as
 * before. */
EDGEFW_NODISCARD edgefw_status edgefw__keeper_validate(const edgefw__keeper *keeper,
                                                       edgefw__progress *progress);

/* Write best.h5 if the state is the best one. A numbered checkpoint of it is on disk before, so
 * best.h5 is never of an epoch that no such checkpoint knows of. */
EDGEFW_NODISCARD edgefw_status edgefw__keeper_save_best(const edgefw__keeper *keeper,
                                                        const edgefw__progress *progress);

/* The same for a state that was restored, where an end between the two files left another best.h5
 * or none. */
EDGEFW_NODISCARD edgefw_status edgefw__keeper_repair(const edgefw__keeper *keeper,
                                                     const edgefw__progress *progress);

/* Bring the model, which holds the last state, to the one that is evaluated: its exponential mean
 * where one is kept, or the state that did best in validation. *path is replaced by that of
 * best.h5, where it counts, until the keeper ends. Failures as edgefw__kept_evaluated. */
EDGEFW_NODISCARD edgefw_status edgefw__keeper_take_evaluated(const edgefw__keeper *keeper,
                                                             const edgefw__progress *progress,
                                                             const char **path);

/* --- Afterwards --- */

/* What a training has left in its folder. */
typedef struct edgefw__kept {
  char *newest;       /* checkpoint of the last state; NULL: there is none */
  int64_t epoch;      /* epochs behind the newest */
  int64_t best_epoch; /* the one that did best in validation; 0: none was validated */
  bool is_over;       /* the training is at its end */
} edgefw__kept;

/* Look that up for a training with the options `train`; paths are in `arena`. Failures are those of
 * edgefw__checkpoint_latest and edgefw__kept_check_epochs, and FORMAT for validations that cannot
 * be. */
EDGEFW_NODISCARD edgefw_status edgefw__kept_find(edgefw_context *ctx, edgefw_arena *arena,
                                                 const edgefw_options *train, const char *folder,
                                                 edgefw__kept *out);

/* The checkpoint that is evaluated: the newest where none was validated, or best.h5, or, where that
 * is gone or of another epoch than the newest knows, the numbered one of the best epoch. IO,
 * FORMAT, MISMATCH, with the advice to train afresh, if no file has that state. */
EDGEFW_NODISCARD edgefw_status edgefw__kept_evaluated(edgefw_context *ctx, edgefw_arena *arena,
                                                      const edgefw_options *train,
                                                      const char *folder, const edgefw__kept *kept,
                                                      const char **path);

#endif
