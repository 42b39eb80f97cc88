/* Table services on every device: z-score, transpose, minima, distances. Ranks: test_ranks.c. */
#include "support/test.h"

#include "support/check.h"
#include "support/table_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void devices_agree(void **state) {
  const int64_t sizes[] = {1, 2, 3, 5, 16, 17, 40, 97, 101};
  const double scales[] = {1e-6, 1.0, 1e6};
  for (int service = ZSCORE; service <= COLUMN_MIN; ++service)
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i)
      for (int k = 0; k < 3; ++k) {
        const table_shape shape = {3, sizes[i], service};
        ks_case c;
        table_case_create(&c, &shape, scales[k]);
        ks_check_parity(*state, &c);
        if (k == 1) ks_check_rules(*state, &c);
        ks_case_destroy(&c);
      }
}

/* What a tour matrix looks like: positive, of very different sizes, zero diagonal. */
static void wide_range_of_costs(void **state) {
  const table_shape shape = {2, 33, 0};
  ks_case c;
  table_case_create(&c, &shape, 1.0);
  for (int64_t i = 0; i < 2 * 33 * 33; ++i) {
    double *x = &c.tensor[0].value[i];
    *x = i % (33 * 33) % 34 == 0 ? 0.0 : (double)(float)pow(10.0, 6.0 * *x);
  }
  ks_check_parity(*state, &c);
  ks_case_destroy(&c);
}

static void zscore_has_mean_0_and_deviation_1(void **state) {
  const ks_devices *devices = *state;
  enum { N = 20 };
  const table_shape shape = {1, N, 0};
  ks_case c;
  table_case_create(&c, &shape, 5.0);
  for (int i = 0; i < devices->count; ++i) {
    double z[N * N], mean = 0.0, variance = 0.0;
    ks_forward(&c, &devices->item[i], z);
    for (int at = 0; at < N * N; ++at) mean += z[at];
    mean /= N * N;
    for (int at = 0; at < N * N; ++at) variance += (z[at] - mean) * (z[at] - mean);
    check_close(mean, 0.0, 1e-6, 0.0, "mean");
    check_close(sqrt(variance / (N * N - 1)), 1.0, 1e-6, 0.0, "deviation");
  }
  ks_case_destroy(&c);
}

/* Equal entries, also one that binary fractions cannot hold: 0, never rounding noise over 1e-9. */
static void zscore_of_equal_entries_is_0(void **state) {
  const ks_devices *devices = *state;
  const double values[3] = {0.0, 0.1, 1e6 / 3.0};
  for (int v = 0; v < 3; ++v)
    for (int64_t n = 1; n <= 7; ++n) {
      const table_shape shape = {1, n, 0};
      ks_case c;
      table_case_create(&c, &shape, 1.0);
      for (int64_t at = 0; at < n * n; ++at) c.tensor[0].value[at] = values[v];
      for (int i = 0; i < devices->count; ++i) {
        const ks_device *d = &devices->item[i];
        double z[49];
        double *exact = ks_exact(d, c.tensor[0].value, n * n);
        const edgefw_table_args a = {
            .batch = 1, .nodes = n, .pair = exact, .out = ks_reals(d, n * n)};
        ks_ok(d, d->k->zscore(d->device, &a));
        ks_release_exact(d, exact);
        d->k->download(d->device, z, a.out, n * n);
        for (int64_t at = 0; at < n * n; ++at)
          check_close(z[at], 0.0, 1e-6, 0.0, "z of equal entries");
        ks_release(d, a.out);
      }
      ks_case_destroy(&c);
    }
}

static void known_minima(void **state) {
  const ks_devices *devices = *state;
  const double pair[9] = {-5, 2, 3, 4, -5, 1, 7, 6, -5};
  const double rows[3] = {2, 1, 6}, columns[3] = {4, 2, 1};
  const double transposed[9] = {-5, 4, 7, 2, -5, 6, 3, 1, -5};
  const double *expected[TABLE_SERVICES] = {NULL, transposed, rows, columns};
  for (int service = TRANSPOSE; service <= COLUMN_MIN; ++service) {
    const table_shape shape = {1, 3, service};
    ks_case c;
    table_case_create(&c, &shape, 1.0);
    for (int i = 0; i < 9; ++i) c.tensor[0].value[i] = pair[i];
    for (int i = 0; i < devices->count; ++i) {
      double out[9];
      ks_forward(&c, &devices->item[i], out);
      check_close_f64(out, expected[service], c.out_count, 0.0, 0.0, table_names[service]);
    }
    ks_case_destroy(&c);
  }
}

static void run_distances(const ks_case *c, const ks_device *d, void *const *in, void *dout,
                          void *const *grad, double *out) {
  (void)dout;
  (void)grad;
  const table_shape *s = c->shape;
  const edgefw_distances_args a = {
      .batch = s->batch, .nodes = s->nodes, .points = in[0], .out = ks_reals(d, c->out_count)};
  ks_ok(d, d->k->distances(d->device, &a));
  d->k->download(d->device, out, a.out, c->out_count);
  ks_release(d, a.out);
}

static void distances_create(ks_case *c, const table_shape *s) {
  ks_case_create(c, "distances", s, run_distances, s->batch * s->nodes * s->nodes);
  ks_case_add(c, "points", s->batch * s->nodes * 2, false, 1.0);
  c->forward_tolerance = 1e-6;
}

static void distances_of_known_points(void **state) {
  const ks_devices *devices = *state;
  static const double points[12] = {0, 0, 3, 4, -3, 4, 1, 1, 1, 1, 1, -0.5};
  static const double expected[18] = {0, 5, 5, 5, 0, 6, 5, 6, 0, 0, 0, 1.5, 0, 0, 1.5, 1.5, 1.5, 0};
  const table_shape shape = {2, 3, 0};
  ks_case c;
  distances_create(&c, &shape);
  memcpy(c.tensor[0].value, points, sizeof points);
  for (int i = 0; i < devices->count; ++i) {
    double out[18];
    ks_forward(&c, &devices->item[i], out);
    check_close_f64(out, expected, 18, 0.0, 0.0, "distances");
  }
  ks_case_destroy(&c);
}

static void devices_agree_on_distances(void **state) {
  const int64_t sizes[] = {1, 2, 7, 33, 130};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
    const table_shape shape = {3, sizes[i], 0};
    ks_case c;
    distances_create(&c, &shape);
    ks_check_parity(*state, &c);
    ks_check_rules(*state, &c);
    ks_case_destroy(&c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(known_minima),
      cmocka_unit_test(zscore_has_mean_0_and_deviation_1),
      cmocka_unit_test(zscore_of_equal_entries_is_0),
      cmocka_unit_test(wide_range_of_costs),
      cmocka_unit_test(devices_agree),
      cmocka_unit_test(distances_of_known_points),
      cmocka_unit_test(devices_agree_on_distances),
  };
  return test_run(tests, ks_setup, ks_teardown);
}
