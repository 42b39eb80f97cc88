/* The cheapest exchange into each cycle, on every device, against its definition: nodes of one
 * cycle are those that reach each other. */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>

#include "support/check.h"
#include "support/kernels_support.h"

enum { MOST = 70 };

static void entries(const ks_device *d, int64_t batch, int64_t n, const double *exchange,
                    const double *successor, double *out) {
  void *prices = ks_upload(d, exchange, batch * n * n), *next = ks_upload(d, successor, batch * n);
  const edgefw_cycle_entry_args a = {.batch = batch,
                                     .nodes = n,
                                     .exchange = prices,
                                     .successor = next,
                                     .out = ks_reals(d, batch * n * n)};
  ks_ok(d, d->k->cycle_entry(d->device, &a));
  d->k->download(d->device, out, a.out, batch * n * n);
  ks_release(d, prices);
  ks_release(d, next);
  ks_release(d, a.out);
}

/* part (n): the least node that hangs together with each. */
static void find_parts(const double *successor, int64_t n, int64_t *part) {
  for (int64_t i = 0; i < n; ++i) part[i] = i;
  for (int64_t round = 0; round < n; ++round)
    for (int64_t i = 0; i < n; ++i) {
      int64_t *next = &part[(int64_t)successor[i]];
      *next = part[i] = *next < part[i] ? *next : part[i];
    }
}

static void expect(const double *exchange, const double *successor, int64_t n, double *out) {
  int64_t part[MOST];
  find_parts(successor, n, part);
  for (int64_t e = 0; e < n * n; ++e) {
    const int64_t i = e / n, j = e % n;
    out[e] = log1p((double)n);
    for (int64_t l = 0; l < n && part[i] != part[j]; ++l)
      if (part[l] == part[j]) out[e] = fmin(out[e], exchange[i * n + l]);
  }
}

/* Cycles 0 1 2 and 3 4; the last entry is dearer than what stands in for it. */
static void entries_by_hand(void **state) {
  const ks_devices *devices = *state;
  enum { N = 5 };
  const double successor[N] = {1, 2, 0, 4, 3}, most = log1p(5.0);
  const double exchange[N * N] = {0,   0,    0, 0.5, 0.25, /* 0 -> 4 is the cheapest into 3 4 */
                                  0,   0,    0, 1.5, 1.0,  /* */
                                  0,   0,    0, 9.0, 8.0,  /* both above log(1 + n) */
                                  0.3, 0.75, 1, 0,   0,    /* */
                                  1,   0.2,  1, 0,   0};
  const double wanted[N * N] = {most, most, most, 0.25, 0.25, most, most, most, 1.0,
                                1.0,  most, most, most, most, most, 0.3,  0.3,  0.3,
                                most, most, 0.2,  0.2,  0.2,  most, most};
  double out[N * N];
  for (int k = 0; k < devices->count; ++k) {
    entries(&devices->item[k], 1, N, exchange, successor, out);
    check_close_f64(out, wanted, N * N, 1e-6, 1e-6, devices->item[k].name);
  }
}

/* Cycles of `size` nodes, mixed by a step that is coprime to n; all that is left is the last. With
 * a depot chains of that size lead to node 0 instead. */
static void some_successors(int64_t n, int64_t size, bool depot, double *successor) {
  int64_t order[MOST];
  for (int64_t k = 0; k < n; ++k) order[k] = k * 37 % n;
  for (int64_t k = 0; k < n; ++k) {
    const int64_t begin = k / size * size, end = begin + size < n ? begin + size : n;
    successor[order[k]] = (double)(k + 1 < end ? order[k + 1] : depot ? 0 : order[begin]);
  }
  if (depot) successor[0] = (double)order[1];
}

static void all_agree_with_the_definition(void **state) {
  const ks_devices *devices = *state;
  const int64_t sizes[] = {1, 2, 3, 16, 33, MOST};
  double *x = ks_zeros(2 * MOST * MOST), *out = ks_zeros(2 * MOST * MOST), successor[2 * MOST];
  double *wanted = ks_zeros(2 * MOST * MOST);
  for (int s = 0; s < 6; ++s)
    for (int kind = 0; kind < 4; ++kind) {
      const int64_t n = sizes[s];
      ks_fill(x, 2 * n * n, 1.0, 70 + (uint64_t)s);
      for (int64_t e = 0; e < 2 * n * n; ++e) x[e] = fabs(x[e]);
      some_successors(n, 2 + kind, kind == 3 && n > 1, successor);
      some_successors(n, n, false, successor + n);
      expect(x, successor, n, wanted);
      expect(x + n * n, successor + n, n, wanted + n * n);
      for (int k = 0; k < devices->count; ++k) {
        entries(&devices->item[k], 2, n, x, successor, out);
        check_close_f64(out, wanted, 2 * n * n, 1e-6, 1e-6, devices->item[k].name);
      }
    }
  free(x);
  free(out);
  free(wanted);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(entries_by_hand),
      cmocka_unit_test(all_agree_with_the_definition),
  };
  return test_run(tests, ks_setup, ks_teardown);
}
