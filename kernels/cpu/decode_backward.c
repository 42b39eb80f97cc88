/* The decode loop's backward, one instance at a time while its activations are warm.
 * Products run over all steps and rollouts of the instance at once (rows of decode_scratch_arrays).
 */
#include "decode_bf16.h"

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

/* base = o . fold + bias, both scaled:  do = dscore fold,  dfold += dscore^T o,  dbias += dscore.
 * do takes the place of o. */
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
  for (int64_t r = 0; r < count; ++r)
    memcpy(task->at.context + (row + r) * d, task->at.dcontext + r * padded,
           (size_t)d * sizeof(float));
}

/* Fold as the backward products want it, and zeroed sums. */
static void pack_backward(const decode_task *task) {
  const int64_t n = task->n, d = task->d, padded = lanes_padded(d);
  if (!rounds(task)) {
    pack_rows(instance_rows(task, task->args->weights.pointer.fold), n, d, d,
              1.0f / sqrtf((float)d), task->at.fold_rows, padded);
    memset(task->at.padded_rows, 0, (size_t)(DECODE_ROWS * padded) * sizeof(float));
  }
  memset(task->at.dfold, 0, (size_t)(n * padded) * sizeof(float));
  memset(task->at.dbias, 0, (size_t)task->stride * sizeof(float));
}

static void add_results(const decode_task *task) {
  const edgefw_decode_args *args = task->args;
  const int64_t n = task->n, d = task->d, padded = lanes_padded(d);
  const float scale = 1.0f / sqrtf((float)d);
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
    if (!rounds(task)) backward_pointer(task, row, count);
  }
  for (int64_t row = 0; rounds(task) && row < task->row; row += ROUNDED_ROWS) {
    const int64_t left = task->row - row;
    rounded_backward_pointer(task, row, left < ROUNDED_ROWS ? left : ROUNDED_ROWS);
  }
  add_results(task);
  backward_attention(task);
}
