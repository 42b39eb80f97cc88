/* The local attention (kernels/reference/decode_local.c) by hand, on every device.
 * labels: threads */
#include "support/test.h"

#include "support/near_support.h"

#include <math.h>
#include <string.h>

enum { WIDTH = EDGEFW_LOCAL_WIDTH, HEADS = EDGEFW_LOCAL_HEADS, HEAD = WIDTH / HEADS };

/* What is left of the first resource. */
static double left_by_hand(const ns_step *s) {
  double left = s->p->capacity[0][0];
  for (int64_t k = 0; k < s->t; ++k)
    left = s->tour[k] == 0 ? s->p->capacity[0][0] : left - s->p->demand[0][s->tour[k]];
  return left;
}

static const double *local(const ns_step *s, int tensor) {
  return s->p->c.tensor[DS_LOCAL + tensor].value;
}

/* y = M x + b, M (WIDTH,width); b may be NULL. */
static void affine(const double *m, const double *b, int64_t width, const double *x, double *y) {
  for (int64_t i = 0; i < WIDTH; ++i) {
    y[i] = b == NULL ? 0.0 : b[i];
    for (int64_t c = 0; c < width; ++c) y[i] += m[i * width + c] * x[c];
  }
}

/* The embedding of the member of rank r. */
static void embed_by_hand(const ns_step *s, int64_t r, double *e) {
  const int64_t i = s->tour[s->t - 1], j = s->member[r];
  const double *point = s->p->c.tensor[DS_POINTS].value;
  const bool loaded = s->p->extras.resources > 0;
  const double left = loaded ? left_by_hand(s) : 0.0;
  double x[3] = {ns_nearness(s, j),
                 atan2(point[2 * j + 1] - point[2 * i + 1], point[2 * j] - point[2 * i]),
                 left == 0.0 ? 0.0 : s->p->demand[0][j] / left};
  if (s->p->extras.depot && j == 0) memset(x, 0, sizeof x);
  affine(local(s, EDGEFW_LOCAL_EMBED), local(s, EDGEFW_LOCAL_EMBED_BIAS), loaded ? 3 : 2, x, e);
  for (int64_t t = 0; t < 16; ++t) {
    e[t] += sin((double)r * pow(10000.0, -(double)t / 15.0));
    e[16 + t] += cos((double)r * pow(10000.0, -(double)t / 15.0));
  }
}

/* What the local attention adds to node j. */
static double local_by_hand(const ns_step *s, int64_t j) {
  double e[NS_NODES][WIDTH], key[NS_NODES][WIDTH], value[NS_NODES][WIDTH];
  double query[WIDTH], attended[WIDTH] = {0.0}, z[WIDTH], result = 0.0;
  affine(local(s, EDGEFW_LOCAL_QUERY), NULL, WIDTH, local(s, EDGEFW_LOCAL_TOKEN), query);
  for (int64_t r = 0; r < s->count; ++r) {
    embed_by_hand(s, r, e[r]);
    affine(local(s, EDGEFW_LOCAL_KEY), NULL, WIDTH, e[r], key[r]);
    affine(local(s, EDGEFW_LOCAL_VALUE), NULL, WIDTH, e[r], value[r]);
  }
  for (int h = 0; h < HEADS; ++h) {
    double sum = 0.0;
    for (int64_t r = 0; r < s->count; ++r) {
      double dot = 0.0;
      for (int c = h * HEAD; c < (h + 1) * HEAD; ++c) dot += query[c] * key[r][c];
      const double weight = s->open[s->member[r]] ? exp(dot / sqrt(8.0)) : 0.0;
      sum += weight;
      for (int c = h * HEAD; c < (h + 1) * HEAD; ++c) attended[c] += weight * value[r][c];
    }
    for (int c = h * HEAD; c < (h + 1) * HEAD; ++c) attended[c] /= sum;
  }
  affine(local(s, EDGEFW_LOCAL_COMBINE), local(s, EDGEFW_LOCAL_COMBINE_BIAS), WIDTH, attended, z);
  for (int64_t r = 0; r < s->count; ++r)
    for (int c = 0; s->member[r] == j && c < WIDTH; ++c) result += z[c] * e[r][c] / sqrt(32.0);
  return result;
}

static void attention_by_hand(void **state) {
  ns_check_all(*state, true, local_by_hand);
}

/* The last customer fits exactly: nothing is left for the step that stands before the depot alone,
 * with another customer still to come. */
static void nothing_left(void **state) {
  const ks_devices *devices = *state;
  const ds_shape shape = {1, 4, 1, 1, 2, 0, false, 10, &edgefw__reinforce};
  const ds_extras extras = {.depot = true, .resources = 1, .attention = 3};
  const double demand[4] = {0, 2, 3, 1};
  const int32_t tour[8] = {0, 1, 2, 0, 3};
  ds_problem p;
  ns_create(&p, &shape, &extras);
  memcpy(p.demand[0], demand, sizeof demand);
  memcpy(p.tours, tour, sizeof tour);
  p.capacity[0][0] = 5.0;
  for (int i = 0; i < devices->count; ++i) ns_check(&p, &devices->item[i], local_by_hand);
  ds_destroy(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(attention_by_hand),
      cmocka_unit_test(nothing_left),
  };
  return test_run(tests, ks_setup, ks_teardown);
}
