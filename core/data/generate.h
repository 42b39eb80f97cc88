/* Making instances: the generator that a problem's `generate` draws from, and batches of generated
 * instances. */
#ifndef EDGEFW__GENERATE_H
#define EDGEFW__GENERATE_H

#include "data/batch.h"
#include "edgefw/kernels.h"
#include "edgefw/problem.h"

/* Shortest paths between all nodes of an (n,n) matrix, in place: a device's kernel (kernels.h,
 * shortest_paths). */
typedef void (*edgefw__shortest_paths)(int32_t *cost, int64_t n);

/* One sequence entry while it is made. Opaque to plugins. */
struct edgefw_generator {
  edgefw_context *ctx;
  uint64_t seed;
  uint64_t instance;
  edgefw__shortest_paths shortest_paths;
  int32_t *scratch;      /* (scratch_count), grown when needed and kept */
  int64_t scratch_count; /* numbers there is room for */
  const int32_t *closed; /* this instance's tmat matrix, if the device has made it; else NULL */
  int64_t nodes;         /* of the batch's instances */
};

/* Room for `count` numbers in the generator's scratch, whose contents are lost. OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__generator_reserve(edgefw_generator *generator,
                                                         int64_t count);

/* One generator per thread, with scratch memory that is kept from call to call, so that a training
 * loop allocates nothing after its first step. */
typedef struct edgefw__generator_pool edgefw__generator_pool;

/* Make a pool for as many threads as `ctx` has at each call that uses it. OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__generator_pool_create(edgefw_context *ctx,
                                                             edgefw__generator_pool **out);
void edgefw__generator_pool_destroy(edgefw_context *ctx, edgefw__generator_pool *pool);

/* Let a device close the tmat matrices of a batch at once, if it can (kernels->closed_costs): what
 * is generated stays the same in every bit. The device outlives the pool's use. */
void edgefw__generator_pool_use(edgefw__generator_pool *pool, const edgefw_kernels *kernels,
                                edgefw_device *device);

/* Instances first_id .. first_id + count - 1 of the sequence `seed` of a problem. */
typedef struct edgefw__generate_request {
  const edgefw_problem *problem;
  const edgefw_options *options; /* the problem's */
  edgefw__shortest_paths shortest_paths;
  uint64_t seed, first_id;
  int64_t count;
} edgefw__generate_request;

/* Fill the first instances of `out` with those asked for, out->n nodes each, in parallel. The
 * result depends on neither the number of threads nor on how a range is cut into calls.
 * INVALID_ARGUMENT if there are more than the capacity; what the problem's `generate` fails with.
 */
EDGEFW_NODISCARD edgefw_status edgefw__generate_batch(edgefw_context *ctx,
                                                      edgefw__generator_pool *pool,
                                                      const edgefw__generate_request *request,
                                                      edgefw__batch *out);

#endif
