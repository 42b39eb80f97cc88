/* Rank tables (kernels/cpu/ranks.c) on every device: known ones, ties, and sizes around whole
 * lanes. */
#include "support/test.h"

#include "support/check.h"
#include "support/table_case.h"

#include <math.h>
#include <stdlib.h>

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
    table_case_create(&c, &shape, 1.0);
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
    table_case_create(&c, &shape, 1.0);
    for (int i = 0; i < 9; ++i) c.tensor[0].value[i] = pair[i];
    ks_forward(&c, &devices->item[k / 2], out);
    check_close_f64(out, expected[k % 2], 9, 1e-6, 0.0, table_names[shape.service]);
    ks_case_destroy(&c);
  }
}

static void devices_agree(void **state) {
  const int64_t sizes[] = {1, 2, 3, 5, 15, 16, 17, 33, 40, 97, 101};
  for (int k = 0; k < 2 * (int)(sizeof sizes / sizeof *sizes); ++k) {
    const table_shape shape = {3, sizes[k / 2], ROW_RANK + k % 2};
    ks_case c;
    table_case_create(&c, &shape, 1e3);
    ks_check_parity(*state, &c);
    ks_check_rules(*state, &c);
    ks_case_destroy(&c);
  }
}

static void ranks_of_a_large_matrix(void **state) {
  for (int service = ROW_RANK; service <= COLUMN_RANK; ++service) {
    const table_shape shape = {1, 261, service};
    ks_case c;
    table_case_create(&c, &shape, 1.0);
    ks_check_parity(*state, &c);
    ks_case_destroy(&c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(known_ranks),
      cmocka_unit_test(ranks_take_ties_by_index),
      cmocka_unit_test(devices_agree),
      cmocka_unit_test(ranks_of_a_large_matrix),
  };
  return test_run(tests, ks_setup, ks_teardown);
}
