/* REINFORCE through the decode loop, one instance at a time while its activations are warm.
 * Products run over all steps and rollouts of the instance at once (rows of decode_scratch_arrays).
 */
#include "decode.h"

/* Advantages of the instance's rollouts (R = -length) and its loss. */
static void set_advantages(const decode_task *task) {
  const edgefw_decode_args *args = task->args;
  double *advantage = task->at.advantage, mean = 0.0, largest = 0.0, loss = 0.0;
  /* Relative to the first length, so that equal tours have advantages of exactly 0. */
  for (int64_t s = 0; s < task->rollouts; ++s) mean += task->lengths[s] - task->lengths[0];
  mean = task->lengths[0] + mean / (double)task->rollouts;
  for (int64_t s = 0; s < task->rollouts; ++s) {
    advantage[s] = mean - task->lengths[s];
    if (advantage[s] > largest) largest = advantage[s];
  }
  const bool differ = largest > 1e-12 * fabs(mean); /* more than the rounding of one length */
  for (int64_t s = 0; s < task->rollouts; ++s) {
    if (args->advantage == EDGEFW_ADVANTAGE_MAX)
      advantage[s] = differ ? advantage[s] / largest : 0.0;
    loss -= advantage[s] * task->at.log_probability[s];
  }
  args->losses[task->b] = loss / (double)task->rollouts;
}

/* loss = -(a / (B S)) log p(chosen):  dlogit_j = a / (B S) * (p_j - [j chosen]);
 * logit = C tanh(score):  dscore = dlogit * C * (1 - tanh^2). In place of the logits. */
static void backward_scores(const decode_task *task) {
  const edgefw_decode_args *args = task->args;
  const float clip = (float)args->clip;
  const double share = 1.0 / ((double)args->batch * (double)task->rollouts);
  for (int64_t row = 0; row < task->rows; ++row) {
    const int64_t s = row % task->rollouts, t = row / task->rollouts + 1;
    float *logits = task->at.logits + row * task->stride;
    float *p = task->at.probability + row * task->stride;
    const float weight = (float)(task->at.advantage[s] * share);
    p[task->tours[s * task->n + t]] -= 1.0f;
    for (int64_t j = 0; j < task->stride; j += LANES) {
      const lanes th = lanes_load(logits + j) / lanes_all(clip);
      lanes_store(logits + j, weight * lanes_load(p + j) * (clip * (lanes_all(1.0f) - th * th)));
    }
  }
}

static void backward_features(const decode_task *task) {
  const feature_mlp *mlp = &task->job->mlp;
  float *gradient = task->job->partial + task->b * mlp_gradient_size(mlp);
  for (int64_t row = 0; row < task->rows; ++row) {
    feature_view view;
    view_step(task, row % task->rollouts, row / task->rollouts + 1, &view);
    shared_bias(mlp, &view, task->at.bias);
    mlp_backward(mlp, &view, task->at.bias, task->at.logits + row * task->stride, task->n,
                 task->at.total, gradient);
  }
}

/* base = (o . fold + fold_bias) / sqrt(d) */
static void backward_pointer(const decode_task *task, const float *dscore) {
  const edgefw_decode_args *args = task->args;
  const int64_t n = task->n, d = task->d, offset = task->b * n * d;
  const float scale = 1.0f / sqrtf((float)d);
  gemm_nn(task->rows, d, n, scale, dscore, task->stride, instance_rows(task, args->fold), d, 0.0f,
          task->at.dcontext, d);
  if (args->dfold)
    gemm_tn(n, d, task->rows, scale, dscore, task->stride, task->at.context, d, 1.0f,
            (float *)args->dfold + offset, d);
  if (!args->dfold_bias) return;
  float *dbias = (float *)args->dfold_bias + task->b * n;
  for (int64_t row = 0; row < task->rows; ++row)
    lanes_add_scaled(dbias, scale, dscore + row * task->stride, n);
}

/* Rows of dp become the gradient by the scores: ds = p * (dp - sum(p dp)). */
static void backward_softmax(const decode_task *task, const float *p, float *dp) {
  const int64_t stride = task->stride;
  for (int64_t row = 0; row < task->rows; ++row) {
    const float *weights = p + row * stride;
    float *g = dp + row * stride;
    for (int64_t j = task->n; j < stride; ++j) g[j] = 0.0f;
    const float total = lanes_dot(weights, g, stride);
    for (int64_t j = 0; j < stride; ++j) g[j] = weights[j] * (g[j] - total);
  }
}

/* o = P values, P = softmax(query . keys / sqrt(d_h)), head by head. */
static void backward_attention(const decode_task *task) {
  const edgefw_decode_args *args = task->args;
  const int64_t n = task->n, d = task->d, width = task->width, stride = task->stride;
  const int64_t rows = task->rows, offset = task->b * n * d;
  const float scale = 1.0f / sqrtf((float)width);
  float *dp = task->at.dattention;
  for (int64_t h = 0; h < task->heads; ++h) {
    const float *p = task->at.attention + h * rows * stride;
    const float *dcontext = task->at.dcontext + h * width;
    gemm_nt(rows, n, width, 1.0f, dcontext, d, instance_rows(task, args->values) + h * width, d,
            0.0f, dp, stride);
    if (args->dvalues)
      gemm_tn(n, width, rows, 1.0f, p, stride, dcontext, d, 1.0f,
              (float *)args->dvalues + offset + h * width, d);
    backward_softmax(task, p, dp);
    gemm_nn(rows, width, n, scale, dp, stride, instance_rows(task, args->keys) + h * width, d, 0.0f,
            task->at.dquery + h * width, d);
    if (args->dkeys)
      gemm_tn(n, width, rows, scale, dp, stride, task->at.query + h * width, d, 1.0f,
              (float *)args->dkeys + offset + h * width, d);
  }
}

/* query = q_last[current] (+ q_first[first]) */
static void scatter_queries(const decode_task *task) {
  const edgefw_decode_args *args = task->args;
  const int64_t d = task->d, offset = task->b * task->n * d;
  for (int64_t row = 0; row < task->rows; ++row) {
    const int32_t *tour = task->tours + row % task->rollouts * task->n;
    const int64_t t = row / task->rollouts + 1;
    const float *dquery = task->at.dquery + row * d;
    if (args->dq_last)
      lanes_add_scaled((float *)args->dq_last + offset + tour[t - 1] * d, 1.0f, dquery, d);
    if (args->dq_first)
      lanes_add_scaled((float *)args->dq_first + offset + tour[0] * d, 1.0f, dquery, d);
  }
}

static void decode_backward(const decode_task *task) {
  set_advantages(task);
  if (task->n < 2) return;
  backward_scores(task);
  if (task->args->plan->feature_count > 0) backward_features(task);
  backward_pointer(task, task->at.logits);
  backward_attention(task);
  scatter_queries(task);
}
