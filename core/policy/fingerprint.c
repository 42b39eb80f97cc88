/* Hashing of parameters, tensor by tensor. */
#include "policy/fingerprint.h"

#include <string.h>

#include "base/hash.h"

static uint64_t add_text(uint64_t hash, const char *text) {
  return edgefw__hash_add(hash, text, strlen(text) + 1);
}

static uint64_t of_heuristics(const edgefw__heuristic_list *heuristics) {
  uint64_t hash = EDGEFW__HASH_EMPTY;
  for (int h = 0; h < heuristics->count; ++h) {
    const edgefw_options *options = heuristics->options[h];
    hash = add_text(hash, heuristics->plugins[h]->descriptor->name);
    hash = add_text(hash, heuristics->plugins[h]->descriptor->version);
    for (size_t i = 0; i < edgefw__options_size(options); ++i) {
      hash = add_text(hash, edgefw__options_key(options, i));
      hash = add_text(hash, edgefw__options_value(options, i)->text);
    }
  }
  return hash;
}

edgefw_status edgefw__fingerprint(const edgefw__model *model, uint64_t *out) {
  const edgefw__parameters *parameters = model->parameters;
  const edgefw__engine *engine = model->engine;
  int64_t most = 0;
  if (edgefw__constructs(model->composition)) {
    *out = of_heuristics(&model->composition->heuristics);
    return EDGEFW_OK;
  }
  for (int p = 0; p < parameters->item_count; ++p)
    if (parameters->items[p].count > most) most = parameters->items[p].count;
  double *values = edgefw_allocate(engine->ctx, (size_t)most, sizeof *values, "fingerprint");
  if (!values) return edgefw_failure(engine->ctx);
  uint64_t hash = EDGEFW__HASH_EMPTY;
  for (int p = 0; p < parameters->item_count; ++p) {
    const edgefw__parameter *item = &parameters->items[p];
    engine->kernels->download(engine->device, values,
                              edgefw__parameters_at(parameters, parameters->values, p),
                              item->count);
    const char *name = edgefw__parameter_first_name(item);
    hash = edgefw__hash_add(hash, name, strlen(name) + 1);
    hash = edgefw__hash_add(hash, values, (size_t)item->count * sizeof *values);
  }
  edgefw_release(engine->ctx, values);
  *out = hash;
  return edgefw__engine_finish(engine); /* downloads have no status */
}
