/* Files of weights for tests of what is made of them: a list that begins as all parameters of a
 * model and may be changed before it is written. Failures end the test. */
#ifndef EDGEFW_TESTS_SUPPORT_WEIGHTS_SUPPORT_H
#define EDGEFW_TESTS_SUPPORT_WEIGHTS_SUPPORT_H

#include "files/safetensors.h"
#include "files/weights.h"
#include "nn/parameters.h"

enum { WEIGHTS_MOST = 128, WEIGHTS_NUMBERS = 1 << 16 };

typedef struct weights_list {
  edgefw__safetensors_entry entries[WEIGHTS_MOST]; /* shapes may be changed */
  int64_t shapes[WEIGHTS_MOST][3];
  int count;
} weights_list;

/* Names and shapes of the parameters; every number is 0.5. */
void weights_list_of(const edgefw__parameters *parameters, weights_list *out);

/* One more of them. */
void weights_list_add(weights_list *list, const char *name, int rank, int64_t a, int64_t b);

/* The entry of that name. */
edgefw__safetensors_entry *weights_list_at(weights_list *list, const char *name);

/* Write it to `path` as safetensors, and open that. */
edgefw__weights *weights_list_open(edgefw_context *ctx, const weights_list *list, const char *path);

#endif
