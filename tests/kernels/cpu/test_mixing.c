/* kernels/cpu/mixing.h: the mixing MLP and its gradients against plain loops, for numbers of pairs
 * and hidden units around the blocks that it works on. */
#include "support/test.h"

#include "cpu/mixing.h"
#include "support/check.h"

enum { MOST_HIDDEN = 5, MOST_PAIRS = 2 * MIX_CHUNK + 3 * LANES };

static struct {
  float score[MOST_PAIRS], cost[MOST_PAIRS], reverse[MOST_PAIRS], upstream[MOST_PAIRS];
  float w1[3 * MOST_HIDDEN], b1[MOST_HIDDEN], w2[MOST_HIDDEN];
  float m[MOST_PAIRS], dscore[MOST_PAIRS];
  mix_sums sums[MOST_HIDDEN];
} f;

/* Multiples of 1/8 within 2, so that sums are exact and zero is met. */
static void fill(float *x, int64_t count, uint32_t seed) {
  for (int64_t i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    x[i] = 0.125f * (float)((int)(seed >> 27) - 16);
  }
}

static double before(const mixing *mix, int64_t u, int64_t e) {
  const int64_t hidden = mix->hidden;
  return (double)mix->b1[u] + (double)mix->w1[u] * (double)f.score[e] +
         (double)mix->w1[hidden + u] * (double)f.cost[e] +
         (double)mix->w1[2 * hidden + u] * (double)f.reverse[e];
}

static void check_forward(const mixing *mix, int64_t pairs) {
  mix_forward(mix, f.score, f.cost, f.reverse, pairs, f.m);
  for (int64_t e = 0; e < pairs; ++e) {
    double m = (double)mix->b2[0];
    for (int64_t u = 0; u < mix->hidden; ++u)
      m += (double)mix->w2[u] * (before(mix, u, e) > 0.0 ? before(mix, u, e) : 0.0);
    check_close((double)f.m[e], m, 0.0, 0.0, "mixed score");
  }
}

static void check_backward(const mixing *mix, int64_t pairs) {
  const int64_t hidden = mix->hidden;
  float partial[5 * MOST_HIDDEN + 1];
  memset(f.sums, 0, sizeof f.sums);
  mix_backward(mix, f.score, f.cost, f.reverse, f.upstream, pairs, f.dscore, f.sums);
  mix_gradients(mix, f.sums, 7.0f, partial);
  for (int64_t u = 0; u < hidden; ++u) {
    double expected[5] = {0};
    for (int64_t e = 0; e < pairs; ++e) {
      if (!(before(mix, u, e) > 0.0)) continue;
      const double g = (double)f.upstream[e] * (double)mix->w2[u];
      expected[0] += g * (double)f.score[e];
      expected[1] += g * (double)f.cost[e];
      expected[2] += g * (double)f.reverse[e];
      expected[3] += g;
      expected[4] += (double)f.upstream[e] * before(mix, u, e);
    }
    for (int part = 0; part < 5; ++part)
      check_close((double)partial[part * hidden + u], expected[part], 1e-3, 1e-5, "parameters");
  }
  check_close((double)partial[5 * hidden], 7.0, 0.0, 0.0, "bias");
  for (int64_t e = 0; e < pairs; ++e) {
    double ds = 0.0;
    for (int64_t u = 0; u < hidden; ++u)
      if (before(mix, u, e) > 0.0)
        ds += (double)f.upstream[e] * (double)mix->w2[u] * (double)mix->w1[u];
    check_close((double)f.dscore[e], ds, 0.0, 0.0, "score");
  }
}

static void forward_and_backward(void **state) {
  (void)state;
  const int64_t pairs[] = {LANES, 5 * LANES, MIX_CHUNK, MIX_CHUNK + LANES, MOST_PAIRS};
  fill(f.score, MOST_PAIRS, 1);
  fill(f.cost, MOST_PAIRS, 2);
  fill(f.reverse, MOST_PAIRS, 3);
  fill(f.upstream, MOST_PAIRS, 4);
  fill(f.w1, 3 * MOST_HIDDEN, 5);
  fill(f.b1, MOST_HIDDEN, 6);
  fill(f.w2, MOST_HIDDEN, 7);
  for (int64_t hidden = 1; hidden <= MOST_HIDDEN; ++hidden)
    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; ++p) {
      const edgefw_mixed_attention_args args = {
          .hidden = hidden, .w1 = f.w1, .b1 = f.b1, .w2 = f.w2, .b2 = (float[]){0.25f}};
      const mixing mix = mixing_of(&args, 0);
      check_forward(&mix, pairs[p]);
      check_backward(&mix, pairs[p]);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(forward_and_backward)};
  return test_run(tests, NULL, NULL);
}
