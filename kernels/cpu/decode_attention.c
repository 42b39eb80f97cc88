/* The decoder's attention, by look-up as a rule. A query is a sum of rows (of the last node, of the
 * first node, and a resource's share times a vector), and so are its scores. Those of each row are
 * made once per instance, when a rollout first needs them: a step multiplies no query with the
 * keys. Where a row spreads little, its powers of 2 are kept in place of its scores. Then the
 * weights of candidates are products, and the step takes no exponential either. A row's form
 * depends on the row alone, so results do not depend on which rollouts ask for it. */
#include "decode_attention.h"
#include "decode_bf16.h"

/* The rows (n,d) of queries that a table's scores belong to. */
static const float *table_queries(const decode_task *task, int table) {
  const edgefw_pointer *pointer = &task->args->weights.pointer;
  return instance_rows(task, table == SCORES_OF_LAST ? pointer->q_last : pointer->q_first);
}

/* Smallest and largest of the first n entries of x. */
static score_range range_of(const float *x, int64_t n) {
  const lanes none = lanes_all(-INFINITY);
  lanes below = none, above = none; /* the largest of -x and of x */
  for (int64_t j = 0; j < n; j += LANES) {
    const lane_mask inside = lanes_first(n - j);
    below = lanes_max(lanes_select(inside, -lanes_load(x + j), none), below);
    above = lanes_max(lanes_select(inside, lanes_load(x + j), none), above);
  }
  return (score_range){-lanes_greatest(below), lanes_greatest(above)};
}

/* Enter the scores x (stride) of one head as the row of a node. */
static void enter_scores(const decode_task *task, int table, int64_t node, int64_t h,
                         const float *x) {
  float *row = score_row(task, task->at.scores[table].rows, node, h);
  const score_range range = range_of(x, task->n);
  const bool powers = range.most - range.least <= MOST_SPREAD;
  task->at.scores[table].form[node * task->heads + h] = powers ? SCORES_AS_POWERS : SCORES_AS_SUMS;
  if (!powers) {
    memcpy(row, x, (size_t)task->stride * sizeof *row);
    return;
  }
  for (int64_t j = 0; j < task->stride; j += LANES)
    lanes_store(row + j, lanes_exp2(lanes_load(x + j) - lanes_all(range.most)));
}

/* Scores of head h, (count,stride), of some rows of queries. */
static void multiply_queries(const decode_task *task, const float *queries, int64_t h,
                             int64_t count, float *out) {
  const int64_t width = task->width, stride = task->stride;
  if (rounds(task))
    rounded_scores(task, queries, h, count, out);
  else
    wide_product(count, stride, width, queries + h * width, task->d,
                 task->at.packed_keys + h * width * stride, stride, false, out, stride);
}

/* Make the rows of some nodes, at most DECODE_BLOCK of them. */
static void make_scores(const decode_task *task, int table, const int32_t *nodes, int64_t count) {
  const int64_t d = task->d, stride = task->stride;
  const float *queries = table_queries(task, table);
  for (int64_t i = 0; i < count; ++i)
    memcpy(task->at.query + i * d, queries + nodes[i] * d, (size_t)d * sizeof(float));
  for (int64_t h = 0; h < task->heads; ++h) {
    multiply_queries(task, task->at.query, h, count, task->at.attention);
    for (int64_t i = 0; i < count; ++i)
      enter_scores(task, table, nodes[i], h, task->at.attention + i * stride);
  }
}

/* Make the rows that the rollouts of a step need and no one has needed before. */
static void make_missing_scores(const decode_task *task, int table) {
  int32_t nodes[DECODE_BLOCK];
  int64_t count = 0;
  uint8_t *form = task->at.scores[table].form;
  if (!form) return;
  for (int64_t k = 0; k < task->live; ++k) {
    const int32_t node = table == SCORES_OF_LAST ? current_node(task, k) : slot_tour(task, k)[0];
    if (form[node * task->heads] != SCORES_UNKNOWN) continue;
    /* No other rollout of this step is to ask for it again. */
    form[node * task->heads] = SCORES_AS_SUMS;
    nodes[count++] = node;
    if (count < DECODE_BLOCK) continue;
    make_scores(task, table, nodes, count);
    count = 0;
  }
  if (count > 0) make_scores(task, table, nodes, count);
}

/* Scores of the vectors that shares of resources are multiplied with. */
static void make_left_scores(const decode_task *task) {
  for (int64_t h = 0; h < task->heads; ++h)
    for (int r = 0; r < task->resources; ++r) {
      float *row = score_row(task, task->at.left_scores, r, h);
      multiply_queries(task, task->job->w_left + r * task->d, h, 1, row);
      task->at.left_range[r * task->heads + h] = range_of(row, task->n);
    }
}

/* Before an instance's first step: no row is made yet but those of resources. */
static void begin_scores(const decode_task *task) {
  if (!looks_up(task->args)) return;
  for (int t = 0; t < SCORE_TABLES; ++t)
    if (task->at.scores[t].form)
      memset(task->at.scores[t].form, SCORES_UNKNOWN, (size_t)(task->n * task->heads));
  for (int64_t i = 0; i < task->resources * SHARE_ROWS * task->heads; ++i)
    task->at.share_of[i] = NAN;
  make_left_scores(task);
}

/* What the weights of a rollout and head are made of: products of powers of 2, times 2 to the power
 * of a sum. */
enum { MOST_PARTS = SCORE_TABLES + EDGEFW_MAX_RESOURCES };
typedef struct score_parts {
  int powers, sums;
  const float *power[MOST_PARTS], *sum[MOST_PARTS];
  float factor[MOST_PARTS]; /* that a row of `sum` is multiplied with */
} score_parts;

static inline void take_row(const decode_task *task, int table, int64_t node, int64_t h,
                            score_parts *parts) {
  const score_table *from = &task->at.scores[table];
  if (!from->form) return;
  const float *row = score_row(task, from->rows, node, h);
  if (from->form[node * task->heads + h] == SCORES_AS_POWERS) {
    parts->power[parts->powers++] = row;
  } else {
    parts->factor[parts->sums] = 1.0f;
    parts->sum[parts->sums++] = row;
  }
}

/* 2 to the power of share times the scores of w_left, the largest 1. Most shares come again and
 * again, as demands are often whole numbers: some rows are kept. */
static const float *share_powers(const decode_task *task, int resource, int64_t h, float share,
                                 float largest) {
  uint32_t bits;
  memcpy(&bits, &share, sizeof bits);
  const int64_t place = resource * SHARE_ROWS + (bits * 2654435761u >> 16) % SHARE_ROWS;
  float *row = score_row(task, task->at.share_powers, place, h);
  if (task->at.share_of[place * task->heads + h] == share) return row;
  const float *scores = score_row(task, task->at.left_scores, resource, h);
  for (int64_t j = 0; j < task->stride; j += LANES)
    lanes_store(row + j,
                lanes_exp2(lanes_all(share) * lanes_load(scores + j) - lanes_all(largest)));
  task->at.share_of[place * task->heads + h] = share;
  return row;
}

static inline void take_share(const decode_task *task, int resource, int64_t h, float share,
                              score_parts *parts) {
  const score_range range = task->at.left_range[resource * task->heads + h];
  const float a = share * range.least, b = share * range.most;
  if (fabsf(b - a) <= MOST_SPREAD) {
    parts->power[parts->powers++] = share_powers(task, resource, h, share, a < b ? b : a);
  } else {
    parts->factor[parts->sums] = share;
    parts->sum[parts->sums++] = score_row(task, task->at.left_scores, resource, h);
  }
}

/* Weights from `count` rows of powers alone. */
INLINE float weigh_powers(int count, const float *const *power, const lane_bits *open, float *out,
                          int64_t stride) {
  lanes total = lanes_all(0.0f);
  for (int64_t j = 0; j < stride; j += LANES) {
    lanes e = lanes_load(power[0] + j);
    for (int p = 1; p < count; ++p) e *= lanes_load(power[p] + j);
    e = lanes_keep_bits(open[j / LANES], e);
    total += e;
    lanes_store(out + j, e);
  }
  return lanes_sum(total);
}

/* The sum of what is not kept as powers, into `out`; returns the largest open entry. */
static float add_sums(const score_parts *parts, const lane_bits *open, float *out, int64_t stride) {
  const lanes none = lanes_all(-INFINITY);
  lanes most = none;
  for (int64_t j = 0; j < stride; j += LANES) {
    lanes x = lanes_all(0.0f);
    for (int s = 0; s < parts->sums; ++s)
      x += lanes_all(parts->factor[s]) * lanes_load(parts->sum[s] + j);
    most = lanes_max(lanes_select(lanes_mask(open[j / LANES]), x, none), most);
    lanes_store(out + j, x);
  }
  return lanes_greatest(most);
}

/* Weights where an exponential is needed, whose largest argument is 0. */
static float weigh_sums(const score_parts *parts, const lane_bits *open, float *out,
                        int64_t stride) {
  const lanes largest = lanes_all(add_sums(parts, open, out, stride));
  lanes total = lanes_all(0.0f);
  for (int64_t j = 0; j < stride; j += LANES) {
    lanes e = lanes_exp2(lanes_load(out + j) - largest);
    for (int p = 0; p < parts->powers; ++p) e *= lanes_load(parts->power[p] + j);
    e = lanes_keep_bits(open[j / LANES], e);
    total += e;
    lanes_store(out + j, e);
  }
  return lanes_sum(total);
}

/* Weights of a row's candidates in head h, up to a factor; closed ones become exactly 0. Returns
 * their sum. */
INLINE float weigh_candidates(const decode_task *task, int64_t row, int64_t h, float *out) {
  const decode_row at = task->at.row[row];
  const int32_t *tour = task->tours + at.rollout * task->steps;
  const lane_bits *open = task->at.open_bits + row * (task->stride / LANES);
  score_parts parts;
  parts.powers = parts.sums = 0;
  take_row(task, SCORES_OF_LAST, tour[at.step - 1], h, &parts);
  take_row(task, SCORES_OF_FIRST, tour[0], h, &parts);
  for (int r = 0; r < task->resources; ++r)
    take_share(task, r, h, task->at.left_share[row * task->resources + r], &parts);
  if (parts.sums > 0) return weigh_sums(&parts, open, out, task->stride);
  switch (parts.powers) {
  case 1: return weigh_powers(1, parts.power, open, out, task->stride);
  case 2: return weigh_powers(2, parts.power, open, out, task->stride);
  default: return weigh_powers(parts.powers, parts.power, open, out, task->stride);
  }
}

/* --- By products, where tables would be too large --- */

/* Queries of `count` rollouts from slot `first` on, whole. */
static void gather_queries(const decode_task *task, int64_t first, int64_t count) {
  const int64_t d = task->d;
  for (int64_t s = 0; s < count; ++s) {
    float *query = task->at.query + s * d;
    const float *share = task->at.left_share + (task->row + first + s) * task->resources;
    memcpy(query, table_queries(task, SCORES_OF_LAST) + current_node(task, first + s) * d,
           (size_t)d * sizeof *query);
    if (knows_first(task->args))
      lanes_add_scaled(query, 1.0f,
                       table_queries(task, SCORES_OF_FIRST) + slot_tour(task, first + s)[0] * d, d);
    for (int r = 0; r < task->resources; ++r)
      lanes_add_scaled(query, share[r], task->job->w_left + r * d, d);
  }
}

/* Weights of `count` rows from `row` on in head h, from their queries; as weigh_candidates. */
static void weigh_queries(const decode_task *task, int64_t row, int64_t count, int64_t h,
                          float *inverse) {
  const int64_t stride = task->stride;
  float *weights = task->at.attention;
  multiply_queries(task, task->at.query, h, count, weights);
  for (int64_t s = 0; s < count; ++s) {
    float *scores = weights + s * stride;
    const score_parts parts = {.sums = 1, .sum = {scores}, .factor = {1.0f}};
    inverse[s] = 1.0f / weigh_sums(&parts, task->at.open_bits + (row + s) * (stride / LANES),
                                   scores, stride);
  }
}

/* --- Contexts --- */

/* Weights of a block of rollouts that are looked up, each rounded while it is near. */
static void weigh_rounded(const decode_task *task, int64_t first, int64_t count, int64_t h,
                          float *inverse) {
  float *row = task->at.attention;
  for (int64_t s = 0; s < count; ++s) {
    inverse[s] = 1.0f / weigh_candidates(task, task->row + first + s, h, row);
    round_weights(task, s, row);
  }
}

static void weigh_block(const decode_task *task, int64_t first, int64_t count, int64_t h,
                        float *inverse) {
  float *weights = task->at.attention;
  if (!looks_up(task->args))
    weigh_queries(task, task->row + first, count, h, inverse);
  else if (rounds(task))
    weigh_rounded(task, first, count, h, inverse);
  else
    for (int64_t s = 0; s < count; ++s)
      inverse[s] =
          1.0f / weigh_candidates(task, task->row + first + s, h, weights + s * task->stride);
}

/* One head for a block of rollouts: weights and context, while the weights are in the cache. */
static void attend_block(const decode_task *task, int64_t h, int64_t first, int64_t count,
                         float *context) {
  const int64_t n = task->n, d = task->d, width = task->width, stride = task->stride;
  const int64_t padded = lanes_padded(width);
  float inverse[ROUNDED_BLOCK], *weights = task->at.attention, *out = task->at.head_context;
  weigh_block(task, first, count, h, inverse);
  if (rounds(task) && !looks_up(task->args))
    bf16_pack(BF16_LEFT, BF16_INNER_LAST, weights, stride, 1.0f, count, n, task->at.rounded.rows);
  if (rounds(task))
    rounded_contexts(task, h, count, out, padded);
  else
    narrow_product(count, padded, n, weights, stride, task->at.packed_values + h * n * padded,
                   padded, out, padded);
  for (int64_t s = 0; s < count; ++s)
    for (int64_t c = 0; c < width; ++c)
      context[(first + s) * d + h * width + c] = inverse[s] * out[s * padded + c];
}

/* context = softmax over open of query . keys / sqrt(d_h), times values. */
static void attend(const decode_task *task, float *context) {
  for (int t = 0; t < SCORE_TABLES; ++t) make_missing_scores(task, t);
  const int64_t block = forward_block(task->job->device);
  for (int64_t first = 0; first < task->live; first += block) {
    const int64_t left = task->live - first, count = left < block ? left : block;
    if (!looks_up(task->args)) gather_queries(task, first, count);
    for (int64_t h = 0; h < task->heads; ++h) attend_block(task, h, first, count, context);
  }
}
