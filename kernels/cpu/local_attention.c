/* Local attention (EDGEFW_LOGIT_LOCAL_ATTENTION): its weights folded once per call, and the forward
 * pass by dense products over the rollouts of a step. See logits.h for the folding. */
#pragma once

#include "decode.h"
#include "near.c"

enum {
  LOCAL_D = EDGEFW_LOCAL_WIDTH,
  LOCAL_HEADS = EDGEFW_LOCAL_HEADS,
  LOCAL_HEAD = LOCAL_D / LOCAL_HEADS
};

static bool is_local(const edgefw_decode_plan *plan, int logit) {
  return plan->logits[logit].kind == EDGEFW_LOGIT_LOCAL_ATTENTION;
}

/* Is a table the points of a logit? */
static bool is_points(const edgefw_decode_plan *plan, int table) {
  for (int l = 0; l < plan->logit_count; ++l)
    if (is_local(plan, l) && plan->logits[l].points == table) return true;
  return false;
}

/* Sizes of a logit's arrays. */
static local_weights local_sizes(const edgefw_decode_args *args, const near_plan *near, int logit) {
  const int64_t width = near->sets[near->set_of[logit]].width;
  return (local_weights){.inputs = args->plan->resource_count > 0 ? 3 : 2,
                         .width = width,
                         .depth = LOCAL_HEADS * width + LOCAL_REST,
                         .columns = width + LOCAL_REST};
}

static void take_local_weights(cpu_layout *layout, local_weights *local) {
  local->score = cpu_take_floats(layout, LOCAL_HEADS * local->columns);
  local->mix = cpu_take_floats(layout, local->depth * LOCAL_D);
  local->members = cpu_take_floats(layout, local->columns * LOCAL_D);
  local->mix_transposed = cpu_take_floats(layout, local->depth * LOCAL_D);
  local->members_transposed = cpu_take_floats(layout, local->columns * LOCAL_D);
}

static void take_local_arrays(cpu_layout *layout, const edgefw_decode_args *args,
                              const local_weights *local, int64_t rows, local_arrays *at) {
  const int64_t n = args->nodes, block = DECODE_ROWS > DECODE_BLOCK ? DECODE_ROWS : DECODE_BLOCK;
  at->angles = cpu_take_floats(layout, n * n);
  at->inputs = cpu_take_floats(layout, rows * local->inputs * local->width);
  at->weights = cpu_take_floats(layout, rows * local->depth);
  at->mixed = cpu_take_floats(layout, rows * LOCAL_D);
  at->outputs = cpu_take_floats(layout, block * local->columns);
  at->dweights = cpu_take_floats(layout, args->train ? DECODE_ROWS * local->depth : 0);
  at->dmixed = cpu_take_floats(layout, args->train ? DECODE_ROWS * LOCAL_D : 0);
}

/* The layer's weights as maps of an embedding. */
typedef struct local_maps {
  double query[LOCAL_D];                     /* Wq cur_token_emb */
  double score[LOCAL_HEADS][LOCAL_D];        /* dot product: a head's score */
  double mix[LOCAL_HEADS][LOCAL_D][LOCAL_D]; /* to what it adds to multi_head_combine's result */
} local_maps;

static void map_local(void *const *tensors, local_maps *maps) {
  const float *token = tensors[EDGEFW_LOCAL_TOKEN], *query = tensors[EDGEFW_LOCAL_QUERY];
  const float *key = tensors[EDGEFW_LOCAL_KEY], *value = tensors[EDGEFW_LOCAL_VALUE];
  const float *combine = tensors[EDGEFW_LOCAL_COMBINE];
  memset(maps, 0, sizeof *maps);
  for (int o = 0; o < LOCAL_D; ++o)
    for (int i = 0; i < LOCAL_D; ++i)
      maps->query[o] += (double)query[o * LOCAL_D + i] * (double)token[i];
  for (int e = 0; e < LOCAL_D; ++e) { /* row of Wk and Wv, column of the combination */
    const int h = e / LOCAL_HEAD;
    for (int c = 0; c < LOCAL_D; ++c) {
      maps->score[h][c] += maps->query[e] * (double)key[e * LOCAL_D + c] / sqrt((double)LOCAL_HEAD);
      for (int o = 0; o < LOCAL_D; ++o)
        maps->mix[h][o][c] += (double)combine[o * LOCAL_D + e] * (double)value[e * LOCAL_D + c];
    }
  }
}

/* Row of `members`: an embedding's part that is the rank's, or one input's. */
static void local_member(const local_weights *local, void *const *tensors, int64_t row,
                         double out[LOCAL_D]) {
  const float *embed = tensors[EDGEFW_LOCAL_EMBED], *bias = tensors[EDGEFW_LOCAL_EMBED_BIAS];
  for (int c = 0; c < LOCAL_D; ++c) {
    if (row >= local->width) {
      out[c] = (double)embed[c * local->inputs + row - local->width];
      continue;
    }
    const double angle = (double)row * exp(-(c % 16) * log(10000.0) / 15.0);
    out[c] = (double)bias[c] + (c < 16 ? sin(angle) : cos(angle));
  }
}

/* Row of `mix` for head h and a row of `members`. */
static int64_t mix_row(const local_weights *local, int h, int64_t member) {
  return member < local->width
             ? h * local->width + member
             : LOCAL_HEADS * local->width + h * local->inputs + member - local->width;
}

/* Where the bias of the combination is in `mix`. */
static int64_t mix_bias(const local_weights *local) {
  return LOCAL_HEADS * (local->width + local->inputs);
}

static void fold_local(void *const *tensors, local_weights *local) {
  local_maps maps;
  map_local(tensors, &maps);
  memset(local->score, 0, (size_t)(LOCAL_HEADS * local->columns) * sizeof(float));
  memset(local->mix, 0, (size_t)(local->depth * LOCAL_D) * sizeof(float));
  memset(local->members, 0, (size_t)(local->columns * LOCAL_D) * sizeof(float));
  for (int64_t row = 0; row < local->width + local->inputs; ++row) {
    double member[LOCAL_D];
    local_member(local, tensors, row, member);
    for (int c = 0; c < LOCAL_D; ++c) local->members[row * LOCAL_D + c] = (float)member[c];
    for (int h = 0; h < LOCAL_HEADS; ++h) {
      float *mix = local->mix + mix_row(local, h, row) * LOCAL_D;
      double score = 0.0;
      for (int c = 0; c < LOCAL_D; ++c) score += maps.score[h][c] * member[c];
      local->score[h * local->columns + row] = (float)(score * (double)LANES_LOG2E);
      for (int o = 0; o < LOCAL_D; ++o) {
        double sum = 0.0;
        for (int c = 0; c < LOCAL_D; ++c) sum += maps.mix[h][o][c] * member[c];
        mix[o] = (float)sum;
      }
    }
  }
  memcpy(local->mix + mix_bias(local) * LOCAL_D, tensors[EDGEFW_LOCAL_COMBINE_BIAS],
         LOCAL_D * sizeof(float));
  pack_transposed(local->mix, local->depth, LOCAL_D, LOCAL_D, 1.0f, local->mix_transposed,
                  local->depth);
  pack_transposed(local->members, local->columns, LOCAL_D, LOCAL_D, 1.0f, local->members_transposed,
                  local->columns);
}

/* Angles between all nodes of the instance. */
static void begin_local(const decode_task *task, int logit) {
  const int64_t n = task->n;
  const float *points =
      (const float *)task->args->tables[task->args->plan->logits[logit].points] + task->b * n * 2;
  float *angles = task->at.local[logit].angles;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      angles[i * n + j] =
          atan2f(points[2 * j + 1] - points[2 * i + 1], points[2 * j] - points[2 * i]);
}

/* x (F,width) of the members of slot k; the depot's are 0. */
static void gather_inputs(const decode_task *task, int logit, int64_t k, int32_t current,
                          const int32_t *nodes, int64_t count, float *x) {
  const near_set *set = &task->job->near.sets[task->job->near.set_of[logit]];
  const int64_t n = task->n, width = set->width;
  const float *distances = task->tables.table[set->table] + current * task->stride;
  const float *angles = task->at.local[logit].angles + current * n;
  const float inverse = near_inverse(task, logit, distances, nodes, count);
  const int64_t first = first_customer(task);
  memset(x, 0, (size_t)(task->job->local[logit].inputs * width) * sizeof *x);
  for (int64_t r = first; r < count; ++r) {
    x[r] = distances[nodes[r]] * inverse;
    x[width + r] = angles[nodes[r]];
  }
  if (task->resources == 0) return;
  const double *demand = task->args->resources.demand[0] + task->b * n;
  const double left = task->at.left[k * task->resources];
  const double per_left = left != 0.0 ? 1.0 / left : 0.0;
  for (int64_t r = first; r < count; ++r) x[2 * width + r] = (float)(demand[nodes[r]] * per_left);
}

/* A row of `weights` from the inputs; `open` (width): members that take part. */
static void weigh_members(const local_weights *local, const float *x, const int32_t *open,
                          float *weights) {
  const int64_t width = local->width;
  const int inputs = local->inputs;
  float *means = weights + LOCAL_HEADS * width;
  memset(means, 0, LOCAL_REST * sizeof *means);
  for (int h = 0; h < LOCAL_HEADS; ++h) {
    const float *score = local->score + h * local->columns;
    float *row = weights + h * width;
    for (int64_t r = 0; r < width; r += LANES) {
      lanes sum = lanes_load(score + r);
      for (int f = 0; f < inputs; ++f) sum += score[width + f] * lanes_load(x + f * width + r);
      lanes_store(row + r, sum);
    }
    masked_softmax(true, row, open, masked_largest(row, open, width), row, width);
    for (int f = 0; f < inputs; ++f) means[h * inputs + f] = lanes_dot(row, x + f * width, width);
  }
  means[LOCAL_HEADS * inputs] = 1.0f;
}

/* Scores of the members of a block of slots from `outputs`. */
static void scatter_outputs(const decode_task *task, int logit, int64_t first, int64_t count,
                            float *scores) {
  const local_weights *local = &task->job->local[logit];
  const int set = task->job->near.set_of[logit];
  const float scale = 1.0f / sqrtf((float)LOCAL_D);
  for (int64_t k = first; k < first + count; ++k) {
    const int64_t row = task->row + k, members = task->at.near_count[set * task->rows + row];
    const int32_t *nodes = near_nodes(task, set, row);
    const float *x = task->at.local[logit].inputs + row * local->inputs * local->width;
    float *out = task->at.local[logit].outputs + (k - first) * local->columns;
    for (int f = 0; f < local->inputs; ++f)
      lanes_add_scaled(out, out[local->width + f], x + f * local->width, local->width);
    for (int64_t r = 0; r < members; ++r) scores[k * task->stride + nodes[r]] += scale * out[r];
  }
}

/* Add a local attention to the scores of a step, some rollouts at a time. */
static void add_local_attention(const decode_task *task, int logit, float *scores) {
  const local_weights *local = &task->job->local[logit];
  const local_arrays *at = &task->at.local[logit];
  const int set = task->job->near.set_of[logit];
  for (int64_t first = 0; first < task->live; first += DECODE_BLOCK) {
    const int64_t left = task->live - first, count = left < DECODE_BLOCK ? left : DECODE_BLOCK;
    const int64_t from = task->row + first;
    for (int64_t k = first; k < first + count; ++k) {
      const int64_t row = task->row + k, members = task->at.near_count[set * task->rows + row];
      const int32_t *nodes = near_nodes(task, set, row), *open = task->at.open + k * task->stride;
      float *x = at->inputs + row * local->inputs * local->width;
      gather_inputs(task, logit, k, current_node(task, k), nodes, members, x);
      for (int64_t r = 0; r < local->width; ++r)
        task->at.near_open[r] = r < members ? open[nodes[r]] : 0;
      weigh_members(local, x, task->at.near_open, at->weights + row * local->depth);
    }
    narrow_product(count, LOCAL_D, local->depth, at->weights + from * local->depth, local->depth,
                   local->mix, LOCAL_D, at->mixed + from * LOCAL_D, LOCAL_D);
    wide_product(count, local->columns, LOCAL_D, at->mixed + from * LOCAL_D, LOCAL_D,
                 local->members_transposed, local->columns, false, at->outputs, local->columns);
    scatter_outputs(task, logit, first, count, scores);
  }
}
