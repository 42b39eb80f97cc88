/* What all tasks of a call share: weights that are folded or packed once, and the sums of gradients
 * that instances collect, which are added up in the order of the instances. */
#include "decode.h"

static void take_mlp(cpu_layout *layout, const edgefw_decode_plan *plan, feature_mlp *mlp) {
  const int64_t sources = mlp->plan.count;
  mlp->hidden = plan->hidden;
  mlp->width = lanes_padded(mlp->hidden);
  mlp->folded = cpu_take_floats(layout, sources * mlp->width);
  mlp->b1 = cpu_take_floats(layout, mlp->width);
  mlp->w2 = cpu_take_floats(layout, mlp->width);
  mlp->forward_width = lanes_padded(mlp->hidden + 1);
  mlp->forward = cpu_take_floats(layout, sources * mlp->forward_width);
  mlp->forward_b1 = cpu_take_floats(layout, mlp->forward_width);
}

/* Weights, and what is added up over instances. */
static void take_weights(cpu_layout *layout, decode_job *job) {
  const edgefw_decode_plan *plan = job->args->plan;
  if (plan->feature_count > 0) take_mlp(layout, plan, &job->mlp);
  job->w_left = cpu_take_floats(layout, plan->resource_count * plan->width);
  int64_t sums = 0;
  for (int l = 0; l < plan->logit_count; ++l) {
    if (!is_local(plan, l)) continue;
    job->local[l] = local_sizes(job->args, &job->near, l);
    take_local_weights(layout, &job->local[l]);
    if (local_sums_size(&job->local[l]) > sums) sums = local_sums_size(&job->local[l]);
  }
  job->local_total = cpu_take(layout, job->args->train ? sums : 0, sizeof *job->local_total);
}

/* Sums of gradients of each instance. */
static void take_partials(cpu_layout *layout, decode_job *job) {
  const edgefw_decode_args *args = job->args;
  const edgefw_decode_plan *plan = args->plan;
  const int64_t mlp = plan->feature_count > 0 ? mlp_gradient_size(&job->mlp) : 0;
  job->partial = cpu_take_floats(layout, args->batch * mlp);
  job->left_partial = cpu_take_floats(layout, args->batch * plan->resource_count * plan->width);
  for (int l = 0; l < plan->logit_count; ++l)
    if (is_local(plan, l))
      job->local_partial[l] =
          cpu_take_floats(layout, args->batch * local_sums_size(&job->local[l]));
}

/* Returns where the sums begin; with no memory in `layout` it only adds up sizes. */
static size_t take_shared(cpu_layout *layout, decode_job *job) {
  take_weights(layout, job);
  const size_t weights = layout->used;
  if (job->args->train) take_partials(layout, job);
  return weights;
}

/* Columns of w_left as rows. */
static void pack_left(decode_job *job) {
  const edgefw_decode_args *args = job->args;
  const float *left = args->weights.pointer.w_left;
  for (int r = 0; r < args->plan->resource_count; ++r)
    for (int64_t c = 0; c < args->plan->width; ++c)
      job->w_left[r * args->plan->width + c] = left[c * args->weights.pointer.w_left_stride + r];
}

/* Fold and pack the weights, and make room for sums of gradients. */
static edgefw_status prepare_shared(decode_job *job) {
  const edgefw_decode_args *args = job->args;
  plan_features(args->plan, &job->mlp.plan);
  plan_near(args, &job->near);
  cpu_layout layout = {0};
  const size_t weights = take_shared(&layout, job), bytes = layout.used;
  if (bytes == 0) return EDGEFW_OK;
  layout = (cpu_layout){edgefw__cpu_reserve(job->device, &job->device->shared, bytes,
                                            "weights and gradients of decoding"),
                        0};
  if (!layout.memory) return edgefw_failure(job->device->ctx);
  take_shared(&layout, job);
  memset(layout.memory + weights, 0, bytes - weights);
  if (args->plan->feature_count > 0) {
    fold_weights(args, &job->mlp);
    absorb_second_layer(&job->mlp);
  }
  pack_left(job);
  for (int l = 0; l < args->plan->logit_count; ++l)
    if (is_local(args->plan, l)) fold_local(args->weights.logits[l], &job->local[l]);
  return EDGEFW_OK;
}

static void reduce_mlp(const decode_job *job) {
  const edgefw_decode_args *args = job->args;
  const feature_mlp *mlp = &job->mlp;
  for (int64_t b = 0; b < args->batch; ++b) {
    const float *part = job->partial + b * mlp_gradient_size(mlp);
    const float *db1 = part + mlp->plan.count * mlp->width, *dw2 = db1 + mlp->width;
    if (args->gradients.mlp.w1) unfold_gradient(mlp, args->plan, part, args->gradients.mlp.w1);
    if (args->gradients.mlp.b1) lanes_add_scaled(args->gradients.mlp.b1, 1.0f, db1, mlp->hidden);
    if (args->gradients.mlp.w2) lanes_add_scaled(args->gradients.mlp.w2, 1.0f, dw2, mlp->hidden);
    if (args->gradients.mlp.b2) *(float *)args->gradients.mlp.b2 += dw2[mlp->width];
  }
}

static void reduce_left(const decode_job *job) {
  const edgefw_decode_args *args = job->args;
  const int64_t resources = args->plan->resource_count, d = args->plan->width;
  float *left = args->gradients.pointer.w_left;
  if (!left) return;
  for (int64_t r = 0; r < resources; ++r)
    for (int64_t c = 0; c < d; ++c) {
      double sum = 0.0;
      for (int64_t b = 0; b < args->batch; ++b)
        sum += (double)job->left_partial[(b * resources + r) * d + c];
      left[c * args->weights.pointer.w_left_stride + r] += (float)sum;
    }
}

static void reduce_local(const decode_job *job, int logit) {
  const edgefw_decode_args *args = job->args;
  const local_weights *local = &job->local[logit];
  const int64_t size = local_sums_size(local);
  memset(job->local_total, 0, (size_t)size * sizeof *job->local_total);
  for (int64_t b = 0; b < args->batch; ++b)
    for (int64_t i = 0; i < size; ++i)
      job->local_total[i] += (double)job->local_partial[logit][b * size + i];
  unfold_local(args->weights.logits[logit], local, job->local_total, args->gradients.logits[logit]);
}

/* Add up what the instances have collected. */
static void reduce_shared(const decode_job *job) {
  const edgefw_decode_plan *plan = job->args->plan;
  if (plan->feature_count > 0) reduce_mlp(job);
  reduce_left(job);
  for (int l = 0; l < plan->logit_count; ++l)
    if (is_local(plan, l)) reduce_local(job, l);
}
