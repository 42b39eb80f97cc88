/* The feature MLP of the decoder, over the sources of its declared look-ups (feature_plan.h), by
 * which the first layer's weights are folded. */
#pragma once

#include "feature_plan.h"
#include "lanes.h"

/* The MLP with its first layer folded; rows are padded to whole lanes with zeros. */
typedef struct feature_mlp {
  feature_plan plan;
  int64_t hidden, width; /* width: hidden, padded */
  float *folded;         /* (sources, width) */
  float *b1, *w2;        /* (width) */
  /* For the forward pass, with the second layer absorbed: see absorb_second_layer. */
  int64_t forward_width;       /* hidden + 1, padded */
  float *forward, *forward_b1; /* (sources,forward width), (forward width) */
  int64_t positive;            /* hidden units with a positive sign; they come first */
  float b2;
} feature_mlp;

/* First-layer weights by source, from w1 (hidden, features). `mlp->folded`, `b1` and `w2` point to
 * memory already. */
static void fold_weights(const edgefw_decode_args *args, feature_mlp *mlp) {
  const edgefw_decode_plan *decode = args->plan;
  const float *w1 = args->weights.mlp.w1;
  const int64_t features = decode->feature_count;
  memset(mlp->folded, 0, (size_t)(mlp->plan.count * mlp->width) * sizeof *mlp->folded);
  memset(mlp->b1, 0, (size_t)mlp->width * sizeof *mlp->b1);
  memset(mlp->w2, 0, (size_t)mlp->width * sizeof *mlp->w2);
  memcpy(mlp->b1, args->weights.mlp.b1, (size_t)mlp->hidden * sizeof *mlp->b1);
  memcpy(mlp->w2, args->weights.mlp.w2, (size_t)mlp->hidden * sizeof *mlp->w2);
  mlp->b2 = *(const float *)args->weights.mlp.b2;
  for (int64_t f = 0; f < features; ++f)
    for (int part = 0; part < 2; ++part) {
      const source_use use = mlp->plan.uses[f][part];
      for (int64_t k = 0; k < mlp->hidden; ++k)
        mlp->folded[use.source * mlp->width + k] += use.sign * w1[k * features + f];
    }
}

/* For the forward pass: w2 relu(x) = (w2 x +- |w2 x|) / 2. Half of |w2| goes into the first layer,
 * so that only signs are left, the positive ones first; and all the linear halves add up to one
 * more unit, number `hidden`. That is fewer operations than a maximum and a product for every unit.
 */
static void absorb_second_layer(feature_mlp *mlp) {
  const int64_t width = mlp->forward_width, last = mlp->hidden;
  memset(mlp->forward, 0, (size_t)(mlp->plan.count * width) * sizeof *mlp->forward);
  memset(mlp->forward_b1, 0, (size_t)width * sizeof *mlp->forward_b1);
  int64_t to = 0;
  for (int negative = 0; negative < 2; ++negative) {
    const float sign = negative ? -1.0f : 1.0f;
    for (int64_t k = 0; k < mlp->hidden; ++k) {
      if ((mlp->w2[k] < 0.0f) != (negative == 1)) continue;
      const float scale = 0.5f * sign * mlp->w2[k];
      for (int s = 0; s < mlp->plan.count; ++s) {
        mlp->forward[s * width + to] = scale * mlp->folded[s * mlp->width + k];
        mlp->forward[s * width + last] += sign * mlp->forward[s * width + to];
      }
      mlp->forward_b1[to] = scale * mlp->b1[k];
      mlp->forward_b1[last] += sign * mlp->forward_b1[to++];
    }
    if (!negative) mlp->positive = to;
  }
}

/* dw1 += the gradient that was summed by source, given back to the features of each source. */
static void unfold_gradient(const feature_mlp *mlp, const edgefw_decode_plan *decode,
                            const float *folded, float *dw1) {
  for (int f = 0; f < decode->feature_count; ++f)
    for (int part = 0; part < 2; ++part) {
      const source_use use = mlp->plan.uses[f][part];
      for (int64_t k = 0; k < mlp->hidden; ++k)
        dw1[k * decode->feature_count + f] += use.sign * folded[use.source * mlp->width + k];
    }
}

/* One instance's tables. Rows of pairs are padded to whole lanes: a row that straddles cache lines
 * would cost one more of them in every block. */
typedef struct feature_tables {
  int64_t stride;
  const float *table[EDGEFW_MAX_TABLES];      /* (n,stride) or (n) */
  const float *transposed[EDGEFW_MAX_TABLES]; /* (n,stride) */
} feature_tables;

/* Where a rollout stands. */
typedef struct feature_place {
  int32_t current, closing;
  float progress;
  const float *const *paths; /* rows of the PATH sources, by slot; NULL: none are read */
} feature_place;

typedef struct feature_view {
  const float *vectors[MAX_SOURCES]; /* n numbers each */
  float scalars[MAX_SOURCES];        /* from index vector_count on */
} feature_view;

static void view_features(const feature_plan *plan, const feature_tables *tables,
                          const feature_place *place, feature_view *view) {
  for (int s = 0; s < plan->count; ++s) {
    const feature_source *source = &plan->sources[s];
    const int64_t anchor = source->anchor == EDGEFW_CURRENT ? place->current : place->closing;
    const int64_t other = source->other == EDGEFW_CURRENT ? place->current : place->closing;
    const float *table = tables->table[source->table];
    const int64_t row = anchor * tables->stride;
    switch (source->kind) {
    case SOURCE_ROW: view->vectors[s] = table + row; break;
    case SOURCE_COLUMN: view->vectors[s] = tables->transposed[source->table] + row; break;
    case SOURCE_NODES: view->vectors[s] = table; break;
    case SOURCE_PATH: view->vectors[s] = place->paths ? place->paths[source->slot] : NULL; break;
    case SOURCE_PAIR_VALUE: view->scalars[s] = table[row + other]; break;
    case SOURCE_NODE_VALUE: view->scalars[s] = table[anchor]; break;
    case SOURCE_STATE: view->scalars[s] = place->progress; break;
    }
  }
}

/* bias (width) = b1 + what the scalar sources add. */
static void shared_bias(const feature_mlp *mlp, const feature_view *view, float *bias) {
  memcpy(bias, mlp->b1, (size_t)mlp->width * sizeof *bias);
  for (int s = mlp->plan.vector_count; s < mlp->plan.count; ++s)
    lanes_add_scaled(bias, view->scalars[s], mlp->folded + s * mlp->width, mlp->width);
}

/* What the first layer adds up to before the moving vectors: base (hidden + 1,stride) = b1 and the
 * vectors that are the same for all rollouts and steps of an instance. */
static void mlp_base(const feature_mlp *mlp, const feature_tables *tables, int64_t n, float *base) {
  const feature_plan *plan = &mlp->plan;
  const feature_place place = {.current = 0, .closing = 0};
  const int64_t stride = tables->stride;
  feature_view view;
  view_features(plan, tables, &place, &view);
  for (int64_t k = 0; k <= mlp->hidden; ++k) {
    float *row = base + k * stride;
    for (int64_t j = 0; j < stride; ++j) row[j] = mlp->forward_b1[k];
    for (int s = plan->moving_count; s < plan->vector_count; ++s)
      lanes_add_scaled(row, mlp->forward[s * mlp->forward_width + k], view.vectors[s], n);
  }
}

/* Most lanes of candidates at a time: their vectors and sums stay in the registers. */
#if defined(__AVX512F__)
enum { MLP_BLOCKS = 4 };
#else
enum { MLP_BLOCKS = 1 };
#endif

/* Hidden unit k before its activation, for `blocks` lanes of candidates from `count` moving
 * vectors; constants where it matters. `shift` (hidden + 1): what the numbers add, NULL for none.
 */
INLINE void mlp_unit(int count, int blocks, const feature_mlp *mlp, lanes x[][MLP_BLOCKS],
                     const float *base, int64_t stride, const float *shift, int64_t k,
                     lanes out[MLP_BLOCKS]) {
  for (int q = 0; q < blocks; ++q) {
    out[q] = lanes_load(base + k * stride + q * LANES);
    if (shift) out[q] += lanes_all(shift[k]);
    for (int v = 0; v < count; ++v) out[q] += mlp->forward[v * mlp->forward_width + k] * x[v][q];
  }
}

/* Rollouts whose candidates are scored together. */
typedef struct mlp_batch {
  int64_t count, next_count;
  const feature_view *views, *next; /* of these rollouts, and of those that come next */
  const float *base;                /* that of mlp_base */
  const uint8_t
      *left; /* (count, stride / LANES) candidates of one block of lanes that may be open */
  int64_t stride;
  float *shifts; /* scratch (count, forward width) */
  float *score;  /* (count,stride) */
} mlp_batch;

enum { FETCH_NODES = 256 }; /* what fewer nodes need is in a near cache anyway */

/* Fetch what comes after this block into the first cache: of rollout s, the next block of its
 * scores; and the rows that rollout s + 1 reads. */
INLINE void fetch_near(int count, int blocks, const mlp_batch *batch, int64_t s, int64_t j) {
  const float *score = batch->score + s * batch->stride + j + blocks * LANES;
  const feature_view *view = &batch->views[s + 1 < batch->count ? s + 1 : s];
  for (int q = 0; q < blocks; ++q) __builtin_prefetch(score + q * LANES, 1, 3);
  for (int v = 0; v < count; ++v)
    for (int q = 0; q < blocks; ++q) __builtin_prefetch(view->vectors[v] + j + q * LANES, 0, 3);
}

/* A place in the rows of the next batch, rollout by rollout. */
typedef struct fetch_place {
  int64_t s, j;
} fetch_place;

/* Fetch the next batch's rows piece by piece into the second cache, each row from start to end:
 * rows of large tables come from far away. */
INLINE void fetch_far(const feature_mlp *mlp, const mlp_batch *batch, fetch_place *place) {
  if (batch->stride < FETCH_NODES || place->s >= batch->next_count) return;
  const feature_view *view = &batch->next[place->s];
  for (int v = 0; v < mlp->plan.moving_count; ++v)
    for (int q = 0; q < MLP_BLOCKS; ++q)
      __builtin_prefetch(view->vectors[v] + place->j + q * LANES, 0, 2);
  place->j += MLP_BLOCKS * LANES;
  if (place->j < batch->stride) return;
  place->j = 0;
  ++place->s;
}

/* Scores of rollout s for some blocks of candidates. */
INLINE void mlp_lanes(int count, int blocks, const feature_mlp *mlp, const mlp_batch *batch,
                      int64_t s, const float *shift, int64_t j) {
  lanes x[MAX_SOURCES][MLP_BLOCKS], out[MLP_BLOCKS], unit[MLP_BLOCKS];
  const int64_t stride = batch->stride;
  const float *base = batch->base + j;
  float *score = batch->score + s * stride + j;
  for (int q = 0; q < blocks; ++q) out[q] = lanes_load(score + q * LANES) + lanes_all(mlp->b2);
  for (int v = 0; v < count; ++v)
    for (int q = 0; q < blocks; ++q)
      x[v][q] = lanes_load(batch->views[s].vectors[v] + j + q * LANES);
  if (stride >= FETCH_NODES) fetch_near(count, blocks, batch, s, j);
  mlp_unit(count, blocks, mlp, x, base, stride, shift, mlp->hidden, unit);
  for (int q = 0; q < blocks; ++q) out[q] += unit[q];
  for (int64_t k = 0; k < mlp->positive; ++k) {
    mlp_unit(count, blocks, mlp, x, base, stride, shift, k, unit);
    for (int q = 0; q < blocks; ++q) out[q] += lanes_abs(unit[q]);
  }
  for (int64_t k = mlp->positive; k < mlp->hidden; ++k) {
    mlp_unit(count, blocks, mlp, x, base, stride, shift, k, unit);
    for (int q = 0; q < blocks; ++q) out[q] -= lanes_abs(unit[q]);
  }
  for (int q = 0; q < blocks; ++q) lanes_store(score + q * LANES, out[q]);
}

INLINE void mlp_block(int blocks, const feature_mlp *mlp, const mlp_batch *batch, int64_t s,
                      const float *shift, int64_t j) {
  const int count = mlp->plan.moving_count;
  if (shift) {
    mlp_lanes(count, blocks, mlp, batch, s, shift, j);
    return;
  }
  switch (count) {
  case 0: mlp_lanes(0, blocks, mlp, batch, s, NULL, j); break;
  case 1: mlp_lanes(1, blocks, mlp, batch, s, NULL, j); break;
  case 2: mlp_lanes(2, blocks, mlp, batch, s, NULL, j); break;
  case 3: mlp_lanes(3, blocks, mlp, batch, s, NULL, j); break;
  case 5: mlp_lanes(5, blocks, mlp, batch, s, NULL, j); break;
  case 6: mlp_lanes(6, blocks, mlp, batch, s, NULL, j); break;
  case 8: mlp_lanes(8, blocks, mlp, batch, s, NULL, j); break;
  default: mlp_lanes(count, blocks, mlp, batch, s, NULL, j); break;
  }
}

static bool any_left(const uint8_t *left, int64_t blocks) {
  uint8_t any = 0;
  for (int64_t q = 0; q < blocks; ++q) any |= left[q];
  return any != 0;
}

/* What the numbers add to each rollout's hidden units, into batch->shifts. */
static void mlp_shifts(const feature_mlp *mlp, const mlp_batch *batch) {
  const int64_t width = mlp->forward_width;
  memset(batch->shifts, 0, (size_t)(batch->count * width) * sizeof *batch->shifts);
  for (int source = mlp->plan.vector_count; source < mlp->plan.count; ++source)
    for (int64_t s = 0; s < batch->count; ++s)
      lanes_add_scaled(batch->shifts + s * width, batch->views[s].scalars[source],
                       mlp->forward + source * width, width);
}

/* score_j += b2 + w2 . relu(W phi(j) + b1) for the candidates of a batch; blocks in which none
 * may be open are left out. Rollouts are the inner loop: they share a block's part of `base`. */
static void mlp_forward(const feature_mlp *mlp, const mlp_batch *batch) {
  const int64_t stride = batch->stride;
  const bool shifted = mlp->plan.count > mlp->plan.vector_count;
  if (shifted) mlp_shifts(mlp, batch);
  fetch_place ahead = {0, 0};
  for (int64_t j = 0; j < stride;) {
    const int64_t left = (stride - j) / LANES, groups = (left + MLP_BLOCKS - 1) / MLP_BLOCKS;
    const int64_t blocks = (left + groups - 1) / groups, end = j + blocks * LANES; /* 7: 4 and 3 */
    for (int64_t s = 0; s < batch->count; ++s) {
      const float *shift = shifted ? batch->shifts + s * mlp->forward_width : NULL;
      fetch_far(mlp, batch, &ahead);
      if (!any_left(batch->left + (s * stride + j) / LANES, blocks)) continue;
      switch (blocks) {
#if defined(__AVX512F__)
      case 4: mlp_block(4, mlp, batch, s, shift, j); break;
      case 3: mlp_block(3, mlp, batch, s, shift, j); break;
      case 2: mlp_block(2, mlp, batch, s, shift, j); break;
#endif
      default: mlp_block(1, mlp, batch, s, shift, j); break;
      }
    }
    j = end;
  }
}

/* Numbers in the gradient that one instance collects: by source (count,width), db1 (width),
 * dw2 (width), db2. */
static int64_t mlp_gradient_size(const feature_mlp *mlp) {
  return (mlp->plan.count + 2) * mlp->width + LANES;
}

/* One lane of hidden units over the listed candidates; all sums stay in registers when `count` is a
 * constant. Lanes run over the hidden units here: no sum across lanes is needed. */
INLINE void mlp_backward_lanes(int count, const feature_mlp *mlp, const feature_view *view,
                               const float *bias, const float *dscore, const int32_t *chosen,
                               int64_t chosen_count, int64_t k, float *total, float *gradient) {
  const int64_t width = mlp->width;
  float *dw2 = gradient + (mlp->plan.count + 1) * width;
  lanes weights[MAX_SOURCES], sums[MAX_SOURCES], db = lanes_all(0.0f), dw = db;
  for (int v = 0; v < count; ++v) {
    weights[v] = lanes_load(mlp->folded + v * width + k);
    sums[v] = lanes_all(0.0f);
  }
  const lanes from = lanes_load(bias + k), w2 = lanes_load(mlp->w2 + k);
  for (int64_t c = 0; c < chosen_count; ++c) {
    const int32_t j = chosen[c];
    lanes before = from;
    for (int v = 0; v < count; ++v) before += view->vectors[v][j] * weights[v];
    const lane_mask open = before > lanes_all(0.0f);
    const lanes upstream = lanes_keep(open, lanes_all(dscore[j])), g = upstream * w2;
    dw += upstream * before;
    db += g;
    for (int v = 0; v < count; ++v) sums[v] += view->vectors[v][j] * g;
  }
  for (int v = 0; v < count; ++v)
    lanes_store(gradient + v * width + k, lanes_load(gradient + v * width + k) + sums[v]);
  lanes_store(dw2 + k, lanes_load(dw2 + k) + dw);
  lanes_store(total + k, db);
}

/* Gradients of one rollout's step; dscore (n) is 0 for closed candidates, which are left out.
 * `chosen` (n) and `total` (width) are scratch. */
static void mlp_backward(const feature_mlp *mlp, const feature_view *view, const float *bias,
                         const float *dscore, int64_t n, int32_t *chosen, float *total,
                         float *gradient) {
  const int64_t width = mlp->width;
  const int count = mlp->plan.vector_count, sources = mlp->plan.count;
  float *db1 = gradient + sources * width, *db2 = db1 + 2 * width;
  int64_t found = 0;
  for (int64_t j = 0; j < n; ++j) {
    *db2 += dscore[j];
    chosen[found] = (int32_t)j;
    found += dscore[j] != 0.0f;
  }
#define UNITS(count)                                                                               \
  mlp_backward_lanes(count, mlp, view, bias, dscore, chosen, found, k, total, gradient)
  for (int64_t k = 0; k < width; k += LANES) switch (count) {
    case 3: UNITS(3); break;
    case 4: UNITS(4); break;
    case 5: UNITS(5); break;
    default: UNITS(count); break;
    }
#undef UNITS
  lanes_add_scaled(db1, 1.0f, total, width);
  for (int s = count; s < sources; ++s)
    lanes_add_scaled(gradient + s * width, view->scalars[s], total, width);
}
