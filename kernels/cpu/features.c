/* The feature MLP of the decoder. Declared look-ups are folded into SOURCES: a row of a table (or
 * of its transpose) that runs over the candidates, or one number that all candidates share. A pair
 * feature is one source, an antisymmetric one is two with opposite signs, and look-ups that occur
 * twice share a source; the first layer's weights are folded accordingly. */
#include "internal.h"
#include "lanes.h"

#define MAX_SOURCES (2 * EDGEFW_MAX_FEATURES)

typedef enum source_kind {
  SOURCE_ROW,        /* table[anchor][j] */
  SOURCE_COLUMN,     /* table[j][anchor]: a row of the transpose */
  SOURCE_NODES,      /* table[j] */
  SOURCE_REMAINING,  /* minimum over the remaining nodes (remaining.c) */
  SOURCE_PAIR_VALUE, /* table[anchor][other] */
  SOURCE_NODE_VALUE, /* table[anchor] */
  SOURCE_STATE       /* a state scalar */
} source_kind;

typedef struct feature_source {
  source_kind kind;
  int table;
  edgefw_at anchor, other;
  edgefw_state state;
  bool out; /* REMAINING: arcs out of the candidate, not into it */
  int slot; /* REMAINING: its number among those */
} feature_source;

typedef struct source_use {
  int source;
  float sign;
} source_use;

/* Sources in order: vectors that change from step to step, vectors that are the same at all steps,
 * numbers. */
typedef struct feature_plan {
  int moving_count; /* of the first kind */
  int vector_count; /* ... and of the second */
  int count;
  feature_source sources[MAX_SOURCES];
  source_use uses[EDGEFW_MAX_FEATURES][2]; /* of a feature; sign 0: unused */
  bool transposed[EDGEFW_MAX_TABLES];      /* a transposed copy is needed */
  int remaining_count;
  int remaining[EDGEFW_MAX_FEATURES]; /* sources of kind REMAINING, by slot */
} feature_plan;

typedef enum source_class { MOVING_VECTOR, NODE_VECTOR, NUMBER } source_class;

/* What is read at the closing node does not move where that is the depot. */
static source_class class_of(const feature_source *source, edgefw_closing_rule closing) {
  switch (source->kind) {
  case SOURCE_NODES: return NODE_VECTOR;
  case SOURCE_REMAINING: return MOVING_VECTOR;
  case SOURCE_ROW:
  case SOURCE_COLUMN:
    return source->anchor == EDGEFW_CLOSING && closing == EDGEFW_CLOSE_AT_DEPOT ? NODE_VECTOR
                                                                                : MOVING_VECTOR;
  case SOURCE_PAIR_VALUE:
  case SOURCE_NODE_VALUE:
  case SOURCE_STATE: break;
  }
  return NUMBER;
}

static feature_source pair_source(const edgefw_feature *feature, bool reverse) {
  const edgefw_at row = reverse ? feature->column : feature->row;
  const edgefw_at column = reverse ? feature->row : feature->column;
  feature_source source = {.table = feature->table, .anchor = row, .other = column};
  if (column == EDGEFW_CANDIDATE) {
    source.kind = SOURCE_ROW;
  } else if (row == EDGEFW_CANDIDATE) {
    source.kind = SOURCE_COLUMN;
    source.anchor = column;
    source.other = row;
  } else {
    source.kind = SOURCE_PAIR_VALUE;
  }
  return source;
}

static feature_source source_of(const edgefw_feature *feature, bool reverse) {
  switch (feature->kind) {
  case EDGEFW_FEATURE_PAIR:
  case EDGEFW_FEATURE_ANTISYMMETRIC: return pair_source(feature, reverse);
  case EDGEFW_FEATURE_NODE: {
    const bool vector = feature->row == EDGEFW_CANDIDATE;
    return (feature_source){.kind = vector ? SOURCE_NODES : SOURCE_NODE_VALUE,
                            .table = feature->table,
                            .anchor = feature->row};
  }
  case EDGEFW_FEATURE_REMAINING_MIN:
    return (feature_source){
        .kind = SOURCE_REMAINING, .table = feature->table, .out = feature->row == EDGEFW_CANDIDATE};
  case EDGEFW_FEATURE_STATE: break;
  }
  return (feature_source){.kind = SOURCE_STATE, .state = feature->state};
}

static bool same_source(const feature_source *a, const feature_source *b) {
  return a->kind == b->kind && a->table == b->table && a->anchor == b->anchor &&
         a->other == b->other && a->state == b->state && a->out == b->out;
}

static int find_or_add(feature_plan *plan, const feature_source *source) {
  for (int s = 0; s < plan->count; ++s)
    if (same_source(&plan->sources[s], source)) return s;
  plan->sources[plan->count] = *source;
  return plan->count++;
}

/* Enter the sources of one class of all features. */
static void collect(feature_plan *plan, const edgefw_decode_plan *decode, source_class wanted) {
  for (int f = 0; f < decode->feature_count; ++f) {
    const int parts = decode->features[f].kind == EDGEFW_FEATURE_ANTISYMMETRIC ? 2 : 1;
    for (int part = 0; part < parts; ++part) {
      const feature_source source = source_of(&decode->features[f], part == 1);
      if (class_of(&source, decode->closing) != wanted) continue;
      plan->uses[f][part] =
          (source_use){.source = find_or_add(plan, &source), .sign = part ? -1.0f : 1.0f};
      if (source.kind == SOURCE_COLUMN || source.kind == SOURCE_REMAINING)
        plan->transposed[source.table] = true;
    }
  }
}

static void plan_features(const edgefw_decode_plan *decode, feature_plan *plan) {
  memset(plan, 0, sizeof *plan);
  collect(plan, decode, MOVING_VECTOR);
  plan->moving_count = plan->count;
  collect(plan, decode, NODE_VECTOR);
  plan->vector_count = plan->count;
  for (int s = 0; s < plan->count; ++s) {
    if (plan->sources[s].kind != SOURCE_REMAINING) continue;
    plan->sources[s].slot = plan->remaining_count;
    plan->remaining[plan->remaining_count++] = s;
  }
  collect(plan, decode, NUMBER);
}

/* The MLP with its first layer folded; rows are padded to whole lanes with zeros. */
typedef struct feature_mlp {
  feature_plan plan;
  int64_t hidden, width; /* width: hidden, padded */
  float *folded;         /* (sources, width) */
  float *forward,
      *forward_b1;  /* the same with the second layer absorbed, (sources,width), (width) */
  int64_t positive; /* hidden units with a positive sign there; they come first */
  float *b1, *w2;   /* (width) */
  float b2;
} feature_mlp;

/* First-layer weights by source, from w1 (hidden, features). `mlp->folded`, `b1` and `w2` point to
 * memory already. */
static void fold_weights(const edgefw_decode_args *args, feature_mlp *mlp) {
  const edgefw_decode_plan *decode = args->plan;
  const float *w1 = args->w1;
  const int64_t features = decode->feature_count;
  memset(mlp->folded, 0, (size_t)(mlp->plan.count * mlp->width) * sizeof *mlp->folded);
  memset(mlp->b1, 0, (size_t)mlp->width * sizeof *mlp->b1);
  memset(mlp->w2, 0, (size_t)mlp->width * sizeof *mlp->w2);
  memcpy(mlp->b1, args->b1, (size_t)mlp->hidden * sizeof *mlp->b1);
  memcpy(mlp->w2, args->w2, (size_t)mlp->hidden * sizeof *mlp->w2);
  mlp->b2 = *(const float *)args->b2;
  for (int64_t f = 0; f < features; ++f)
    for (int part = 0; part < 2; ++part) {
      const source_use use = mlp->plan.uses[f][part];
      for (int64_t k = 0; k < mlp->hidden; ++k)
        mlp->folded[use.source * mlp->width + k] += use.sign * w1[k * features + f];
    }
}

/* For the forward pass: w2 relu(x) = +-relu(|w2| x), so the second layer goes into the first and
 * only signs are left, the positive ones first. Its additions need no multiplier. */
static void absorb_second_layer(feature_mlp *mlp) {
  int64_t to = 0;
  for (int negative = 0; negative < 2; ++negative) {
    for (int64_t k = 0; k < mlp->hidden; ++k) {
      if ((mlp->w2[k] < 0.0f) != (negative == 1)) continue;
      const float scale = negative ? -mlp->w2[k] : mlp->w2[k];
      for (int s = 0; s < mlp->plan.count; ++s)
        mlp->forward[s * mlp->width + to] = scale * mlp->folded[s * mlp->width + k];
      mlp->forward_b1[to++] = scale * mlp->b1[k];
    }
    if (!negative) mlp->positive = to;
  }
}

/* ... and back: dw1 += the gradient by source. */
static void unfold_gradient(const feature_mlp *mlp, const edgefw_decode_plan *decode,
                            const float *folded, float *dw1) {
  for (int f = 0; f < decode->feature_count; ++f)
    for (int part = 0; part < 2; ++part) {
      const source_use use = mlp->plan.uses[f][part];
      for (int64_t k = 0; k < mlp->hidden; ++k)
        dw1[k * decode->feature_count + f] += use.sign * folded[use.source * mlp->width + k];
    }
}

/* One instance's tables and where the rollout stands. */
typedef struct feature_tables {
  const float *table[EDGEFW_MAX_TABLES];
  const float *transposed[EDGEFW_MAX_TABLES];
} feature_tables;

/* Where a rollout stands. */
typedef struct feature_place {
  int32_t current, closing;
  float progress;
  const float *minima; /* of slot 0 for this step; NULL when no remaining node is left */
  int64_t slot_stride; /* from one slot's minima to the next's */
} feature_place;

typedef struct feature_view {
  const float *vectors[MAX_SOURCES]; /* n numbers each */
  float scalars[MAX_SOURCES];        /* from index vector_count on */
} feature_view;

/* The minima over the remaining nodes; with none, the arc that is left stands in. */
static const float *remaining_vector(const feature_source *source, const feature_tables *tables,
                                     int64_t n, const feature_place *place) {
  if (place->minima) return place->minima + source->slot * place->slot_stride;
  return source->out ? tables->transposed[source->table] + place->closing * n
                     : tables->table[source->table] + place->current * n;
}

static void view_features(const feature_plan *plan, const feature_tables *tables, int64_t n,
                          const feature_place *place, feature_view *view) {
  for (int s = 0; s < plan->count; ++s) {
    const feature_source *source = &plan->sources[s];
    const int64_t anchor = source->anchor == EDGEFW_CURRENT ? place->current : place->closing;
    const int64_t other = source->other == EDGEFW_CURRENT ? place->current : place->closing;
    const float *table = tables->table[source->table];
    switch (source->kind) {
    case SOURCE_ROW: view->vectors[s] = table + anchor * n; break;
    case SOURCE_COLUMN: view->vectors[s] = tables->transposed[source->table] + anchor * n; break;
    case SOURCE_NODES: view->vectors[s] = table; break;
    case SOURCE_REMAINING: view->vectors[s] = remaining_vector(source, tables, n, place); break;
    case SOURCE_PAIR_VALUE: view->scalars[s] = table[anchor * n + other]; break;
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

/* What the first layer adds up to before the moving vectors: base (hidden,stride) = b1 and the
 * vectors that are the same for all rollouts and steps of an instance. */
static void mlp_base(const feature_mlp *mlp, const feature_tables *tables, int64_t n,
                     int64_t stride, float *base) {
  const feature_plan *plan = &mlp->plan;
  const feature_place place = {.current = 0, .closing = 0};
  feature_view view;
  view_features(plan, tables, n, &place, &view);
  for (int64_t k = 0; k < mlp->hidden; ++k) {
    float *row = base + k * stride;
    for (int64_t j = 0; j < stride; ++j) row[j] = mlp->forward_b1[k];
    for (int s = plan->moving_count; s < plan->vector_count; ++s)
      lanes_add_scaled(row, mlp->forward[s * mlp->width + k], view.vectors[s], n);
  }
}

/* Most lanes of candidates at a time: their vectors and sums stay in the registers. */
#if defined(__AVX512F__)
enum { MLP_BLOCKS = 4 };
#else
enum { MLP_BLOCKS = 1 };
#endif

/* Sum of relu over hidden units first .. last - 1, for `blocks` times sixteen candidates from
 * `count` moving vectors; constants where it matters. `shift` (hidden): what the numbers add, NULL
 * for none. */
INLINE void mlp_units(int count, int blocks, const feature_mlp *mlp, lanes x[][MLP_BLOCKS],
                      const float *base, int64_t stride, const float *shift, int64_t first,
                      int64_t last, lanes out[MLP_BLOCKS]) {
  const float *weights = mlp->forward;
  for (int64_t k = first; k < last; ++k)
    for (int q = 0; q < blocks; ++q) {
      lanes before = lanes_load(base + k * stride + q * LANES);
      if (shift) before += lanes_all(shift[k]);
      for (int v = 0; v < count; ++v) before += weights[v * mlp->width + k] * x[v][q];
      out[q] += lanes_relu(before);
    }
}

/* Their scores, added to out. */
INLINE void mlp_lanes(int count, int blocks, const feature_mlp *mlp, lanes x[][MLP_BLOCKS],
                      const float *base, int64_t stride, const float *shift,
                      lanes out[MLP_BLOCKS]) {
  lanes negative[MLP_BLOCKS];
  for (int q = 0; q < blocks; ++q) negative[q] = lanes_all(0.0f);
  mlp_units(count, blocks, mlp, x, base, stride, shift, 0, mlp->positive, out);
  mlp_units(count, blocks, mlp, x, base, stride, shift, mlp->positive, mlp->hidden, negative);
  for (int q = 0; q < blocks; ++q) out[q] -= negative[q];
}

INLINE void mlp_block(int blocks, const feature_mlp *mlp, const feature_view *view,
                      const float *base, int64_t stride, const float *shift, int64_t j, int64_t n,
                      float *score) {
  lanes x[MAX_SOURCES][MLP_BLOCKS], out[MLP_BLOCKS];
  const int count = mlp->plan.moving_count;
  for (int q = 0; q < blocks; ++q) out[q] = lanes_all(mlp->b2);
  for (int v = 0; v < count; ++v)
    for (int q = 0; q < blocks; ++q) {
      const float *from = view->vectors[v] + j + q * LANES;
      const int64_t left = n - j - q * LANES;
      x[v][q] = left >= LANES ? lanes_load(from) : lanes_load_some(from, left);
    }
  if (shift) {
    mlp_lanes(count, blocks, mlp, x, base + j, stride, shift, out);
  } else {
    switch (count) {
    case 0: mlp_lanes(0, blocks, mlp, x, base + j, stride, NULL, out); break;
    case 1: mlp_lanes(1, blocks, mlp, x, base + j, stride, NULL, out); break;
    case 2: mlp_lanes(2, blocks, mlp, x, base + j, stride, NULL, out); break;
    case 3: mlp_lanes(3, blocks, mlp, x, base + j, stride, NULL, out); break;
    case 5: mlp_lanes(5, blocks, mlp, x, base + j, stride, NULL, out); break;
    default: mlp_lanes(count, blocks, mlp, x, base + j, stride, NULL, out); break;
    }
  }
  for (int q = 0; q < blocks; ++q)
    lanes_store(score + j + q * LANES, lanes_load(score + j + q * LANES) + out[q]);
}

static bool any_open(const int32_t *open, int64_t count) {
  int32_t any = 0;
  for (int64_t j = 0; j < count; ++j) any |= open[j];
  return any != 0;
}

enum { FETCH_NODES = 256 }; /* tables of fewer nodes are in a near cache anyway */

/* Fetch what the next rollouts read of a block: rows of large tables come from far away, each from
 * a page of its own. */
static void fetch_ahead(const feature_mlp *mlp, const feature_view *view, int64_t j, int64_t end) {
  for (int v = 0; v < mlp->plan.moving_count; ++v)
    for (int64_t at = j; at < end; at += LANES) __builtin_prefetch(view->vectors[v] + at, 0, 2);
}

/* score_j += b2 + w2 . relu(W phi(j) + b1) for the n candidates of `count` rollouts, but for blocks
 * in which none is open. Rows of open and score are `stride` long. Rollouts are the inner loop:
 * they share a block's part of `base` (that of mlp_base). `next`: views of the call that follows.
 * `shifts` (count,width) is scratch. */
static void mlp_forward(const feature_mlp *mlp, const feature_view *views, int64_t count,
                        const feature_view *next, int64_t next_count, const float *base,
                        const int32_t *open, int64_t stride, int64_t n, float *shifts,
                        float *score) {
  const bool shifted = mlp->plan.count > mlp->plan.vector_count;
  if (shifted) memset(shifts, 0, (size_t)(count * mlp->width) * sizeof *shifts);
  for (int source = mlp->plan.vector_count; source < mlp->plan.count; ++source)
    for (int64_t s = 0; s < count; ++s)
      lanes_add_scaled(shifts + s * mlp->width, views[s].scalars[source],
                       mlp->forward + source * mlp->width, mlp->width);
  for (int64_t j = 0; j < stride;) {
    const int64_t left = (stride - j) / LANES, groups = (left + MLP_BLOCKS - 1) / MLP_BLOCKS;
    const int64_t blocks = (left + groups - 1) / groups; /* 7 lanes: 4 and 3 */
    for (int64_t s = 0; s < count; ++s) {
      const float *shift = shifted ? shifts + s * mlp->width : NULL;
      float *row = score + s * stride;
      if (n >= FETCH_NODES && s < next_count) fetch_ahead(mlp, &next[s], j, j + blocks * LANES);
      if (!any_open(open + s * stride + j, blocks * LANES)) continue;
      switch (blocks) {
#if defined(__AVX512F__)
      case 4: mlp_block(4, mlp, &views[s], base, stride, shift, j, n, row); break;
      case 3: mlp_block(3, mlp, &views[s], base, stride, shift, j, n, row); break;
      case 2: mlp_block(2, mlp, &views[s], base, stride, shift, j, n, row); break;
#endif
      default: mlp_block(1, mlp, &views[s], base, stride, shift, j, n, row); break;
      }
    }
    j += blocks * LANES;
  }
}

/* Numbers in the gradient that one instance collects: by source (count,width), db1 (width),
 * dw2 (width), db2. */
static int64_t mlp_gradient_size(const feature_mlp *mlp) {
  return (mlp->plan.count + 2) * mlp->width + LANES;
}

/* Sixteen hidden units over the listed candidates; all sums stay in registers when `count` is a
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
  for (int64_t k = 0; k < width; k += LANES) switch (count) {
    case 3:
      mlp_backward_lanes(3, mlp, view, bias, dscore, chosen, found, k, total, gradient);
      break;
    case 4:
      mlp_backward_lanes(4, mlp, view, bias, dscore, chosen, found, k, total, gradient);
      break;
    case 5:
      mlp_backward_lanes(5, mlp, view, bias, dscore, chosen, found, k, total, gradient);
      break;
    default:
      mlp_backward_lanes(count, mlp, view, bias, dscore, chosen, found, k, total, gradient);
      break;
    }
  lanes_add_scaled(db1, 1.0f, total, width);
  for (int s = count; s < sources; ++s)
    lanes_add_scaled(gradient + s * width, view->scalars[s], total, width);
}
