/* Junctions and streets of a network: near neighbours, planar, and in one piece wherever the
 * junctions lie. */
#include "support/test.h"

#include <stdlib.h>

#include "data/generate.h"
#include "data/road_network.h"

static const edgefw_generator generator = {.seed = 2026, .instance = 3};

/* A network of n stops; free() what it lives in. */
static void *place(int64_t n, edgefw__road_network *out) {
  void *scratch = calloc(1, edgefw__road_network_bytes(n));
  assert_non_null(scratch);
  edgefw__road_network_place(&generator, n, scratch, out);
  return scratch;
}

/* Twice the signed area of a triangle. */
static int64_t area(const edgefw__road_network *r, int32_t a, int32_t b, int32_t c) {
  return (int64_t)(r->x[b] - r->x[a]) * (r->y[c] - r->y[a]) -
         (int64_t)(r->y[b] - r->y[a]) * (r->x[c] - r->x[a]);
}

static bool apart(int64_t a, int64_t b) {
  return (a < 0 && b > 0) || (a > 0 && b < 0);
}

static bool cross(const edgefw__road_network *r, const edgefw__street *s, const edgefw__street *t) {
  return apart(area(r, s->low, s->high, t->low), area(r, s->low, s->high, t->high)) &&
         apart(area(r, t->low, t->high, s->low), area(r, t->low, t->high, s->high));
}

/* One street for each pair, in order of length; can everybody be reached? */
static void expect_sound(edgefw__road_network *r) {
  for (int64_t s = 0; s < r->street_count; ++s) {
    edgefw__street *street = &r->streets[s];
    assert_true(street->low >= 0 && street->low < street->high && street->high < r->junctions);
    if (s > 0) assert_true(street->squared >= r->streets[s - 1].squared);
    for (int64_t t = 0; t < s; ++t)
      assert_false(street->low == r->streets[t].low && street->high == r->streets[t].high);
    street->forth = street->back = 1;
  }
  edgefw__road_arcs_fill(r->streets, r->street_count, &r->arcs);
  edgefw__road_shortest(&r->arcs, 0, r->least, r->heap);
  for (int32_t j = 0; j < r->junctions; ++j) assert_true(r->least[j] != INT32_MAX);
}

static void streets_do_not_cross(void **state) {
  (void)state;
  edgefw__road_network r;
  void *scratch = place(40, &r);
  assert_int_equal(r.junctions, 3 * 40 + 24);
  edgefw__road_network_connect(&r);
  expect_sound(&r);
  assert_true(r.street_count > r.junctions && r.street_count < 3 * r.junctions);
  for (int64_t s = 0; s < r.street_count; ++s)
    for (int64_t t = 0; t < s; ++t) assert_false(cross(&r, &r.streets[s], &r.streets[t]));
  free(scratch);
}

/* Of all pairs, those whose circle holds nobody else are streets where they are near enough. */
static void streets_are_those_with_an_empty_circle(void **state) {
  (void)state;
  edgefw__road_network r;
  void *scratch = place(6, &r);
  edgefw__road_network_connect(&r);
  int64_t expected = 0;
  for (int32_t a = 0; a < r.junctions; ++a)
    for (int32_t b = a + 1; b < r.junctions; ++b) {
      bool empty = true;
      for (int32_t k = 0; k < r.junctions; ++k) { /* a right angle or more at k: k is inside */
        const int64_t dot = (int64_t)(r.x[a] - r.x[k]) * (r.x[b] - r.x[k]) +
                            (int64_t)(r.y[a] - r.y[k]) * (r.y[b] - r.y[k]);
        if (k != a && k != b && dot < 0) empty = false;
      }
      expected += empty;
    }
  assert_int_equal(r.street_count, expected); /* none of this one's is too far */
  free(scratch);
}

/* Two towns at far ends, in each of which everybody has eight nearer neighbours. */
static void far_parts_are_joined_once(void **state) {
  (void)state;
  edgefw__road_network r;
  void *scratch = place(4, &r);
  for (int32_t j = 0; j < r.junctions; ++j) r.x[j] = r.x[j] / 64 + (j % 2 ? 1000000 : 0);
  edgefw__road_network_connect(&r);
  expect_sound(&r);
  int64_t between = 0, shortest = INT64_MAX;
  for (int64_t s = 0; s < r.street_count; ++s)
    between += r.streets[s].low % 2 != r.streets[s].high % 2;
  assert_int_equal(between, 1);
  for (int32_t a = 0; a < r.junctions; a += 2)
    for (int32_t b = 1; b < r.junctions; b += 2) {
      const int64_t dx = r.x[a] - r.x[b], dy = r.y[a] - r.y[b];
      if (dx * dx + dy * dy < shortest) shortest = dx * dx + dy * dy;
    }
  assert_int_equal(r.streets[r.street_count - 1].squared, shortest);
  free(scratch);
}

static void junctions_may_lie_in_one_place(void **state) {
  (void)state;
  edgefw__road_network r;
  void *scratch = place(3, &r);
  for (int32_t j = 0; j < r.junctions; ++j) r.x[j] = r.y[j] = j < 20 ? 7 : 900000;
  edgefw__road_network_connect(&r);
  expect_sound(&r);
  edgefw__road_network_time(&generator, &r);
  for (int64_t s = 0; s < r.street_count; ++s)
    assert_true(r.streets[s].forth + r.streets[s].back > 0);
  free(scratch);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(streets_do_not_cross),
                                     cmocka_unit_test(streets_are_those_with_an_empty_circle),
                                     cmocka_unit_test(far_parts_are_joined_once),
                                     cmocka_unit_test(junctions_may_lie_in_one_place)};
  return test_run(tests, NULL, NULL);
}
