/* Files of weights for tests. */
#include "support/weights_support.h"
#include "support/test.h"

#include <string.h>

#include "support/expect.h"

static const float *numbers(void) {
  static float values[WEIGHTS_NUMBERS];
  for (int k = 0; k < WEIGHTS_NUMBERS; ++k) values[k] = 0.5F;
  return values;
}

void weights_list_of(const edgefw__parameters *parameters, weights_list *out) {
  out->count = 0;
  for (int i = 0; i < parameters->item_count; ++i) {
    const edgefw__parameter *item = &parameters->items[i];
    weights_list_add(out, item->name, item->rank, item->shape[0], item->shape[1]);
    out->shapes[i][2] = item->shape[2];
  }
}

void weights_list_add(weights_list *list, const char *name, int rank, int64_t a, int64_t b) {
  assert_in_range(list->count, 0, WEIGHTS_MOST - 1);
  int64_t *shape = list->shapes[list->count];
  shape[0] = a;
  shape[1] = b;
  list->entries[list->count++] = (edgefw__safetensors_entry){name, rank, shape, numbers()};
}

edgefw__safetensors_entry *weights_list_at(weights_list *list, const char *name) {
  for (int i = 0; i < list->count; ++i)
    if (strcmp(list->entries[i].name, name) == 0) return &list->entries[i];
  fail_msg("no tensor %s", name);
  return NULL;
}

edgefw__weights *weights_list_open(edgefw_context *ctx, const weights_list *list,
                                   const char *path) {
  static const edgefw__safetensors_pair none[] = {{NULL, NULL}};
  edgefw__weights *weights = NULL;
  expect_ok(ctx, edgefw__safetensors_write(ctx, path, list->entries, list->count, none));
  expect_ok(ctx, edgefw__weights_open(ctx, path, &weights));
  return weights;
}
