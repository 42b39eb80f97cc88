/* Matching names and shapes. */
#include "policy/weights_fit.h"

#include <string.h>

#include "base/nearest.h"

enum { SHAPE_SIZE = 200 };

static bool same_shape(const edgefw__weight *weight, const edgefw__parameter *item) {
  return weight->rank == item->rank &&
         memcmp(weight->shape, item->shape, (size_t)item->rank * sizeof *item->shape) == 0;
}

static void match(const edgefw__weights *weights, const edgefw__parameter *item, int *tensor,
                  edgefw__weights_fit *out) {
  *tensor = edgefw__weights_find(weights, item->name);
  if (*tensor < 0 && item->former) *tensor = edgefw__weights_find(weights, item->former);
  if (*tensor < 0) {
    ++out->missing;
  } else if (!same_shape(edgefw__weights_at(weights, *tensor), item)) {
    out->use[*tensor] = EDGEFW__WEIGHT_MISSHAPED;
    ++out->misshaped;
  } else {
    out->use[*tensor] = EDGEFW__WEIGHT_TAKEN;
  }
}

edgefw_status edgefw__weights_fit_find(const edgefw__weights *weights,
                                       const edgefw__parameters *parameters, edgefw_arena *arena,
                                       edgefw__weights_fit *out) {
  const int count = edgefw__weights_count(weights);
  *out = (edgefw__weights_fit){0};
  out->tensor = edgefw_arena_take(arena, (size_t)parameters->item_count, sizeof *out->tensor);
  out->use = edgefw_arena_take(arena, (size_t)count, sizeof *out->use);
  if (!out->tensor || !out->use) return EDGEFW_OUT_OF_MEMORY;
  for (int i = 0; i < parameters->item_count; ++i)
    match(weights, &parameters->items[i], &out->tensor[i], out);
  for (int f = 0; f < parameters->foreign_count; ++f) {
    const int t = edgefw__weights_find(weights, parameters->foreign[f].name);
    if (t < 0 || out->use[t] != EDGEFW__WEIGHT_LEFT_OVER) continue;
    out->use[t] = EDGEFW__WEIGHT_FOREIGN;
    ++out->foreign;
  }
  for (int t = 0; t < count; ++t) {
    if (out->use[t] != EDGEFW__WEIGHT_LEFT_OVER) continue;
    if (edgefw__weights_at(weights, t)->type == EDGEFW__NUMBER_OTHER) {
      out->use[t] = EDGEFW__WEIGHT_FOREIGN; /* a counter, not a parameter */
      ++out->foreign;
    } else {
      ++out->left_over;
    }
  }
  return EDGEFW_OK;
}

bool edgefw__weights_fit_is_whole(const edgefw__weights_fit *fit) {
  return fit->missing == 0 && fit->misshaped == 0 && fit->left_over == 0;
}

/* --- Telling --- */

static void tell_missing(const edgefw__weights_fit *fit, const edgefw__weights *weights,
                         const edgefw__parameter *item, edgefw__text *text) {
  edgefw__nearest nearest = {.name = item->name};
  char shape[SHAPE_SIZE], hint[EDGEFW__WEIGHT_NAME_SIZE + 32];
  for (int t = 0; t < edgefw__weights_count(weights); ++t)
    if (fit->use[t] == EDGEFW__WEIGHT_LEFT_OVER)
      edgefw__nearest_try(&nearest, edgefw__weights_at(weights, t)->name);
  edgefw__text_add(text, "  missing: %s %s%s\n", item->name,
                   edgefw__shape_text(item->rank, item->shape, shape, sizeof shape),
                   edgefw__nearest_hint(&nearest, hint, sizeof hint));
}

static void tell_misshaped(const edgefw__weight *weight, const edgefw__parameter *item,
                           edgefw__text *text) {
  char found[SHAPE_SIZE], expected[SHAPE_SIZE];
  edgefw__text_add(text, "  another shape: %s %s, expected %s\n", weight->name,
                   edgefw__shape_text(weight->rank, weight->shape, found, sizeof found),
                   edgefw__shape_text(item->rank, item->shape, expected, sizeof expected));
}

void edgefw__weights_fit_tell(const edgefw__weights_fit *fit, const edgefw__weights *weights,
                              const edgefw__parameters *parameters, edgefw__text *text) {
  char shape[SHAPE_SIZE];
  for (int i = 0; i < parameters->item_count; ++i)
    if (fit->tensor[i] < 0) tell_missing(fit, weights, &parameters->items[i], text);
  for (int i = 0; i < parameters->item_count; ++i)
    if (fit->tensor[i] >= 0 && fit->use[fit->tensor[i]] == EDGEFW__WEIGHT_MISSHAPED)
      tell_misshaped(edgefw__weights_at(weights, fit->tensor[i]), &parameters->items[i], text);
  for (int t = 0; t < edgefw__weights_count(weights); ++t) {
    const edgefw__weight *weight = edgefw__weights_at(weights, t);
    if (fit->use[t] == EDGEFW__WEIGHT_LEFT_OVER)
      edgefw__text_add(text, "  left over: %s %s\n", weight->name,
                       edgefw__shape_text(weight->rank, weight->shape, shape, sizeof shape));
  }
}
