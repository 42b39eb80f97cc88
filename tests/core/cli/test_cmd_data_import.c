/* edgefw data import.
 * labels: e2e */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "support/cli.h"
#include "support/npz_support.h"
#include "support/tiny_model.h"

#define IMPORT "--problem atsp -o out.h5"

enum { N = 4 };

static void write_npz(const sandbox *box, const char *name) {
  int64_t data[3 * N * N];
  for (int k = 0; k < 3 * N * N; ++k) data[k] = 1000 * k;
  const npz_entry entries[] = {{"data.npy", "<i8", "(3, 4, 4)", data, sizeof data, 0, NULL},
                               {"more.npy", "<i8", "(48,)", data, sizeof data, 0, NULL},
                               {.name = NULL}};
  npz_write(sandbox_path(box, name), entries, true);
}

static void an_npz_file_becomes_a_dataset(void **state) {
  const sandbox *box = *state;
  write_npz(box, "in.npz");
  cli_expect(box, "data import in.npz --scale 1e-6 " IMPORT, 0, "", "3 instances of 4 nodes");
  cli_expect(box, "data import in.npz --scale 1e-6 " IMPORT, 0, "", "array 'more' is not used");
  cli_expect(box, "data info out.h5", 0, "cost (int32 x 1e-06)", NULL);
  cli_expect(box, "data import in.npz --divide-by 8 " IMPORT, 0, "", NULL);
  cli_expect(box, "data info out.h5", 0, "cost (float32)", NULL);
  cli_expect(box, "data info out.h5 --json", 0, "\"instances\": 3, \"nodes\": 4", NULL);
  write_npz(box, "IN.NPZ"); /* no case */
  cli_expect(box, "data import IN.NPZ --scale 1 " IMPORT, 0, "", "3 instances of 4 nodes");
}

static void library_files_and_folders_become_datasets(void **state) {
  const sandbox *box = *state;
  const char *text = "TYPE: ATSP\nDIMENSION: 2\nEDGE_WEIGHT_TYPE: EXPLICIT\n"
                     "EDGE_WEIGHT_FORMAT: FULL_MATRIX\nEDGE_WEIGHT_SECTION\n0 1 2 0\n";
  sandbox_write(box, "lib/b.atsp", text);
  sandbox_write(box, "lib/a.tsp", text);
  sandbox_write(box, "lib/readme.txt", "no instance");
  cli_expect(box, "data import lib/a.tsp lib/b.atsp " IMPORT, 0, "", "2 instances of 2 nodes");
  cli_expect(box, "data import lib lib/a.tsp " IMPORT, 0, "", "3 instances of 2 nodes");
  sandbox_write(box, "none/readme.txt", "no instance");
  cli_expect(box, "data import none " IMPORT, 2, "", "holds no .atsp, .tsp or .vrp files");
  cli_expect(box, "data import lib/readme.txt " IMPORT, 1, "", "readme.txt");
}

/* Packed, and in upper case. */
static void packed_library_files_are_read(void **state) {
  const sandbox *box = *state;
  const char *text = "TYPE: ATSP\nDIMENSION: 2\nEDGE_WEIGHT_SECTION\n0 1 2 0\n";
  sandbox_write(box, "lib/B.ATSP", text);
  gzFile stream = gzopen(sandbox_path(box, "lib/a.tsp.gz"), "wb");
  assert_non_null(stream);
  assert_true(gzputs(stream, text) > 0);
  assert_int_equal(gzclose(stream), Z_OK);
  cli_expect(box, "data import lib " IMPORT, 0, "", "2 instances of 2 nodes");
}

static void bad_requests_are_refused(void **state) {
  const sandbox *box = *state;
  write_npz(box, "in.npz");
  cli_expect(box, "data import " IMPORT, 2, "", "FILE is missing");
  cli_expect(box, "data import in.npz -o out.h5", 2, "", "--problem is missing");
  cli_expect(box, "data import in.npz --problem atsp", 2, "", "--output is missing");
  cli_expect(box, "data import in.npz in.npz " IMPORT, 2, "", "is imported alone");
  cli_expect(box, "data import in.npz --divide-by 0 " IMPORT, 2, "", "expected a number above 0");
  cli_expect(box, "data import in.npz --scale -1 " IMPORT, 2, "", "expected a number above 0");
  cli_expect(box, "data import in.npz --scale 1 --divide-by 1 " IMPORT, 2, "", "say the same");
  cli_expect(box, "data import in.npz " IMPORT, 2, "", "say it with --scale");
  cli_expect(box, "data import a.tsp --scale 1 " IMPORT, 2, "", "--scale is for .npz files");
  cli_expect(box, "data import a.tsp --field x=1 " IMPORT, 2, "", "has no field 'x'");
  cli_expect(box, "data import in.npz --field cost=1 " IMPORT, 2, "", "has no field 'cost' with");
  cli_expect(box, "data import in.npz --field cost " IMPORT, 2, "", "expected NAME=NUMBER");
  cli_expect(box, "data import none.npz " IMPORT, 1, "", "No such file");
  sandbox_write(box, "text.npz", "no archive");
  cli_expect(box, "data import text.npz " IMPORT, 1, "", "as a zip archive");
  assert_int_equal(access(sandbox_path(box, "out.h5"), F_OK), -1);
}

int main(void) {
  if (tiny_missing()) return TEST_SKIPPED;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(an_npz_file_becomes_a_dataset, sandbox_set_up,
                                      sandbox_tear_down),
      cmocka_unit_test_setup_teardown(library_files_and_folders_become_datasets, sandbox_set_up,
                                      sandbox_tear_down),
      cmocka_unit_test_setup_teardown(packed_library_files_are_read, sandbox_set_up,
                                      sandbox_tear_down),
      cmocka_unit_test_setup_teardown(bad_requests_are_refused, sandbox_set_up, sandbox_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
