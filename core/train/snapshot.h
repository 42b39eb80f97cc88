/* Training as a checkpoint holds it: the model with Adam's moments, and how far training has come.
 *
 * Files are called checkpoint-EPOCH.h5. After epoch E has finished that is checkpoint-E.h5; a state
 * inside epoch E (training was interrupted) has that name too, and the finished epoch replaces it.
 * What validation found best is kept in best.h5 beside them, in the same form.
 * Numbers are float32: on a device of that type a restored state equals the saved one bit for bit.
 */
#ifndef EDGEFW__SNAPSHOT_H
#define EDGEFW__SNAPSHOT_H

#include "files/checkpoint.h"
#include "policy/model.h"
#include "train/history.h"

typedef struct edgefw__progress {
  int64_t epoch;      /* epochs finished */
  int64_t step;       /* batches since the beginning */
  uint64_t instances; /* generated since the beginning: the number of the next one */
  /* Sums over the instances of the running epoch. */
  double score_sum, loss_sum;
  int64_t count;
  double seconds;       /* spent on the running epoch */
  uint64_t init_digest; /* of the parameters that training began with (train/initialise.h); or 0 */
  uint64_t data_digest; /* of the dataset that it trains on (train/feed.h); 0: generated */
  edgefw__history history;
} edgefw__progress;

/* Write the model (made for training) and `progress` to `path`; appears whole or not at all. */
EDGEFW_NODISCARD edgefw_status edgefw__snapshot_save(const edgefw__model *model,
                                                     const edgefw__progress *progress,
                                                     const char *path);

/* Read both back. `progress` has an empty history. MISMATCH if the file is of another problem,
 * backbone, list of terms or shape, was written by another configuration (config/origin.h), or
 * holds no moments, or no mean where one is kept; the model is then as it was. */
EDGEFW_NODISCARD edgefw_status edgefw__snapshot_restore(edgefw__model *model, const char *path,
                                                        edgefw__progress *progress);

/* Add the validations that an open checkpoint has to a history without any. FORMAT, naming `path`,
 * if they are none of its epochs one behind the other. */
EDGEFW_NODISCARD edgefw_status edgefw__snapshot_validations(const edgefw__checkpoint *checkpoint,
                                                            const char *path,
                                                            edgefw__history *history);

/* Remove all checkpoint-EPOCH.h5 files of a folder, and best.h5, so that no later run goes on from
 * them. */
EDGEFW_NODISCARD edgefw_status edgefw__snapshot_remove_all(edgefw_context *ctx, const char *folder);

#endif
