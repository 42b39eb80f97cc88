/* Hashing of parameters, tensor by tensor. */
#include "policy/fingerprint.h"

#include <string.h>

static uint64_t fnv1a(uint64_t hash, const void *data, size_t bytes) {
  const unsigned char *byte = data;
  for (size_t i = 0; i < bytes; ++i) hash = (hash ^ byte[i]) * 0x100000001b3u;
  return hash;
}

edgefw_status edgefw__fingerprint(const edgefw__model *model, uint64_t *out) {
  const edgefw__parameters *parameters = model->parameters;
  const edgefw__engine *engine = model->engine;
  int64_t most = 0;
  for (int p = 0; p < parameters->item_count; ++p)
    if (parameters->items[p].count > most) most = parameters->items[p].count;
  double *values = edgefw_allocate(engine->ctx, (size_t)most, sizeof *values, "fingerprint");
  if (!values) return edgefw_failure(engine->ctx);
  uint64_t hash = 0xcbf29ce484222325u;
  for (int p = 0; p < parameters->item_count; ++p) {
    const edgefw__parameter *item = &parameters->items[p];
    engine->kernels->download(engine->device, values,
                              edgefw__parameters_at(parameters, parameters->values, p),
                              item->count);
    hash = fnv1a(hash, item->name, strlen(item->name) + 1);
    hash = fnv1a(hash, values, (size_t)item->count * sizeof *values);
  }
  edgefw_release(engine->ctx, values);
  *out = hash;
  return edgefw__engine_finish(engine); /* downloads have no status */
}
