/* The decode loop's backward, one instance at a time while its activations are warm.
 * Products run over all steps and rollouts of the instance at once (rows of decode_scratch_arrays).
 */
#include "decode.h"

/* With w = d loss / d log p(chosen):  dlogit_j = -w (p_j - [j chosen]);
 * logit = C tanh(score):  dscore = dlogit * C * (1 - tanh^2). In place of the logits. */
static void backward_scores(const decode_task *task, int64_t row) {
  const edgefw_decode_args *args = task->args;
  const decode_row at = task->at.row[row];
  float *logits = task->at.logits + row * task->stride;
  float *p = task->at.probability + row * task->stride;
  const lanes clip = lanes_all((float)args->selection.clip),
              inverse = lanes_all(1.0f / (float)args->selection.clip);
  const lanes weight = lanes_all((float)-task->at.weight[at.rollout]);
  p[task->tours[at.rollout * task->steps + at.step]] -= 1.0f;
  for (int64_t j = 0; j < task->stride; j += LANES) {
    const lanes th = lanes_load(logits + j) * inverse;
    lanes_store(logits + j, weight * lanes_load(p + j) * (clip * (lanes_all(1.0f) - th * th)));
  }
}

static void backward_features(const decode_task *task, int64_t row) {
  const feature_mlp *mlp = &task->job->mlp;
  float *gradient = task->job->partial + task->b * mlp_gradient_size(mlp);
  feature_view view;
  view_row(task, row, &view);
  shared_bias(mlp, &view, task->at.bias);
  mlp_backward(mlp, &view, task->at.bias, task->at.logits + row * task->stride, task->n,
               task->at.chosen, task->at.total, gradient);
}

/* base = o . fold + bias, both scaled:  do = dscore fold,  dfold += dscore^T o,  dbias += dscore */
static void backward_pointer(const decode_task *task, int64_t row, int64_t count) {
  const int64_t d = task->d, stride = task->stride, padded = lanes_padded(d);
  const float *dscore = task->at.logits + row * stride;
  wide_product(count, padded, task->n, dscore, stride, task->at.fold_rows, padded, false,
               task->at.dcontext, padded);
  for (int64_t r = 0; r < count; ++r) {
    memcpy(task->at.padded_rows + r * padded, task->at.context + (row + r) * d,
           (size_t)d * sizeof(float));
    lanes_add_scaled(task->at.dbias, 1.0f, dscore + r * stride, stride);
  }
  product_tn(task->n, padded, count, dscore, stride, task->at.padded_rows, padded, task->at.dfold,
             padded);
}

/* Rows of dp become the gradient by the scores: ds = p * (dp - sum(p dp)). */
static void backward_softmax(const float *p, float *dp, int64_t count, int64_t stride) {
  for (int64_t r = 0; r < count; ++r) {
    const float *weights = p + r * stride;
    float *g = dp + r * stride;
    const lanes total = lanes_all(lanes_dot(weights, g, stride));
    for (int64_t j = 0; j < stride; j += LANES)
      lanes_store(g + j, lanes_load(weights + j) * (lanes_load(g + j) - total));
  }
}

/* Columns of head h of some rows, padded to whole lanes. */
static void gather_head(const decode_task *task, const float *rows, int64_t ld, int64_t count,
                        int64_t h, float *out) {
  const int64_t width = task->width, padded = lanes_padded(width);
  for (int64_t r = 0; r < count; ++r)
    memcpy(out + r * padded, rows + r * ld + h * width, (size_t)width * sizeof *out);
}

/* o = P values, P = softmax(query . keys / sqrt(d_h)), for one head and a block of rows:
 * dp = do values^T,  dvalues += P^T do,  dquery = ds keys,  dkeys += ds^T query. The scale is
 * applied to dquery and dkeys at the end. */
static void backward_head(const decode_task *task, int64_t h, int64_t row, int64_t count) {
  const int64_t n = task->n, d = task->d, width = task->width, stride = task->stride;
  const int64_t padded = lanes_padded(width), head = h * n * padded;
  const float *p = task->at.attention + (h * task->rows + row) * stride;
  float *dp = task->at.dattention, *block = task->at.head_rows;
  gather_head(task, task->at.dcontext, lanes_padded(d), count, h, block);
  wide_product(count, stride, width, block, padded, task->at.values_transposed + h * width * stride,
               stride, false, dp, stride);
  product_tn(n, padded, count, p, stride, block, padded, task->at.dvalues + head, padded);
  backward_softmax(p, dp, count, stride);
  gather_head(task, task->at.query + row * d, d, count, h, block);
  product_tn(n, padded, count, dp, stride, block, padded, task->at.dkeys + head, padded);
  narrow_product(count, padded, n, dp, stride, task->at.key_rows + head, padded, block, padded);
  for (int64_t r = 0; r < count; ++r)
    memcpy(task->at.dquery + r * d + h * width, block + r * padded, (size_t)width * sizeof *block);
}

/* query = q_last[current] (+ q_first[first]) + sum of left shares times w_left */
static void scatter_queries(const decode_task *task, int64_t row, int64_t count) {
  const edgefw_decode_args *args = task->args;
  const int64_t d = task->d, offset = task->b * task->n * d;
  const float scale = 1.0f / sqrtf((float)task->width);
  for (int64_t r = 0; r < count; ++r) {
    const decode_row at = task->at.row[row + r];
    const int32_t *tour = task->tours + at.rollout * task->steps;
    const float *dquery = task->at.dquery + r * d;
    if (args->gradients.pointer.q_last)
      lanes_add_scaled((float *)args->gradients.pointer.q_last + offset + tour[at.step - 1] * d,
                       scale, dquery, d);
    if (args->gradients.pointer.q_first)
      lanes_add_scaled((float *)args->gradients.pointer.q_first + offset + tour[0] * d, scale,
                       dquery, d);
    for (int k = 0; k < task->resources; ++k)
      lanes_add_scaled(task->job->left_partial + (task->b * task->resources + k) * d,
                       scale * task->at.left_share[(row + r) * task->resources + k], dquery, d);
  }
}

/* The instance's arrays as the backward products want them, and zeroed sums. */
static void pack_backward(const decode_task *task) {
  const edgefw_decode_args *args = task->args;
  const int64_t n = task->n, d = task->d, width = task->width, padded = lanes_padded(width);
  const float *keys = instance_rows(task, args->weights.pointer.keys),
              *fold = instance_rows(task, args->weights.pointer.fold);
  const int64_t fold_width = lanes_padded(d), heads = task->heads * n * padded;
  pack_transposed(instance_rows(task, args->weights.pointer.values), n, d, d, 1.0f,
                  task->at.values_transposed, task->stride);
  for (int64_t h = 0; h < task->heads; ++h)
    pack_rows(keys + h * width, n, width, d, 1.0f, task->at.key_rows + h * n * padded, padded);
  pack_rows(fold, n, d, d, 1.0f / sqrtf((float)d), task->at.fold_rows, fold_width);
  memset(task->at.padded_rows, 0, (size_t)(DECODE_ROWS * fold_width) * sizeof(float));
  memset(task->at.head_rows, 0, (size_t)(DECODE_ROWS * padded) * sizeof(float));
  memset(task->at.dfold, 0, (size_t)(n * fold_width) * sizeof(float));
  memset(task->at.dvalues, 0, (size_t)heads * sizeof(float));
  memset(task->at.dkeys, 0, (size_t)heads * sizeof(float));
  memset(task->at.dbias, 0, (size_t)task->stride * sizeof(float));
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

static void add_results(const decode_task *task) {
  const edgefw_decode_args *args = task->args;
  const int64_t n = task->n, d = task->d, padded = lanes_padded(d);
  const float scale = 1.0f / sqrtf((float)d);
  add_heads(task, task->at.dkeys, 1.0f / sqrtf((float)task->width), args->gradients.pointer.keys);
  add_heads(task, task->at.dvalues, 1.0f, args->gradients.pointer.values);
  for (int64_t j = 0; args->gradients.pointer.fold && j < n; ++j)
    lanes_add_scaled((float *)args->gradients.pointer.fold + (task->b * n + j) * d, scale,
                     task->at.dfold + j * padded, d);
  if (args->gradients.pointer.fold_bias)
    lanes_add_scaled((float *)args->gradients.pointer.fold_bias + task->b * n, scale,
                     task->at.dbias, n);
}

static void decode_backward(const decode_task *task) {
  const edgefw_decode_args *args = task->args;
  args->weigh(args->weigh_user, task->b, task->rollouts, task->lengths, task->at.log_probability,
              task->at.weight);
  if (task->row == 0) return; /* no decision */
  pack_backward(task);
  for (int64_t row = 0; row < task->row; row += DECODE_ROWS) {
    const int64_t left = task->row - row, count = left < DECODE_ROWS ? left : DECODE_ROWS;
    for (int64_t r = row; r < row + count; ++r) {
      backward_scores(task, r);
      if (args->plan->feature_count > 0) backward_features(task, r);
    }
    for (int l = 0; l < args->plan->logit_count; ++l)
      if (is_local(args->plan, l)) backward_local(task, l, row, count);
    backward_pointer(task, row, count);
    for (int64_t h = 0; h < task->heads; ++h) backward_head(task, h, row, count);
    scatter_queries(task, row, count);
  }
  add_results(task);
}
