/* Parameters by name; see parameters.h. */
#include "nn/parameters.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "edgefw/rng.h"

size_t edgefw__real_size(const edgefw_kernels *kernels) {
  return kernels->dtype == EDGEFW_F64 ? sizeof(double) : sizeof(float);
}

edgefw_status edgefw__parameters_create(edgefw_context *ctx, const edgefw_kernels *kernels,
                                        edgefw_device *device, edgefw__parameters **out) {
  *out = NULL;
  edgefw__parameters *parameters = edgefw_allocate(ctx, 1, sizeof *parameters, "parameters");
  if (!parameters) return edgefw_failure(ctx);
  *parameters = (edgefw__parameters){.ctx = ctx, .kernels = kernels, .device = device};
  const edgefw_status status =
      edgefw_arena_create(ctx, &parameters->arena, "parameter names", 0, true);
  if (status != EDGEFW_OK) {
    edgefw__parameters_destroy(parameters);
    return status;
  }
  *out = parameters;
  return EDGEFW_OK;
}

void edgefw__parameters_destroy(edgefw__parameters *parameters) {
  if (!parameters) return;
  void *arrays[] = {parameters->values, parameters->gradients, parameters->first_moment,
                    parameters->second_moment, parameters->ema};
  for (size_t a = 0; a < sizeof arrays / sizeof *arrays; ++a)
    if (arrays[a]) parameters->kernels->release(parameters->device, arrays[a]);
  edgefw_arena_destroy(parameters->arena);
  edgefw_release(parameters->ctx, parameters->items);
  edgefw_release(parameters->ctx, parameters->foreign);
  edgefw_release(parameters->ctx, parameters);
}

static int find_in(const edgefw__parameter *items, int count, const char *name) {
  for (int i = 0; i < count; ++i)
    if (strcmp(items[i].name, name) == 0) return i;
  return -1;
}

int edgefw__parameters_find(const edgefw__parameters *parameters, const char *name) {
  return find_in(parameters->items, parameters->item_count, name);
}

void *edgefw__parameters_at(const edgefw__parameters *parameters, void *array, int index) {
  if (!array || index < 0) return NULL;
  return (char *)array +
         (size_t)parameters->items[index].offset * edgefw__real_size(parameters->kernels);
}

/* Append to one of the two growing lists. */
static edgefw_status append(edgefw__parameters *parameters, edgefw__parameter **items, int *count,
                            int *capacity, const edgefw__parameter *item) {
  if (*count == *capacity) {
    const int wanted = *capacity ? 2 * *capacity : 64;
    edgefw__parameter *grown =
        edgefw_allocate(parameters->ctx, (size_t)wanted, sizeof *grown, "list of parameters");
    if (!grown) return edgefw_failure(parameters->ctx);
    if (*count) memcpy(grown, *items, (size_t)*count * sizeof *grown);
    edgefw_release(parameters->ctx, *items);
    *items = grown;
    *capacity = wanted;
  }
  edgefw__parameter copy = *item;
  copy.name = edgefw_arena_text(parameters->arena, item->name);
  if (!copy.name) return edgefw_failure(parameters->ctx);
  (*items)[(*count)++] = copy;
  return EDGEFW_OK;
}

static edgefw__parameter describe(const char *name, int rank, const int64_t *shape) {
  edgefw__parameter item = {.name = name, .rank = rank, .count = 1};
  for (int r = 0; r < rank; ++r) {
    item.shape[r] = shape[r];
    item.count *= shape[r];
  }
  return item;
}

edgefw_status edgefw__parameters_declare(edgefw__parameters *parameters, const char *name, int rank,
                                         const int64_t *shape, edgefw__init init, int *index) {
  edgefw__parameter item = describe(name, rank, shape);
  item.init = init;
  item.offset = parameters->total;
  const int found = edgefw__parameters_find(parameters, name);
  if (found >= 0) {
    const edgefw__parameter *old = &parameters->items[found];
    if (old->rank != rank || memcmp(old->shape, item.shape, sizeof item.shape) != 0)
      return edgefw_fail(parameters->ctx, EDGEFW_MISMATCH,
                         "parameter %s is used with two shapes: (%" PRId64 ", %" PRId64 ", %" PRId64
                         ") and (%" PRId64 ", %" PRId64 ", %" PRId64 ")",
                         name, old->shape[0], old->shape[1], old->shape[2], item.shape[0],
                         item.shape[1], item.shape[2]);
    *index = found;
    return EDGEFW_OK;
  }
  if (parameters->sealed)
    return edgefw_fail(parameters->ctx, EDGEFW_INTERNAL,
                       "parameter %s appears in a later graph only: an encoder must depend on its "
                       "options alone",
                       name);
  const edgefw_status status = append(parameters, &parameters->items, &parameters->item_count,
                                      &parameters->item_capacity, &item);
  if (status != EDGEFW_OK) return status;
  parameters->total += item.count;
  *index = parameters->item_count - 1;
  return EDGEFW_OK;
}

edgefw_status edgefw__parameters_renamed(edgefw__parameters *parameters, int index,
                                         const char *former) {
  edgefw__parameter *item = &parameters->items[index];
  if (item->former) return EDGEFW_OK;
  item->former = edgefw_arena_text(parameters->arena, former);
  return item->former ? EDGEFW_OK : edgefw_failure(parameters->ctx);
}

const char *edgefw__parameter_first_name(const edgefw__parameter *item) {
  return item->former ? item->former : item->name;
}

edgefw_status edgefw__parameters_declare_foreign(edgefw__parameters *parameters, const char *name,
                                                 int rank, const int64_t *shape) {
  if (find_in(parameters->foreign, parameters->foreign_count, name) >= 0) return EDGEFW_OK;
  const edgefw__parameter item = describe(name, rank, shape);
  const edgefw_status status = append(parameters, &parameters->foreign, &parameters->foreign_count,
                                      &parameters->foreign_capacity, &item);
  if (status == EDGEFW_OK) parameters->foreign_total += item.count;
  return status;
}

edgefw_status edgefw__parameters_keep_ema(edgefw__parameters *parameters) {
  const size_t bytes = (size_t)parameters->total * edgefw__real_size(parameters->kernels);
  if (!parameters->ema)
    parameters->ema =
        parameters->kernels->allocate(parameters->device, bytes, "mean of the parameters");
  return parameters->ema ? EDGEFW_OK : edgefw_failure(parameters->ctx);
}

edgefw_status edgefw__parameters_keep_moments(edgefw__parameters *parameters, int64_t begin,
                                              int64_t count) {
  const edgefw_kernels *kernels = parameters->kernels;
  void **arrays[] = {&parameters->first_moment, &parameters->second_moment};
  parameters->moment_begin = begin;
  parameters->moment_count = count;
  for (int a = 0; a < 2; ++a) {
    if (*arrays[a]) kernels->release(parameters->device, *arrays[a]);
    *arrays[a] = kernels->allocate(parameters->device, (size_t)count * edgefw__real_size(kernels),
                                   "moments of the parameters");
    if (!*arrays[a]) return edgefw_failure(parameters->ctx);
  }
  return EDGEFW_OK;
}

void *edgefw__parameters_moment(const edgefw__parameters *parameters, void *array, int64_t entry) {
  return (char *)array +
         (size_t)(entry - parameters->moment_begin) * edgefw__real_size(parameters->kernels);
}

/* FNV-1a, 64 bit (Fowler, Noll, Vo). */
static uint64_t hash_of(const char *name) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (; *name; ++name) hash = (hash ^ (unsigned char)*name) * 0x100000001b3u;
  return hash;
}

static void initialise(const edgefw__parameter *item, uint64_t seed, double *values) {
  const uint64_t instance = hash_of(edgefw__parameter_first_name(item));
  uint32_t words[4] = {0};
  for (int64_t e = 0; e < item->count; ++e) {
    if (item->init.kind == EDGEFW__INIT_CONSTANT) {
      values[e] = item->init.amount;
      continue;
    }
    if (e % 4 == 0)
      edgefw_random_block(seed, EDGEFW_STREAM_PARAMETER, instance, (uint32_t)(e / 4), words);
    values[e] = (2.0 * edgefw_random_unit(words[e % 4]) - 1.0) * item->init.amount;
  }
}

edgefw_status edgefw__parameters_seal(edgefw__parameters *parameters, uint64_t seed,
                                      bool training) {
  const edgefw_kernels *kernels = parameters->kernels;
  const size_t bytes = (size_t)parameters->total * edgefw__real_size(kernels);
  void **arrays[] = {&parameters->values, &parameters->gradients};
  for (int a = 0; a < (training ? 2 : 1); ++a) {
    *arrays[a] = kernels->allocate(parameters->device, bytes, "model parameters");
    if (!*arrays[a]) return edgefw_failure(parameters->ctx);
  }
  if (training) {
    const edgefw_status status = edgefw__parameters_keep_moments(parameters, 0, parameters->total);
    if (status != EDGEFW_OK) return status;
  }
  parameters->sealed = true;
  for (int i = 0; i < parameters->item_count; ++i) {
    const edgefw__parameter *item = &parameters->items[i];
    double *host =
        edgefw_allocate(parameters->ctx, (size_t)item->count, sizeof *host, "initial parameters");
    if (!host) return edgefw_failure(parameters->ctx);
    initialise(item, seed, host);
    kernels->upload(parameters->device, edgefw__parameters_at(parameters, parameters->values, i),
                    host, item->count);
    edgefw_release(parameters->ctx, host);
  }
  return EDGEFW_OK;
}
