/* Generators: random words, the tmat cost matrix, and batches of generated instances. */
#include "data/generate.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "data/cost_limit.h"
#include "edgefw/rng.h"

/* tmat costs are whole numbers below TMAT_UNITS, and one unit is 1 / TMAT_UNITS. */
#define TMAT_UNITS 1000000

struct edgefw__generator_pool {
  edgefw_generator *generators; /* (count), one per thread */
  int count;
  const edgefw_kernels *kernels; /* of a device that closes matrices batch by batch; or NULL */
  edgefw_device *device;
  int32_t *closed; /* what it has closed: (instances,n,n) of the batch being made */
  int64_t closed_count;
};

uint32_t edgefw_generator_word(const edgefw_generator *generator, int stream, uint64_t word) {
  return edgefw_random_word(generator->seed, (edgefw_stream)stream, generator->instance, word);
}

edgefw_status edgefw_generator_fail(const edgefw_generator *generator, edgefw_status status,
                                    const char *format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return edgefw_fail(generator->ctx, status, "%s", text);
}

edgefw_status edgefw__generator_reserve(edgefw_generator *generator, int64_t count) {
  if (count <= generator->scratch_count) return EDGEFW_OK;
  edgefw_release(generator->ctx, generator->scratch);
  generator->scratch_count = 0;
  generator->scratch =
      edgefw_allocate(generator->ctx, (size_t)count, sizeof(int32_t), "generator scratch");
  if (!generator->scratch) return EDGEFW_OUT_OF_MEMORY;
  generator->scratch_count = count;
  return EDGEFW_OK;
}

/* Words of the instance's cost stream, closed, as whole units. */
static edgefw_status close_units(edgefw_generator *generator, int64_t n, const int32_t **out) {
  const int64_t count = n * n;
  const edgefw_status status = edgefw__generator_reserve(generator, count);
  if (status != EDGEFW_OK) return status;
  int32_t *units = generator->scratch;
  for (int64_t first = 0; first < count; first += 4) {
    uint32_t lanes[4];
    edgefw_random_block(generator->seed, EDGEFW_STREAM_COST, generator->instance,
                        (uint32_t)(first / 4), lanes);
    for (int64_t k = first; k < first + 4 && k < count; ++k) {
      units[k] = (int32_t)edgefw_random_below(lanes[k - first], TMAT_UNITS);
    }
  }
  for (int64_t i = 0; i < n; ++i) units[i * n + i] = 0; /* its words are passed over */
  generator->shortest_paths(units, n);
  *out = units;
  return EDGEFW_OK;
}

edgefw_status edgefw_generate_tmat(edgefw_generator *generator, int64_t n, double *cost) {
  if (n < 1 || n > EDGEFW_MAX_NODES) {
    return edgefw_fail(generator->ctx, EDGEFW_INVALID_ARGUMENT,
                       "tmat matrices have 1 to %d nodes, asked for %" PRId64, EDGEFW_MAX_NODES, n);
  }
  const int32_t *units = n == generator->nodes ? generator->closed : NULL;
  const edgefw_status status = units ? EDGEFW_OK : close_units(generator, n, &units);
  if (status != EDGEFW_OK) return status;
  for (int64_t k = 0; k < n * n; ++k) cost[k] = units[k] / (double)TMAT_UNITS;
  return EDGEFW_OK;
}

/* --- Batches --- */

edgefw_status edgefw__generator_pool_create(edgefw_context *ctx, edgefw__generator_pool **out) {
  *out = edgefw_allocate(ctx, 1, sizeof **out, "a generator pool");
  return *out ? EDGEFW_OK : EDGEFW_OUT_OF_MEMORY;
}

void edgefw__generator_pool_destroy(edgefw_context *ctx, edgefw__generator_pool *pool) {
  if (!pool) return;
  for (int t = 0; t < pool->count; ++t) edgefw_release(ctx, pool->generators[t].scratch);
  edgefw_release(ctx, pool->generators);
  edgefw_release(ctx, pool->closed);
  edgefw_release(ctx, pool);
}

void edgefw__generator_pool_use(edgefw__generator_pool *pool, const edgefw_kernels *kernels,
                                edgefw_device *device) {
  pool->kernels = kernels->closed_costs ? kernels : NULL;
  pool->device = device;
}

/* One generator for each of `threads` threads, each with room for `scratch` numbers, or for as many
 * as any of them had to take so far: threads share the work differently in each call, and none may
 * have to allocate after the second. */
static edgefw_status pool_reserve(edgefw_context *ctx, edgefw__generator_pool *pool, int threads,
                                  int64_t scratch) {
  for (int t = 0; t < pool->count; ++t)
    if (pool->generators[t].scratch_count > scratch) scratch = pool->generators[t].scratch_count;
  if (threads > pool->count) {
    edgefw_generator *generators =
        edgefw_allocate(ctx, (size_t)threads, sizeof *generators, "generators");
    if (!generators) return EDGEFW_OUT_OF_MEMORY;
    if (pool->count > 0) {
      memcpy(generators, pool->generators, (size_t)pool->count * sizeof *generators);
    }
    edgefw_release(ctx, pool->generators);
    pool->generators = generators;
    pool->count = threads;
  }
  for (int t = 0; t < threads; ++t) {
    pool->generators[t].ctx = ctx;
    const edgefw_status status = edgefw__generator_reserve(&pool->generators[t], scratch);
    if (status != EDGEFW_OK) return status;
  }
  return EDGEFW_OK;
}

typedef struct generation {
  edgefw__generator_pool *pool;
  const edgefw__generate_request *request;
  const int32_t *closed; /* the instances' tmat matrices, or NULL: each makes its own */
  edgefw__batch *out;
} generation;

static edgefw_status generate_one(void *user, int64_t index, int thread) {
  const generation *work = user;
  const edgefw__generate_request *request = work->request;
  const int64_t n = work->out->n;
  edgefw_generator *generator = &work->pool->generators[thread];
  generator->seed = request->seed;
  generator->instance = work->out->ids[index];
  generator->shortest_paths = request->shortest_paths;
  generator->nodes = n;
  generator->closed = work->closed ? work->closed + index * n * n : NULL;
  edgefw_instance instance = edgefw__batch_instance(work->out, index);
  const edgefw_status status = request->problem->generate(generator, request->options, &instance);
  if (status != EDGEFW_OK) return status;
  return edgefw__cost_limit_check(generator->ctx, request->problem, &instance);
}

/* Room for the closed matrices of a batch. */
static edgefw_status reserve_closed(edgefw_context *ctx, edgefw__generator_pool *pool,
                                    int64_t count) {
  if (count <= pool->closed_count) return EDGEFW_OK;
  edgefw_release(ctx, pool->closed);
  pool->closed_count = 0;
  pool->closed = edgefw_allocate(ctx, (size_t)count, sizeof *pool->closed, "cost matrices");
  if (!pool->closed) return edgefw_failure(ctx);
  pool->closed_count = count;
  return EDGEFW_OK;
}

/* With a device that closes matrices: those of all instances, if the problem takes them. Without
 * memory for them on the device the host closes them one by one. */
static edgefw_status close_all(edgefw_context *ctx, generation *work) {
  const edgefw__generate_request *request = work->request;
  const edgefw_problem *problem = request->problem;
  edgefw__generator_pool *pool = work->pool;
  const int64_t n = work->out->n, count = request->count;
  if (!pool->kernels || count == 0 || !problem->takes_tmat ||
      !problem->takes_tmat(request->options))
    return EDGEFW_OK;
  edgefw_status status = reserve_closed(ctx, pool, count * n * n);
  if (status != EDGEFW_OK) return status;
  const edgefw_closed_costs_args args = {.batch = count,
                                         .nodes = n,
                                         .seed = request->seed,
                                         .instance_ids = work->out->ids,
                                         .bound = TMAT_UNITS,
                                         .out = pool->closed};
  status = pool->kernels->closed_costs(pool->device, &args);
  if (status == EDGEFW_OK) work->closed = pool->closed;
  if (status != EDGEFW_OUT_OF_MEMORY) return status;
  edgefw_clear(ctx);
  return EDGEFW_OK;
}

edgefw_status edgefw__generate_batch(edgefw_context *ctx, edgefw__generator_pool *pool,
                                     const edgefw__generate_request *request, edgefw__batch *out) {
  const int64_t count = request->count;
  if (count < 0 || count > out->capacity) {
    return edgefw_fail(ctx, EDGEFW_INVALID_ARGUMENT,
                       "cannot generate %" PRId64 " instances into a batch for %" PRId64, count,
                       out->capacity);
  }
  out->count = 0;
  edgefw_status status = pool_reserve(ctx, pool, edgefw_threads(ctx), out->n * out->n);
  if (status != EDGEFW_OK) return status;
  for (int64_t i = 0; i < count; ++i) out->ids[i] = request->first_id + (uint64_t)i;
  generation work = {.pool = pool, .request = request, .out = out};
  status = close_all(ctx, &work);
  if (status == EDGEFW_OK) status = edgefw_parallel(ctx, count, generate_one, &work);
  if (status == EDGEFW_OK) out->count = count;
  return status;
}
