/* Checkpoints: HDF5 files that hold a model and the state of its training (docs: file formats).
 * Root attributes: format "edgefw-checkpoint", format_version, what the model is composed of, and
 * where its training stands. /parameters/<name> float32, /optimizer/m/<name>, /optimizer/v/<name>,
 * /ema/<name>, /history/<metric> float64, and attributes of /partial. One thread at a time
 * (hdf5_input.h).
 *
 * A checkpoint is read whole when it is opened: whatever is damaged shows before any of it is used,
 * and what was opened stays the same when training replaces the file. */
#ifndef EDGEFW__CHECKPOINT_H
#define EDGEFW__CHECKPOINT_H

#include "edgefw/arena.h"

#define EDGEFW__CHECKPOINT_FORMAT   "edgefw-checkpoint"
#define EDGEFW__CHECKPOINT_VERSION  1
#define EDGEFW__CHECKPOINT_MAX_RANK 3

/* What the model is, and where its training stands. Texts are never NULL. */
typedef struct edgefw__checkpoint_meta {
  const char *problem; /* plugin names */
  const char *backbone;
  const char *terms;    /* comma separated, "" for none */
  const char *plugins;  /* names and versions of the plugins that took part */
  const char *config;   /* the resolved configuration */
  int64_t epoch;        /* epochs finished */
  int64_t step;         /* steps finished in all */
  uint64_t instances;   /* training instances generated so far */
  uint64_t init_digest; /* of the parameters with which training began; 0: with new ones */
  uint64_t data_digest; /* of the dataset on which it trained; 0: on generated instances */
} edgefw__checkpoint_meta;

/* A parameter. Its name may have dots, not slashes. m and v are Adam's moments, both or neither;
 * ema is the exponential mean of its values, which all parameters have or none. */
typedef struct edgefw__checkpoint_tensor {
  const char *name;
  int rank; /* 1 .. EDGEFW__CHECKPOINT_MAX_RANK */
  int64_t shape[EDGEFW__CHECKPOINT_MAX_RANK];
  const float *value; /* product of shape */
  const float *m;
  const float *v;
  const float *ema;
} edgefw__checkpoint_tensor;

/* The values of a parameter that are evaluated: the mean where there is one. Whoever takes a model
 * from a file takes these, but for a training that goes on. */
static inline const float *edgefw__checkpoint_evaluated(const edgefw__checkpoint_tensor *tensor) {
  return tensor->ema ? tensor->ema : tensor->value;
}

/* A metric, one number per epoch. */
typedef struct edgefw__checkpoint_series {
  const char *name;
  const double *values;
  int64_t count; /* may be 0 */
} edgefw__checkpoint_series;

/* A number of an epoch that is not finished (sums so far). */
typedef struct edgefw__checkpoint_scalar {
  const char *name;
  double value;
} edgefw__checkpoint_scalar;

/* All of a checkpoint. */
typedef struct edgefw__checkpoint_content {
  edgefw__checkpoint_meta meta;
  const edgefw__checkpoint_tensor *tensors;
  int64_t tensor_count;
  const edgefw__checkpoint_series *series;
  int64_t series_count;
  const edgefw__checkpoint_scalar *scalars;
  int64_t scalar_count;
} edgefw__checkpoint_content;

/* --- Writing (checkpoint_writer.c) --- */

/* Write all of `content` to `path`; the file appears whole or not at all. INVALID_ARGUMENT (a name
 * that cannot be stored, a shape out of range), IO, OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__checkpoint_write(edgefw_context *ctx, const char *path,
                                                        const edgefw__checkpoint_content *content);

/* --- Reading (checkpoint.c) --- */

typedef struct edgefw__checkpoint edgefw__checkpoint;

/* Read `path`. IO, FORMAT, UNSUPPORTED (a newer format), OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__checkpoint_open(edgefw_context *ctx, const char *path,
                                                       edgefw__checkpoint **out);
void edgefw__checkpoint_close(edgefw__checkpoint *checkpoint); /* NULL is allowed */

/* Everything in it, valid until it is closed; tensors are in the order of their names. */
const edgefw__checkpoint_content *
edgefw__checkpoint_content_of(const edgefw__checkpoint *checkpoint);

/* Values of a metric, or NULL; *count is their number. Value of a scalar: false if there is none.
 */
const double *edgefw__checkpoint_metric(const edgefw__checkpoint *checkpoint, const char *name,
                                        int64_t *count);
bool edgefw__checkpoint_scalar_value(const edgefw__checkpoint *checkpoint, const char *name,
                                     double *out);

/* Check that the parameters are exactly the `count` expected ones (values are not looked at; a rank
 * of 0 stands for a parameter that may be there in any shape or not at all). MISMATCH names the
 * first that is missing, misshaped or extra. */
EDGEFW_NODISCARD edgefw_status edgefw__checkpoint_expect(const edgefw__checkpoint *checkpoint,
                                                         const edgefw__checkpoint_tensor *expected,
                                                         int64_t count);

/* Where a parameter's numbers go. */
typedef struct edgefw__checkpoint_arrays {
  float *value;       /* as they are evaluated, or with m and v as training left them */
  float *m, *v, *ema; /* NULL: not asked for */
} edgefw__checkpoint_arrays;

/* Copy parameter `name` of that shape. MISMATCH if it is missing, has another shape, or lacks
 * moments or mean that are asked for; nothing is copied then. */
EDGEFW_NODISCARD edgefw_status edgefw__checkpoint_load_tensor(const edgefw__checkpoint *checkpoint,
                                                              const char *name, int rank,
                                                              const int64_t *shape,
                                                              const edgefw__checkpoint_arrays *to);

/* --- Finding (checkpoint_latest.c) --- */

/* The file beside them in which training keeps the state that did best in validation. */
#define EDGEFW__CHECKPOINT_BEST "best.h5"

/* EPOCH of a file name "checkpoint-EPOCH.h5"; -1 for any other name. */
int64_t edgefw__checkpoint_epoch(const char *name);

/* Is there a file "checkpoint-EPOCH.h5" in `folder`, readable or not? */
EDGEFW_NODISCARD edgefw_status edgefw__checkpoint_exists(edgefw_context *ctx, edgefw_arena *arena,
                                                         const char *folder, bool *out);

/* Path (in `arena`) of the readable file "checkpoint-EPOCH.h5" of the highest EPOCH in `folder`.
 * *path is NULL if there is no such file, or no folder. Files that cannot be read are passed over
 * with a warning in the log; if all are such, it fails with the reason of the newest. */
EDGEFW_NODISCARD edgefw_status edgefw__checkpoint_latest(edgefw_context *ctx, edgefw_arena *arena,
                                                         const char *folder, char **path);

#endif
