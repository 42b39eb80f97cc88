/* Generators: random words, the tmat cost matrix, and batches of generated instances. */
#include "data/generate.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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
  int64_t tmat_nodes; /* instances of that size take tmat matrices, the last batch says; 0: none */
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

/* Room for `count` numbers of scratch. */
static edgefw_status reserve(edgefw_generator *generator, int64_t count) {
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
  const edgefw_status status = reserve(generator, count);
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
  const bool expected = n == generator->nodes;
  const int32_t *units = expected ? generator->closed : NULL;
  generator->uses_tmat |= expected;
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

/* One generator for each of `threads` threads, each with room for `scratch` numbers: threads share
 * the work differently in each call, and none may have to allocate in a later one. */
static edgefw_status pool_reserve(edgefw_context *ctx, edgefw__generator_pool *pool, int threads,
                                  int64_t scratch) {
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
    const edgefw_status status = reserve(&pool->generators[t], scratch);
    if (status != EDGEFW_OK) return status;
  }
  return EDGEFW_OK;
}

typedef struct generation {
  edgefw__generator_pool *pool;
  const edgefw_problem *problem;
  const edgefw_options *options;
  edgefw__shortest_paths shortest_paths;
  uint64_t seed;
  int64_t begin;         /* index of the first instance that is made now */
  const int32_t *closed; /* tmat matrices from that one on, or NULL */
  edgefw__batch *out;
} generation;

static edgefw_status generate_one(void *user, int64_t index, int thread) {
  const generation *work = user;
  const int64_t n = work->out->n, at = work->begin + index;
  edgefw_generator *generator = &work->pool->generators[thread];
  generator->seed = work->seed;
  generator->instance = work->out->ids[at];
  generator->shortest_paths = work->shortest_paths;
  generator->nodes = n;
  generator->closed = work->closed ? work->closed + index * n * n : NULL;
  edgefw_instance instance = edgefw__batch_instance(work->out, at);
  return work->problem->generate(generator, work->options, &instance);
}

/* Did an instance take a tmat matrix since the last time that this was asked? */
static bool took_tmat(edgefw__generator_pool *pool) {
  bool any = false;
  for (int t = 0; t < pool->count; ++t) {
    any |= pool->generators[t].uses_tmat;
    pool->generators[t].uses_tmat = false;
  }
  return any;
}

/* The tmat matrices of instances work->begin .. count - 1, by the device. If it has no memory for
 * them work->closed stays NULL: then the host closes them one by one. */
static edgefw_status close_all(edgefw_context *ctx, generation *work, int64_t count) {
  edgefw__generator_pool *pool = work->pool;
  const int64_t n = work->out->n, instances = count - work->begin;
  if (instances * n * n > pool->closed_count) {
    edgefw_release(ctx, pool->closed);
    pool->closed_count = 0;
    pool->closed =
        edgefw_allocate(ctx, (size_t)(instances * n * n), sizeof *pool->closed, "cost matrices");
    if (!pool->closed) return edgefw_failure(ctx);
    pool->closed_count = instances * n * n;
  }
  const edgefw_closed_costs_args args = {.batch = instances,
                                         .nodes = n,
                                         .seed = work->seed,
                                         .instance_ids = work->out->ids + work->begin,
                                         .bound = TMAT_UNITS,
                                         .out = pool->closed};
  const edgefw_status status = pool->kernels->closed_costs(pool->device, &args);
  if (status == EDGEFW_OK) work->closed = pool->closed;
  if (status != EDGEFW_OUT_OF_MEMORY) return status;
  edgefw_clear(ctx);
  return EDGEFW_OK;
}

/* With a device that closes matrices: whether instances of this size take them at all is known from
 * the batch before, or from the first instance, which is then made alone. */
static edgefw_status prepare_closed(edgefw_context *ctx, generation *work, int64_t count) {
  edgefw__generator_pool *pool = work->pool;
  edgefw_status status = EDGEFW_OK;
  if (!pool->kernels || count == 0) return EDGEFW_OK;
  if (pool->tmat_nodes != work->out->n) {
    status = edgefw_parallel(ctx, 1, generate_one, work);
    work->begin = 1;
    pool->tmat_nodes = took_tmat(pool) ? work->out->n : 0;
  }
  if (status != EDGEFW_OK || pool->tmat_nodes == 0 || work->begin == count) return status;
  return close_all(ctx, work, count);
}

edgefw_status edgefw__generate_batch(edgefw_context *ctx, edgefw__generator_pool *pool,
                                     const edgefw_problem *problem, const edgefw_options *options,
                                     void (*shortest_paths)(int32_t *, int64_t), uint64_t seed,
                                     uint64_t first_id, int64_t count, edgefw__batch *out) {
  if (count < 0 || count > out->capacity) {
    return edgefw_fail(ctx, EDGEFW_INVALID_ARGUMENT,
                       "cannot generate %" PRId64 " instances into a batch for %" PRId64, count,
                       out->capacity);
  }
  out->count = 0;
  edgefw_status status = pool_reserve(ctx, pool, edgefw_threads(ctx), out->n * out->n);
  if (status != EDGEFW_OK) return status;
  for (int64_t i = 0; i < count; ++i) out->ids[i] = first_id + (uint64_t)i;
  generation work = {.pool = pool,
                     .problem = problem,
                     .options = options,
                     .shortest_paths = shortest_paths,
                     .seed = seed,
                     .out = out};
  status = prepare_closed(ctx, &work, count);
  if (status == EDGEFW_OK) status = edgefw_parallel(ctx, count - work.begin, generate_one, &work);
  if (status != EDGEFW_OK) return status;
  if (count > work.begin && !took_tmat(pool)) pool->tmat_nodes = 0; /* another problem's turn */
  out->count = count;
  return EDGEFW_OK;
}
