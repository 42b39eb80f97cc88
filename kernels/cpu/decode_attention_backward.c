/* Backward of the decoder's attention. Gradients by scores are added into rows of tables, as the
 * scores came from them; one product per instance and head then takes them to keys and queries. */
#include "decode_attention.h"
#include "decode_bf16.h"

/* Columns of head h of some rows, padded to whole lanes; row r times factor[r]. */
static void gather_head(const decode_task *task, const float *rows, int64_t count, int64_t h,
                        const float *factor, float *out) {
  const int64_t width = task->width, padded = lanes_padded(width);
  for (int64_t r = 0; r < count; ++r)
    for (int64_t c = 0; c < width; ++c)
      out[r * padded + c] = factor[r] * rows[r * task->d + h * width + c];
}

/* Add a row's gradients by its scores, ds = p (dp - sum(p dp)), to the tables' rows. Both p and dp
 * come apart from a factor: weights = p / inverse, dp = inverse times the gradient. */
static void scatter_scores(const decode_task *task, int64_t row, int64_t h, float inverse,
                           const float *weights, float *dp) {
  const decode_row at = task->at.row[row];
  const int32_t *tour = task->tours + at.rollout * task->steps;
  const int64_t stride = task->stride;
  const lanes mean = lanes_all(inverse * lanes_dot(weights, dp, stride));
  float *last = score_row(task, task->at.scores[SCORES_OF_LAST].gradient, tour[at.step - 1], h);
  for (int64_t j = 0; j < stride; j += LANES) {
    const lanes ds = lanes_load(weights + j) * (lanes_load(dp + j) - mean);
    lanes_store(dp + j, ds);
    lanes_store(last + j, lanes_load(last + j) + ds);
  }
  if (knows_first(task->args))
    lanes_add_scaled(score_row(task, task->at.scores[SCORES_OF_FIRST].gradient, tour[0], h), 1.0f,
                     dp, stride);
  for (int r = 0; r < task->resources; ++r)
    lanes_add_scaled(score_row(task, task->at.left_gradient, r, h),
                     task->at.left_share[row * task->resources + r], dp, stride);
}

/* o = P values, P = softmax(scores), for one head and a block of rows:
 * dp = do values^T,  dvalues += P^T do,  and the gradients by the scores. */
static void backward_block(const decode_task *task, int64_t h, int64_t row, int64_t count) {
  const int64_t n = task->n, width = task->width, stride = task->stride;
  const int64_t padded = lanes_padded(width);
  float inverse[ROUNDED_ROWS], *weights = task->at.weights, *dp = task->at.dattention;
  float *block = task->at.head_rows;
  for (int64_t r = 0; r < count; ++r)
    inverse[r] = 1.0f / weigh_candidates(task, row + r, h, weights + r * stride);
  gather_head(task, task->at.context + row * task->d, count, h, inverse, block);
  if (rounds(task)) {
    rounded_backward_values(task, h, count, block, padded);
  } else {
    wide_product(count, stride, width, block, padded,
                 task->at.values_transposed + h * width * stride, stride, false, dp, stride);
    product_tn(n, padded, count, weights, stride, block, padded, task->at.dvalues + h * n * padded,
               padded);
  }
  for (int64_t r = 0; r < count; ++r)
    scatter_scores(task, row + r, h, inverse[r], weights + r * stride, dp + r * stride);
}

/* scores = query . keys / sqrt(d_h), for one head and `rows` rows of queries (ld from one to the
 * next), whose gradients are rows ds of a table:  dkeys += ds^T query,  dquery += ds keys. dkeys is
 * scaled at the end. */
static void backward_scores_of(const decode_task *task, int64_t h, int64_t rows, float *ds,
                               const float *queries, float *dqueries) {
  const int64_t n = task->n, d = task->d, width = task->width, padded = lanes_padded(width);
  const int64_t ld = task->heads * task->stride, head = h * n * padded;
  const float scale = 1.0f / sqrtf((float)width);
  const float *from = score_row(task, ds, 0, h);
  if (rounds(task)) {
    rounded_backward_scores(task, h, rows, from, queries, dqueries);
    return;
  }
  pack_rows(queries + h * width, rows, width, d, 1.0f, task->at.query_rows, padded);
  for (int64_t i = 0; i < rows; i += DECODE_ROWS) {
    const int64_t count = rows - i < DECODE_ROWS ? rows - i : DECODE_ROWS;
    product_tn(n, padded, count, from + i * ld, ld, task->at.query_rows + i * padded, padded,
               task->at.dkeys + head, padded);
  }
  if (!dqueries) return;
  narrow_product(rows, padded, n, from, ld, task->at.key_rows + head, padded, task->at.dquery,
                 padded);
  for (int64_t i = 0; i < rows; ++i)
    lanes_add_scaled(dqueries + i * d + h * width, scale, task->at.dquery + i * padded, width);
}

/* From the gradients by scores to those of keys and of all that the query is made of. */
static void backward_tables(const decode_task *task, int64_t h) {
  const edgefw_decode_args *args = task->args;
  const edgefw_pointer *gradients = &args->gradients.pointer;
  void *const dqueries[SCORE_TABLES] = {gradients->q_last, gradients->q_first};
  const int64_t n = task->n, instance = task->b * n * task->d;
  for (int t = 0; t < SCORE_TABLES; ++t)
    if (task->at.scores[t].gradient)
      backward_scores_of(task, h, n, task->at.scores[t].gradient, table_queries(task, t),
                         dqueries[t] ? (float *)dqueries[t] + instance : NULL);
  if (task->resources > 0)
    backward_scores_of(task, h, task->resources, task->at.left_gradient, task->job->w_left,
                       task->job->left_partial + task->b * task->resources * task->d);
}

/* The instance's arrays as the backward products want them. */
static void pack_backward_factors(const decode_task *task) {
  const edgefw_pointer *pointer = &task->args->weights.pointer;
  const int64_t n = task->n, d = task->d, width = task->width, padded = lanes_padded(width);
  pack_transposed(instance_rows(task, pointer->values), n, d, d, 1.0f, task->at.values_transposed,
                  task->stride);
  for (int64_t h = 0; h < task->heads; ++h)
    pack_rows(instance_rows(task, pointer->keys) + h * width, n, width, d, 1.0f,
              task->at.key_rows + h * n * padded, padded);
}

/* Zeroed sums, and what products do not write but others read. */
static void clear_backward(const decode_task *task) {
  const int64_t n = task->n, padded = lanes_padded(task->width), heads = task->heads * n * padded;
  const int64_t row = task->heads * task->stride, rows = backward_block_rows(task->job->device);
  memset(task->at.head_rows, 0, (size_t)(rows * padded) * sizeof(float));
  memset(task->at.dattention, 0, (size_t)(rows * task->stride) * sizeof(float));
  memset(task->at.dvalues, 0, (size_t)heads * sizeof(float));
  memset(task->at.dkeys, 0, (size_t)heads * sizeof(float));
  for (int t = 0; t < SCORE_TABLES; ++t)
    if (task->at.scores[t].gradient)
      memset(task->at.scores[t].gradient, 0, (size_t)(n * row) * sizeof(float));
  memset(task->at.left_gradient, 0, (size_t)(task->resources * row) * sizeof(float));
}

/* Add a sum (heads,n,padded) to the instance's rows of a result (B,n,d). */
static void add_heads(const decode_task *task, const float *sum, float scale, void *result) {
  const int64_t n = task->n, d = task->d, width = task->width, padded = lanes_padded(width);
  if (!result) return;
  float *out = (float *)result + task->b * n * d;
  for (int64_t h = 0; h < task->heads; ++h)
    for (int64_t j = 0; j < n; ++j)
      lanes_add_scaled(out + j * d + h * width, scale, sum + (h * n + j) * padded, width);
}

/* From the gradients of all contexts, which lie in their place. Head by head: what is added to is
 * that of one head, and stays in the cache. */
static void backward_attention(const decode_task *task) {
  const int64_t block = backward_block_rows(task->job->device);
  if (!rounds(task)) pack_backward_factors(task);
  clear_backward(task);
  for (int64_t h = 0; h < task->heads; ++h) {
    for (int64_t row = 0; row < task->row; row += block) {
      const int64_t left = task->row - row;
      backward_block(task, h, row, left < block ? left : block);
    }
    backward_tables(task, h);
  }
  add_heads(task, task->at.dkeys, 1.0f / sqrtf((float)task->width),
            task->args->gradients.pointer.keys);
  add_heads(task, task->at.dvalues, 1.0f, task->args->gradients.pointer.values);
}
