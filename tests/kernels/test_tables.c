/* Table services on every device: z-score, transpose, minima, ranks. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "support/check.h"
#include "support/kernels_support.h"

#include <math.h>
#include <stdlib.h>

typedef struct table_shape {
  int64_t batch, nodes;
  int service;
} table_shape;

enum { ZSCORE, TRANSPOSE, ROW_MIN, COLUMN_MIN, ROW_RANK, COLUMN_RANK, SERVICES };

static const char *const names[SERVICES] = {"zscore",     "transpose", "row_min",
                                            "column_min", "row_rank",  "column_rank"};

static int64_t out_count(const table_shape *s) {
  return s->batch * s->nodes * (s->service == ROW_MIN || s->service == COLUMN_MIN ? 1 : s->nodes);
}

static void run(const ks_case *c, const ks_device *d, void *const *in, void *dout,
                void *const *grad, double *out) {
  (void)dout;
  (void)grad;
  const table_shape *s = c->shape;
  edgefw_status (*const service[SERVICES])(edgefw_device *, const edgefw_table_args *) = {
      d->k->zscore,     d->k->transpose, d->k->row_min,
      d->k->column_min, d->k->row_rank,  d->k->column_rank};
  const edgefw_table_args a = {.batch = s->batch,
                               .nodes = s->nodes,
                               .pair = s->service == ZSCORE ? c->tensor[0].value : in[0],
                               .out = ks_reals(d, c->out_count)};
  ks_ok(d, service[s->service](d->device, &a));
  d->k->download(d->device, out, a.out, c->out_count);
  ks_release(d, a.out);
}

static void create(ks_case *c, const table_shape *s, double scale) {
  ks_case_create(c, names[s->service], s, run, out_count(s));
  ks_case_add(c, "pair", s->batch * s->nodes * s->nodes, false, scale);
}

static void devices_agree(void **state) {
  const int64_t sizes[] = {1, 2, 3, 5, 16, 17, 40, 97, 101};
  const double scales[] = {1e-6, 1.0, 1e6};
  for (int service = 0; service < SERVICES; ++service)
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i)
      for (int k = 0; k < 3; ++k) {
        const table_shape shape = {3, sizes[i], service};
        ks_case c;
        create(&c, &shape, scales[k]);
        ks_check_parity(*state, &c);
        if (k == 1) ks_check_rules(*state, &c);
        ks_case_destroy(&c);
      }
}

static void ranks_of_a_large_matrix(void **state) {
  for (int service = ROW_RANK; service <= COLUMN_RANK; ++service) {
    const table_shape shape = {1, 261, service};
    ks_case c;
    create(&c, &shape, 1.0);
    ks_check_parity(*state, &c);
    ks_case_destroy(&c);
  }
}

/* What a tour matrix looks like: positive, of very different sizes, zero diagonal. */
static void wide_range_of_costs(void **state) {
  const table_shape shape = {2, 33, 0};
  ks_case c;
  create(&c, &shape, 1.0);
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
  create(&c, &shape, 5.0);
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
      create(&c, &shape, 1.0);
      for (int64_t at = 0; at < n * n; ++at) c.tensor[0].value[at] = values[v];
      for (int i = 0; i < devices->count; ++i) {
        const ks_device *d = &devices->item[i];
        double z[49];
        const edgefw_table_args a = {1, n, c.tensor[0].value, ks_reals(d, n * n)};
        ks_ok(d, d->k->zscore(d->device, &a));
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
  const double *expected[SERVICES] = {NULL, transposed, rows, columns};
  for (int service = TRANSPOSE; service <= COLUMN_MIN; ++service) {
    const table_shape shape = {1, 3, service};
    ks_case c;
    create(&c, &shape, 1.0);
    for (int i = 0; i < 9; ++i) c.tensor[0].value[i] = pair[i];
    for (int i = 0; i < devices->count; ++i) {
      double out[9];
      ks_forward(&c, &devices->item[i], out);
      check_close_f64(out, expected[service], c.out_count, 0.0, 0.0, names[service]);
    }
    ks_case_destroy(&c);
  }
}

/* Rank of every node but `self` among the entries at first + l * along, counted by hand. */
static void check_ranks(const double *pair, const double *out, int64_t n, int64_t first,
                        int64_t along, int64_t self) {
  bool taken[64] = {false};
  for (int64_t rank = 0; rank < n - 1; ++rank) {
    int64_t next = -1;
    for (int64_t l = 0; l < n; ++l)
      if (l != self && !taken[l] &&
          (next < 0 || pair[first + l * along] < pair[first + next * along]))
        next = l;
    taken[next] = true;
    check_close(out[first + next * along], log(1.0 + (double)rank), 1e-6, 0.0, "rank");
  }
  check_close(out[first + self * along], 0.0, 0.0, 0.0, "rank on the diagonal");
}

/* Many ties, negative numbers, and a diagonal that would come first. */
static void ranks_take_ties_by_index(void **state) {
  const ks_devices *devices = *state;
  const int64_t sizes[] = {1, 2, 3, 7, 16, 33, 64}, distinct[] = {1, 2, 5, 1000};
  for (int k = 0; k < 2 * 7 * 4; ++k) {
    const int64_t n = sizes[k / 2 % 7];
    const table_shape shape = {1, n, k % 2 == 0 ? ROW_RANK : COLUMN_RANK};
    ks_case c;
    create(&c, &shape, 1.0);
    double *pair = c.tensor[0].value, *out = ks_zeros(n * n);
    for (int64_t i = 0; i < n * n; ++i) pair[i] = floor(pair[i] * (double)distinct[k / 14]);
    for (int64_t i = 0; i < n; ++i) pair[i * n + i] = -2000.0;
    for (int i = 0; i < devices->count; ++i) {
      ks_forward(&c, &devices->item[i], out);
      for (int64_t self = 0; self < n; ++self) {
        if (shape.service == ROW_RANK) {
          check_ranks(pair, out, n, self * n, 1, self);
        } else {
          check_ranks(pair, out, n, self, n, self);
        }
      }
    }
    free(out);
    ks_case_destroy(&c);
  }
}

static void known_ranks(void **state) {
  const ks_devices *devices = *state;
  const double pair[9] = {0, 2, 1, 3, 0, 3, 7, 9, 0}, one = log(2.0);
  const double expected[2][9] = {{0, one, 0, 0, 0, one, 0, one, 0},
                                 {0, 0, 0, 0, 0, one, one, one, 0}};
  for (int k = 0; k < 2 * devices->count; ++k) {
    const table_shape shape = {1, 3, ROW_RANK + k % 2};
    ks_case c;
    double out[9];
    create(&c, &shape, 1.0);
    for (int i = 0; i < 9; ++i) c.tensor[0].value[i] = pair[i];
    ks_forward(&c, &devices->item[k / 2], out);
    check_close_f64(out, expected[k % 2], 9, 1e-6, 0.0, names[shape.service]);
    ks_case_destroy(&c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(known_minima),
      cmocka_unit_test(zscore_has_mean_0_and_deviation_1),
      cmocka_unit_test(zscore_of_equal_entries_is_0),
      cmocka_unit_test(wide_range_of_costs),
      cmocka_unit_test(known_ranks),
      cmocka_unit_test(ranks_take_ties_by_index),
      cmocka_unit_test(ranks_of_a_large_matrix),
      cmocka_unit_test(devices_agree),
  };
  return cmocka_run_group_tests(tests, ks_setup, ks_teardown);
}
