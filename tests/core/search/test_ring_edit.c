/* Changes of a ring in place: every stretch of every small ring, and that little is moved. */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "search/ring_edit.h"

enum { MOST = 9 };

typedef struct fixture {
  edgefw_route_plan plan;
  edgefw__routes routes;
  int32_t tour[MOST];
  void *memory;
} fixture;

static void open_fixture(fixture *f, int64_t n) {
  *f = (fixture){.plan = {.n = n}};
  f->memory = malloc(edgefw__routes_bytes(n, 0));
  assert_non_null(f->memory);
  edgefw__routes_place(&f->routes, n, 0, f->memory);
  for (int32_t i = 0; i < n; ++i) f->tour[i] = (int32_t)((i + n / 2) % n);
  edgefw__routes_take(&f->routes, &f->plan, f->tour, n);
}

/* The ring holds these visits in this order, wherever it begins, and knows their places; outside of
 * `places` nothing has moved. */
static void expect_ring(const fixture *f, const int32_t *order, edgefw__ring_places places) {
  const int64_t n = f->plan.n;
  const int64_t begin = f->routes.place[order[0]];
  for (int64_t k = 0; k < n; ++k) {
    const int64_t place = (begin + k) % n;
    assert_int_equal(f->routes.ring[place], order[k]);
    assert_int_equal(f->routes.place[order[k]], place);
  }
  for (int64_t k = places.count; k < n; ++k) {
    const int64_t place = (places.first + k) % n;
    assert_int_equal(f->routes.ring[place], f->tour[place]);
  }
}

static void stretches_are_exchanged(void **state) {
  (void)state;
  for (int64_t n = 1; n <= MOST; ++n)
    for (int64_t first = 0; first < n; ++first)
      for (int64_t one = 0; one <= n; ++one)
        for (int64_t two = 0; one + two <= n; ++two) {
          fixture f;
          int32_t order[MOST];
          int64_t filled = 0;
          open_fixture(&f, n);
          for (int64_t k = 0; k < two; ++k) order[filled++] = f.tour[(first + one + k) % n];
          for (int64_t k = 0; k < one; ++k) order[filled++] = f.tour[(first + k) % n];
          for (int64_t k = one + two; k < n; ++k) order[filled++] = f.tour[(first + k) % n];
          const edgefw__stretch stretches[] = {
              {.first = (first + one) % n, .count = two},
              {.first = first, .count = one},
              {.first = (first + one + two) % n, .count = n - one - two}};
          const edgefw__ring_places places = edgefw__ring_arrange(&f.routes, stretches, 3);
          expect_ring(&f, order, places);
          assert_true(places.count <= one + two && places.count <= n - (n + 2) / 3);
          free(f.memory);
        }
}

static void stretches_are_turned_round(void **state) {
  (void)state;
  for (int64_t n = 1; n <= MOST; ++n)
    for (int64_t first = 0; first < n; ++first)
      for (int64_t count = 0; count <= n; ++count) {
        fixture f;
        int32_t order[MOST], turned[MOST];
        int64_t filled = 0;
        open_fixture(&f, n);
        for (int64_t k = count; k-- > 0;) order[filled++] = f.tour[(first + k) % n];
        for (int64_t k = count; k < n; ++k) order[filled++] = f.tour[(first + k) % n];
        for (int64_t k = 0; k < n; ++k) turned[k] = order[n - 1 - k];
        const edgefw__ring_places places = edgefw__ring_reverse(&f.routes, first, count);
        expect_ring(&f, 2 * count > n ? turned : order, places);
        assert_true(2 * places.count <= n);
        free(f.memory);
        open_fixture(&f, n);
        expect_ring(&f, order, edgefw__ring_turn(&f.routes, first, count));
        free(f.memory);
      }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stretches_are_exchanged),
      cmocka_unit_test(stretches_are_turned_round),
  };
  return test_run(tests, NULL, NULL);
}
