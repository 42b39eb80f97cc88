/* The decode loop's products, forward and backward, with factors rounded to bfloat16. What all
 * rollouts of an instance multiply with is packed once; rows of rollouts as they come. Sums, the
 * softmax and all that is looked up stay float. */
#include "decode_bf16.h"

/* --- Forward --- */

static void pack_rounded(const decode_task *task) {
  const edgefw_pointer *pointer = &task->args->weights.pointer;
  const rounded_arrays *at = &task->at.rounded;
  const int64_t n = task->n, d = task->d, width = task->width;
  const float *keys = instance_rows(task, pointer->keys);
  const float *values = instance_rows(task, pointer->values);
  for (int64_t h = 0; h < task->heads; ++h) {
    bf16_pack(BF16_RIGHT, BF16_INNER_LAST, keys + h * width, d, LANES_LOG2E / sqrtf((float)width),
              n, width, at->keys + h * bf16_size(n, width));
    bf16_pack(BF16_RIGHT, BF16_INNER_FIRST, values + h * width, d, 1.0f, width, n,
              at->values + h * bf16_size(width, n));
  }
  bf16_pack(BF16_RIGHT, BF16_INNER_LAST, instance_rows(task, pointer->fold), d,
            1.0f / sqrtf((float)d), n, d, at->fold);
  /* A row of weights is rounded 32 at a time: what it has not is 0. */
  memset(task->at.attention + task->stride, 0, BF16_TILE * sizeof(float));
}

/* Scores of head h, (count,stride), of some rows of queries. */
static void rounded_scores(const decode_task *task, const float *queries, int64_t h, int64_t count,
                           float *out) {
  const rounded_arrays *at = &task->at.rounded;
  bf16_pack(BF16_LEFT, BF16_INNER_LAST, queries + h * task->width, task->d, 1.0f, count,
            task->width, at->rows);
  const bf16_product_args product = {count,
                                     task->stride,
                                     task->width,
                                     at->rows,
                                     at->keys + h * bf16_size(task->n, task->width),
                                     NULL,
                                     0,
                                     out,
                                     task->stride};
  bf16_product(task->job->device->bf16, &product);
}

/* Round a row of weights, which becomes row r of the left factor. */
static void round_weights(const decode_task *task, int64_t r, const float *row) {
  const int64_t tiles = bf16_depth_tiles(task->n);
  bf16_pair *out = task->at.rounded.rows + r / BF16_TILE * tiles * BF16_WORDS;
  out += r % BF16_TILE * BF16_PAIRS;
  for (int64_t t = 0; t < tiles; ++t)
    bf16_pack_neighbours(row + t * BF16_DEPTH, lanes_all(1.0f), out + t * BF16_WORDS);
}

/* out (count,width), rows `padded` apart: the rounded weights times a head's values. */
static void rounded_contexts(const decode_task *task, int64_t h, int64_t count, float *out,
                             int64_t padded) {
  const rounded_arrays *at = &task->at.rounded;
  const bf16_product_args product = {
      count, task->width, task->n, at->rows, at->values + h * bf16_size(task->width, task->n),
      NULL,  0,           out,     padded};
  bf16_product(task->job->device->bf16, &product);
}

/* Scores of all candidates but for what is added to them. */
static void rounded_base(const decode_task *task, const float *context, float *scores) {
  const rounded_arrays *at = &task->at.rounded;
  bf16_pack(BF16_LEFT, BF16_INNER_LAST, context, task->d, 1.0f, task->live, task->d, at->rows);
  const bf16_product_args product = {task->live, task->stride, task->d, at->rows, at->fold, NULL, 0,
                                     scores,     task->stride};
  bf16_product(task->job->device->bf16, &product);
}

/* --- Backward: as the functions of the same name without "rounded" --- */

static void rounded_product(const decode_task *task, const product_args *product) {
  product_of(task->job->device->bf16, task->at.rounded.rows, product);
}

static void rounded_backward_pointer(const decode_task *task, int64_t row, int64_t count) {
  const int64_t n = task->n, d = task->d, stride = task->stride, padded = lanes_padded(d);
  const float *dscore = task->at.logits + row * stride;
  const float *fold = instance_rows(task, task->args->weights.pointer.fold);
  float *context = task->at.context + row * d;
  for (int64_t r = 0; r < count; ++r)
    lanes_add_scaled(task->at.dbias, 1.0f, dscore + r * stride, stride);
  rounded_product(task, &(product_args){n, d, count, 1.0f, BF16_INNER_FIRST, BF16_INNER_FIRST,
                                        dscore, stride, context, d, true, task->at.dfold, padded});
  rounded_product(task,
                  &(product_args){count, d, n, 1.0f / sqrtf((float)d), BF16_INNER_LAST,
                                  BF16_INNER_FIRST, dscore, stride, fold, d, false, context, d});
}

/* dp = do values^T and dvalues += P^T do; `block` is do (count,width), rows `padded` apart. */
static void rounded_backward_values(const decode_task *task, int64_t h, int64_t count,
                                    const float *block, int64_t padded) {
  const int64_t n = task->n, width = task->width, stride = task->stride;
  const float *values = instance_rows(task, task->args->weights.pointer.values) + h * width;
  rounded_product(task,
                  &(product_args){count, n, width, 1.0f, BF16_INNER_LAST, BF16_INNER_LAST, block,
                                  padded, values, task->d, false, task->at.dattention, stride});
  rounded_product(task, &(product_args){n, width, count, 1.0f, BF16_INNER_FIRST, BF16_INNER_FIRST,
                                        task->at.weights, stride, block, padded, true,
                                        task->at.dvalues + h * n * padded, padded});
}

/* dkeys += ds^T query, dquery += ds keys / sqrt(d_h); dqueries NULL: not wanted. */
static void rounded_backward_scores(const decode_task *task, int64_t h, int64_t rows,
                                    const float *ds, const float *queries, float *dqueries) {
  const int64_t n = task->n, d = task->d, width = task->width, padded = lanes_padded(width);
  const int64_t ld = task->heads * task->stride;
  const float *keys = instance_rows(task, task->args->weights.pointer.keys) + h * width;
  rounded_product(task, &(product_args){n, width, rows, 1.0f, BF16_INNER_FIRST, BF16_INNER_FIRST,
                                        ds, ld, queries + h * width, d, true,
                                        task->at.dkeys + h * n * padded, padded});
  if (dqueries)
    rounded_product(task, &(product_args){rows, width, n, 1.0f / sqrtf((float)width),
                                          BF16_INNER_LAST, BF16_INNER_FIRST, ds, ld, keys, d, true,
                                          dqueries + h * width, d});
}
