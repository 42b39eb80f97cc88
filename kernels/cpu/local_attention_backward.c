/* Gradients of local attention: of the folded weights over one instance's decisions, and from their
 * sums, once per call, of the layer's own. */
#pragma once

#include "decode.h"
#include "local_attention.c"

static int64_t local_sums_size(const local_weights *local) {
  return (local->columns + local->depth) * LOCAL_D + LOCAL_HEADS * local->width +
         LOCAL_HEADS * local->inputs * LANES;
}

static local_sums local_sums_at(const local_weights *local, float *block) {
  local_sums sums = {.members = block};
  sums.mix = sums.members + local->columns * LOCAL_D;
  sums.ranks = sums.mix + local->depth * LOCAL_D;
  sums.inputs = sums.ranks + LOCAL_HEADS * local->width;
  return sums;
}

/* Gradients of `outputs` from those of the scores: by rank, then of the factors of the inputs. */
static void gather_outputs(const decode_task *task, int logit, int64_t row, float *dout) {
  const local_weights *local = &task->job->local[logit];
  const int set = task->job->near.set_of[logit];
  const int64_t members = task->at.near_count[set * task->rows + row];
  const int32_t *nodes = near_nodes(task, set, row);
  const float *dscore = task->at.logits + row * task->stride;
  const float *x = task->at.local[logit].inputs + row * local->inputs * local->width;
  const float scale = 1.0f / sqrtf((float)LOCAL_D);
  memset(dout, 0, (size_t)local->columns * sizeof *dout);
  for (int64_t r = 0; r < members; ++r) dout[r] = scale * dscore[nodes[r]];
  for (int f = 0; f < local->inputs; ++f)
    dout[local->width + f] = lanes_dot(dout, x + f * local->width, local->width);
}

/* One row: gradients of `weights` go on to the scores under the softmax. */
static void backward_weights(const local_weights *local, const float *x, const float *weights,
                             float *dweights, const local_sums *sums) {
  const int64_t width = local->width;
  const int inputs = local->inputs;
  for (int h = 0; h < LOCAL_HEADS; ++h) {
    const float *p = weights + h * width, *dmean = dweights + LOCAL_HEADS * width + h * inputs;
    float *dp = dweights + h * width;
    for (int f = 0; f < inputs; ++f) lanes_add_scaled(dp, dmean[f], x + f * width, width);
    const lanes total = lanes_all(lanes_dot(p, dp, width));
    for (int64_t r = 0; r < width; r += LANES) {
      const lanes ds = lanes_load(p + r) * (lanes_load(dp + r) - total);
      float *rank = sums->ranks + h * width + r;
      lanes_store(rank, lanes_load(rank) + ds);
      for (int f = 0; f < inputs; ++f) {
        float *input = sums->inputs + (h * inputs + f) * LANES;
        lanes_store(input, lanes_load(input) + ds * lanes_load(x + f * width + r));
      }
    }
  }
}

/* Rows row .. row + count - 1, whose scores have their gradients: add to the instance's sums. */
static void backward_local(const decode_task *task, int logit, int64_t row, int64_t count) {
  const local_weights *local = &task->job->local[logit];
  const local_arrays *at = &task->at.local[logit];
  const local_sums sums =
      local_sums_at(local, task->job->local_partial[logit] + task->b * local_sums_size(local));
  const int64_t columns = local->columns, depth = local->depth;
  const float *weights = at->weights + row * depth;
  for (int64_t r = 0; r < count; ++r)
    gather_outputs(task, logit, row + r, at->outputs + r * columns);
  narrow_product(count, LOCAL_D, columns, at->outputs, columns, local->members, LOCAL_D, at->dmixed,
                 LOCAL_D);
  product_tn(columns, LOCAL_D, count, at->outputs, columns, at->mixed + row * LOCAL_D, LOCAL_D,
             sums.members, LOCAL_D);
  product_tn(depth, LOCAL_D, count, weights, depth, at->dmixed, LOCAL_D, sums.mix, LOCAL_D);
  wide_product(count, depth, LOCAL_D, at->dmixed, LOCAL_D, local->mix_transposed, depth, false,
               at->dweights, depth);
  for (int64_t r = 0; r < count; ++r)
    backward_weights(local, at->inputs + (row + r) * local->inputs * local->width,
                     weights + r * depth, at->dweights + r * depth, &sums);
}

/* Gradients of the maps of an embedding, and of the embedding's own weights. */
typedef struct local_gradients {
  local_maps maps; /* `query` by way of `score` */
  double embed[3][LOCAL_D], bias[LOCAL_D], combine_bias[LOCAL_D];
} local_gradients;

/* Through the products of fold_local. Sums of `mix` and `members` are in double here, one row. */
static void unfold_member(const local_weights *local, const local_maps *maps, int64_t row,
                          const double member[LOCAL_D], const double *sums, local_gradients *g) {
  const double *dmembers = sums, *dmix = dmembers + local->columns * LOCAL_D;
  const double *dranks = dmix + local->depth * LOCAL_D;
  const double *dinputs = dranks + LOCAL_HEADS * local->width;
  double *out = row < local->width ? g->bias : g->embed[row - local->width];
  for (int c = 0; c < LOCAL_D; ++c) out[c] += dmembers[row * LOCAL_D + c];
  for (int h = 0; h < LOCAL_HEADS; ++h) {
    const double *d = dmix + mix_row(local, h, row) * LOCAL_D;
    double dscore = 0.0;
    if (row < local->width) {
      dscore = dranks[h * local->width + row];
    } else {
      for (int lane = 0; lane < LANES; ++lane)
        dscore += dinputs[(h * local->inputs + row - local->width) * LANES + lane];
    }
    for (int c = 0; c < LOCAL_D; ++c) {
      g->maps.score[h][c] += dscore * member[c];
      out[c] += dscore * maps->score[h][c];
    }
    for (int o = 0; o < LOCAL_D; ++o)
      for (int c = 0; c < LOCAL_D; ++c) {
        g->maps.mix[h][o][c] += d[o] * member[c];
        out[c] += d[o] * maps->mix[h][o][c];
      }
  }
}

static void add_number(void *gradient, int64_t at, double value) {
  if (gradient) ((float *)gradient)[at] += (float)value;
}

/* Through map_local. */
static void unfold_maps(void *const *tensors, const local_maps *maps, const local_maps *d,
                        void *const *gradients) {
  const float *token = tensors[EDGEFW_LOCAL_TOKEN], *query = tensors[EDGEFW_LOCAL_QUERY];
  const float *key = tensors[EDGEFW_LOCAL_KEY], *value = tensors[EDGEFW_LOCAL_VALUE];
  const float *combine = tensors[EDGEFW_LOCAL_COMBINE];
  const double scale = 1.0 / sqrt((double)LOCAL_HEAD);
  double dtoken[LOCAL_D] = {0.0};
  for (int e = 0; e < LOCAL_D; ++e) {
    const int h = e / LOCAL_HEAD;
    double dquery = 0.0;
    for (int c = 0; c < LOCAL_D; ++c) {
      double dvalue = 0.0;
      for (int o = 0; o < LOCAL_D; ++o)
        dvalue += (double)combine[o * LOCAL_D + e] * d->mix[h][o][c];
      add_number(gradients[EDGEFW_LOCAL_VALUE], e * LOCAL_D + c, dvalue);
      add_number(gradients[EDGEFW_LOCAL_KEY], e * LOCAL_D + c,
                 scale * maps->query[e] * d->score[h][c]);
      dquery += scale * (double)key[e * LOCAL_D + c] * d->score[h][c];
    }
    for (int o = 0; o < LOCAL_D; ++o) {
      double dcombine = 0.0;
      for (int c = 0; c < LOCAL_D; ++c)
        dcombine += (double)value[e * LOCAL_D + c] * d->mix[h][o][c];
      add_number(gradients[EDGEFW_LOCAL_COMBINE], o * LOCAL_D + e, dcombine);
    }
    for (int i = 0; i < LOCAL_D; ++i) {
      add_number(gradients[EDGEFW_LOCAL_QUERY], e * LOCAL_D + i, dquery * (double)token[i]);
      dtoken[i] += dquery * (double)query[e * LOCAL_D + i];
    }
  }
  for (int i = 0; i < LOCAL_D; ++i) add_number(gradients[EDGEFW_LOCAL_TOKEN], i, dtoken[i]);
}

/* Add the gradients of the layer's tensors; `sums` as local_sums, of all instances. */
static void unfold_local(void *const *tensors, const local_weights *local, const double *sums,
                         void *const *gradients) {
  local_maps maps;
  local_gradients g;
  memset(&g, 0, sizeof g);
  map_local(tensors, &maps);
  for (int64_t row = 0; row < local->width + local->inputs; ++row) {
    double member[LOCAL_D];
    local_member(local, tensors, row, member);
    unfold_member(local, &maps, row, member, sums, &g);
  }
  unfold_maps(tensors, &maps, &g.maps, gradients);
  const double *combine = sums + (local->columns + mix_bias(local)) * LOCAL_D;
  for (int c = 0; c < LOCAL_D; ++c) {
    add_number(gradients[EDGEFW_LOCAL_EMBED_BIAS], c, g.bias[c]);
    add_number(gradients[EDGEFW_LOCAL_COMBINE_BIAS], c, combine[c]);
    for (int f = 0; f < local->inputs; ++f)
      add_number(gradients[EDGEFW_LOCAL_EMBED], c * local->inputs + f, g.embed[f][c]);
  }
}
