/* The parameters of a model: found by name, laid out one behind the other in device memory, with
 * gradients and Adam's moments in the same layout. */
#ifndef EDGEFW__PARAMETERS_H
#define EDGEFW__PARAMETERS_H

#include "edgefw/arena.h"
#include "edgefw/kernels.h"

typedef enum edgefw__init_kind {
  EDGEFW__INIT_CONSTANT = 0, /* all entries = amount */
  EDGEFW__INIT_UNIFORM = 1   /* uniform in [-amount, amount) */
} edgefw__init_kind;

typedef struct edgefw__init {
  edgefw__init_kind kind;
  double amount;
} edgefw__init;

typedef struct edgefw__parameter {
  const char *name;
  const char *former; /* what it was called in older versions; NULL: the same */
  int rank;           /* 1..3 */
  int64_t shape[3];
  int64_t count;  /* entries */
  int64_t offset; /* entries before it in the arrays */
  edgefw__init init;
} edgefw__parameter;

typedef struct edgefw__parameters {
  edgefw_context *ctx;
  const edgefw_kernels *kernels;
  edgefw_device *device;
  edgefw_arena *arena;
  edgefw__parameter *items;
  int item_count, item_capacity;
  edgefw__parameter *foreign; /* names that published checkpoints hold besides; no memory */
  int foreign_count, foreign_capacity;
  int64_t total, foreign_total;       /* entries */
  bool sealed;                        /* no new names any more; the arrays exist */
  void *values, *gradients;           /* device, `total` entries each */
  void *first_moment, *second_moment; /* NULL unless sealed for training */
  int64_t moment_begin, moment_count; /* entries whose moments these are: all, or a rank's part */
  void *ema;                          /* exponential mean of the values; NULL: none is kept */
} edgefw__parameters;

/* An empty set on a device. Destroy before the device. */
EDGEFW_NODISCARD edgefw_status edgefw__parameters_create(edgefw_context *ctx,
                                                         const edgefw_kernels *kernels,
                                                         edgefw_device *device,
                                                         edgefw__parameters **out);
void edgefw__parameters_destroy(edgefw__parameters *parameters);

/* Index of the parameter `name`, declared now if it is new. MISMATCH if it exists with another
 * shape; INTERNAL if it is new and the set is sealed. */
EDGEFW_NODISCARD edgefw_status edgefw__parameters_declare(edgefw__parameters *parameters,
                                                          const char *name, int rank,
                                                          const int64_t *shape, edgefw__init init,
                                                          int *index);

/* Note that older versions called parameter `index` by another name: their checkpoints are read,
 * and nothing else changes with the name, neither its start nor a fingerprint. A repeated call is
 * ignored. */
EDGEFW_NODISCARD edgefw_status edgefw__parameters_renamed(edgefw__parameters *parameters, int index,
                                                          const char *former);

/* The name by which a parameter was first known. */
const char *edgefw__parameter_first_name(const edgefw__parameter *item);

/* Note a foreign name (see edgefw_graph_foreign_parameter); a repeated one is ignored. */
EDGEFW_NODISCARD edgefw_status edgefw__parameters_declare_foreign(edgefw__parameters *parameters,
                                                                  const char *name, int rank,
                                                                  const int64_t *shape);

/* Allocate the arrays (gradients and moments with `training`) and initialise the values from
 * `seed`: entry e takes word e of EDGEFW_STREAM_PARAMETER of the instance FNV-1a(first name), so a
 * parameter's start depends on no other parameter. */
EDGEFW_NODISCARD edgefw_status edgefw__parameters_seal(edgefw__parameters *parameters,
                                                       uint64_t seed, bool training);

/* Keep moments of the entries begin .. begin + count - 1 alone, of a set sealed for training; they
 * are 0 afterwards. */
EDGEFW_NODISCARD edgefw_status edgefw__parameters_keep_moments(edgefw__parameters *parameters,
                                                               int64_t begin, int64_t count);

/* Where the moments of entry `entry`, which are kept, lie in one of their arrays. */
void *edgefw__parameters_moment(const edgefw__parameters *parameters, void *array, int64_t entry);

/* Make room, zeroed, for an exponential mean of a sealed set's values; a second call is ignored. */
EDGEFW_NODISCARD edgefw_status edgefw__parameters_keep_ema(edgefw__parameters *parameters);

/* Index of `name`, -1 if there is none. */
int edgefw__parameters_find(const edgefw__parameters *parameters, const char *name);

/* Where parameter `index` begins in one of the arrays (values, gradients, moments, mean; may be
 * NULL). */
void *edgefw__parameters_at(const edgefw__parameters *parameters, void *array, int index);

/* Bytes of one number on the device. */
size_t edgefw__real_size(const edgefw_kernels *kernels);

#endif
