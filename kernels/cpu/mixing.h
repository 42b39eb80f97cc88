/* The mixing MLP of mixed-score attention: of every pair's score, cost and reverse cost one number,
 * m = w2 . relu(w1^T [score, cost, reverse] + b1) + b2. It runs over tiles of whole lanes. */
#ifndef EDGEFW__CPU_MIXING_H
#define EDGEFW__CPU_MIXING_H

#include "internal.h"
#include "lanes.h"

/* One head's. */
typedef struct mixing {
  int64_t hidden;
  const float *w1, *b1, *w2, *b2; /* (3,hidden), (hidden), (hidden), one */
} mixing;

/* Registers of pairs forward, of hidden units backward, that go together: what both read is read
 * once. Fewer where there are 16 registers. */
#if defined(__AVX512F__)
enum { MIX_BLOCKS = 4, MIX_UNITS = 2 };
#else
enum { MIX_BLOCKS = 2, MIX_UNITS = 1 };
#endif
enum { MIX_CHUNK = 32 * LANES }; /* pairs whose things backward stay in the first cache */

/* Parameters of head number `head`. */
static mixing mixing_of(const edgefw_mixed_attention_args *args, int64_t head) {
  const int64_t hidden = args->hidden;
  return (mixing){.hidden = hidden,
                  .w1 = (const float *)args->w1 + head * 3 * hidden,
                  .b1 = (const float *)args->b1 + head * hidden,
                  .w2 = (const float *)args->w2 + head * hidden,
                  .b2 = (const float *)args->b2 + head};
}

/* Some registers of pairs. */
INLINE void mix_blocks(const mixing *mix, int blocks, const float *score, const float *cost,
                       const float *reverse, float *m) {
  const int64_t hidden = mix->hidden;
  lanes s[MIX_BLOCKS], c[MIX_BLOCKS], r[MIX_BLOCKS], out[MIX_BLOCKS];
  UNROLL for (int k = 0; k < blocks; ++k) {
    s[k] = lanes_load(score + k * LANES);
    c[k] = lanes_load(cost + k * LANES);
    r[k] = lanes_load(reverse + k * LANES);
    out[k] = lanes_all(mix->b2[0]);
  }
  for (int64_t u = 0; u < hidden; ++u) {
    const lanes ws = lanes_all(mix->w1[u]), wc = lanes_all(mix->w1[hidden + u]);
    const lanes wr = lanes_all(mix->w1[2 * hidden + u]), b = lanes_all(mix->b1[u]);
    const lanes w2 = lanes_all(mix->w2[u]);
    UNROLL for (int k = 0; k < blocks; ++k) out[k] +=
        w2 * lanes_relu(b + ws * s[k] + wc * c[k] + wr * r[k]);
  }
  UNROLL for (int k = 0; k < blocks; ++k) lanes_store(m + k * LANES, out[k]);
}

/* m (pairs), of whole lanes. */
static void mix_forward(const mixing *mix, const float *score, const float *cost,
                        const float *reverse, int64_t pairs, float *m) {
  int64_t e = 0;
  for (; e + MIX_BLOCKS * LANES <= pairs; e += MIX_BLOCKS * LANES)
    mix_blocks(mix, MIX_BLOCKS, score + e, cost + e, reverse + e, m + e);
  for (; e < pairs; e += LANES) mix_blocks(mix, 1, score + e, cost + e, reverse + e, m + e);
}

/* A unit's gradients are sums over the pairs at which it is open: of the upstream gradient, and of
 * it times each input. */
typedef struct mix_sums {
  lanes upstream, score, cost, reverse;
} mix_sums;

/* Some pairs, and their upstream gradient times each input. */
typedef struct mix_pairs {
  const float *score, *cost, *reverse, *upstream;
  float dscore[MIX_CHUNK]; /* becomes the gradient by the score over the upstream one */
  float of_score[MIX_CHUNK], of_cost[MIX_CHUNK], of_reverse[MIX_CHUNK];
} mix_pairs;

/* Some hidden units from number `first` on. */
INLINE void mix_units_backward(const mixing *mix, int units, int64_t first, int64_t pairs,
                               mix_pairs *at, mix_sums *sums) {
  const float *w1 = mix->w1 + first;
  mix_sums sum[MIX_UNITS];
  UNROLL for (int u = 0; u < units; ++u) sum[u] = sums[first + u];
  for (int64_t e = 0; e < pairs; e += LANES) {
    const lanes s = lanes_load(at->score + e), c = lanes_load(at->cost + e);
    const lanes r = lanes_load(at->reverse + e), upstream = lanes_load(at->upstream + e);
    const lanes of_s = lanes_load(at->of_score + e), of_c = lanes_load(at->of_cost + e);
    const lanes of_r = lanes_load(at->of_reverse + e);
    lanes ds = lanes_load(at->dscore + e);
    UNROLL for (int u = 0; u < units; ++u) {
      const lane_choice open =
          lanes_positive(lanes_all(mix->b1[first + u]) + w1[u] * s + w1[mix->hidden + u] * c +
                         w1[2 * mix->hidden + u] * r);
      sum[u].upstream = lanes_add_where(open, sum[u].upstream, upstream);
      sum[u].score = lanes_add_where(open, sum[u].score, of_s);
      sum[u].cost = lanes_add_where(open, sum[u].cost, of_c);
      sum[u].reverse = lanes_add_where(open, sum[u].reverse, of_r);
      ds = lanes_add_where(open, ds, lanes_all(w1[u] * mix->w2[first + u]));
    }
    lanes_store(at->dscore + e, ds);
  }
  UNROLL for (int u = 0; u < units; ++u) sums[first + u] = sum[u];
}

/* Backward over some pairs: `dscore` is written; `sums` (hidden) are added to. */
static void mix_backward(const mixing *mix, const float *score, const float *cost,
                         const float *reverse, const float *upstream, int64_t pairs, float *dscore,
                         mix_sums *sums) {
  mix_pairs at;
  for (int64_t begin = 0; begin < pairs; begin += MIX_CHUNK) {
    const int64_t count = pairs - begin < MIX_CHUNK ? pairs - begin : MIX_CHUNK;
    at.score = score + begin;
    at.cost = cost + begin;
    at.reverse = reverse + begin;
    at.upstream = upstream + begin;
    for (int64_t e = 0; e < count; e += LANES) {
      const lanes u = lanes_load(at.upstream + e);
      lanes_store(at.of_score + e, u * lanes_load(at.score + e));
      lanes_store(at.of_cost + e, u * lanes_load(at.cost + e));
      lanes_store(at.of_reverse + e, u * lanes_load(at.reverse + e));
      lanes_store(at.dscore + e, lanes_all(0.0f));
    }
    int64_t unit = 0;
    for (; unit + MIX_UNITS <= mix->hidden; unit += MIX_UNITS)
      mix_units_backward(mix, MIX_UNITS, unit, count, &at, sums);
    for (; unit < mix->hidden; ++unit) mix_units_backward(mix, 1, unit, count, &at, sums);
    for (int64_t e = 0; e < count; e += LANES)
      lanes_store(dscore + begin + e, lanes_load(at.dscore + e) * lanes_load(at.upstream + e));
  }
}

/* The gradients (5*hidden+1) that the sums stand for: dw1 (3,hidden), db1, dw2, db2, the last of
 * which is `total`. */
static void mix_gradients(const mixing *mix, const mix_sums *sums, float total, float *partial) {
  const int64_t hidden = mix->hidden;
  for (int64_t u = 0; u < hidden; ++u) {
    const float w2 = mix->w2[u], open = lanes_sum(sums[u].upstream);
    const float s = lanes_sum(sums[u].score), c = lanes_sum(sums[u].cost);
    const float r = lanes_sum(sums[u].reverse);
    partial[u] = w2 * s;
    partial[hidden + u] = w2 * c;
    partial[2 * hidden + u] = w2 * r;
    partial[3 * hidden + u] = w2 * open;
    partial[4 * hidden + u] =
        mix->b1[u] * open + mix->w1[u] * s + mix->w1[hidden + u] * c + mix->w1[2 * hidden + u] * r;
  }
  partial[5 * hidden] = total;
}

#endif
