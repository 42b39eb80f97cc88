/* Library files as they are and packed, and the bounds of what is unpacked. */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "files/library_text.h"
#include "files/tour.h"
#include "files/tsplib.h"
#include "files/vrp_solution.h"
#include "support/expect.h"
#include "support/out_of_memory.h"
#include "support/workspace.h"

#define INSTANCE                                                                                   \
  "TYPE: ATSP\nDIMENSION: 2\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: FULL_MATRIX\n"        \
  "EDGE_WEIGHT_SECTION\n0 1 2 0\n"

/* Write `text` packed; its path. */
static const char *write_packed(const workspace *w, const char *name, const char *text,
                                size_t length) {
  const char *path = sandbox_path(&w->box, name);
  gzFile stream = gzopen(path, "wb9");
  assert_non_null(stream);
  for (size_t done = 0; done < length;) {
    const size_t piece = length - done < 1 << 20 ? length - done : 1 << 20;
    assert_int_equal(gzwrite(stream, text + done, (unsigned)piece), piece);
    done += piece;
  }
  assert_int_equal(gzclose(stream), Z_OK);
  return path;
}

static void packed_and_plain_texts_are_the_same(void **state) {
  workspace *w = *state;
  char *text = NULL;
  size_t length = 0;
  const char *paths[] = {sandbox_write(&w->box, "a.atsp", "\xEF\xBB\xBFNAME: a\n"),
                         write_packed(w, "a.atsp.gz", "\xEF\xBB\xBFNAME: a\n", 11),
                         write_packed(w, "b.atsp", "NAME: a\n", 8)}; /* the name means nothing */
  for (size_t i = 0; i < sizeof paths / sizeof *paths; ++i) {
    expect_ok(w->ctx, edgefw__library_text_read(w->ctx, paths[i], &text, &length));
    assert_string_equal(text, "NAME: a\n");
    assert_int_equal(length, 8);
    edgefw_release(w->ctx, text);
  }
  expect_ok(w->ctx, edgefw__library_text_read(w->ctx, write_packed(w, "c", "", 0), &text, &length));
  assert_int_equal(length, 0);
  edgefw_release(w->ctx, text);
}

static void every_reader_of_library_files_unpacks(void **state) {
  workspace *w = *state;
  edgefw_tsplib file;
  int32_t tour[2];
  edgefw__vrp_solution routes;
  static const char tour_text[] = "TOUR_SECTION\n2 1 -1\n", sol_text[] = "Route #1: 2 1\nCost 5\n";
  expect_ok(w->ctx,
            edgefw__tsplib_read(w->ctx, w->arena,
                                write_packed(w, "two.ATSP.GZ", INSTANCE, strlen(INSTANCE)), &file));
  assert_string_equal(file.name, "two");
  assert_true(file.weights[1] == 1.0 && file.weights[2] == 2.0);
  expect_ok(w->ctx,
            edgefw__tour_read(w->ctx, write_packed(w, "two.tour.gz", tour_text, strlen(tour_text)),
                              2, tour));
  assert_int_equal(tour[0], 1);
  expect_ok(w->ctx, edgefw__vrp_solution_read(
                        w->ctx, w->arena, write_packed(w, "two.sol.gz", sol_text, strlen(sol_text)),
                        2, &routes));
  assert_true(routes.cost == 5.0);
}

static void expect_refused(workspace *w, const char *path, edgefw_status status, const char *part) {
  char *text = NULL;
  size_t length = 7;
  expect_failure(w->ctx, edgefw__library_text_read(w->ctx, path, &text, &length), status, path,
                 part);
  assert_null(text);
  assert_int_equal(length, 0);
}

static void damaged_files_are_refused(void **state) {
  workspace *w = *state;
  char *text = calloc(1, 100000);
  unsigned noise = 1;
  for (int i = 0; i < 99999; ++i) {
    noise = noise * 1664525U + 1013904223U;
    text[i] = (char)('0' + (noise >> 16) % 10);
  }
  const char *path = write_packed(w, "cut.gz", text, 99999);
  assert_int_equal(truncate(path, 2000), 0);
  expect_refused(w, path, EDGEFW_FORMAT, "it is cut short");
  assert_int_equal(truncate(path, 12), 0);
  expect_refused(w, path, EDGEFW_FORMAT, "cannot unpack");
  path = sandbox_write_bytes(&w->box, "bad.gz", "\x1F\x8B\x08\0\0\0\0\0\0\3\xFF\xFF\xFF\xFF", 14);
  expect_refused(w, path, EDGEFW_FORMAT, "cannot unpack");
  expect_refused(w, write_packed(w, "binary.gz", "a\0b", 3), EDGEFW_FORMAT, "is not a text file");
  expect_refused(w, w->box.folder, EDGEFW_IO, "it is a folder");
  expect_refused(w, sandbox_path(&w->box, "none.gz"), EDGEFW_IO, "No such file");
  free(text);
}

static edgefw_status read_one(edgefw_context *ctx, void *path) {
  char *text = NULL;
  size_t length = 0;
  const edgefw_status status = edgefw__library_text_read(ctx, path, &text, &length);
  edgefw_release(ctx, text);
  return status;
}

static void running_out_of_memory_leaks_nothing(void **state) {
  workspace *w = *state;
  char path[256];
  snprintf(path, sizeof path, "%s", write_packed(w, "a.gz", "NAME: a\n", 8));
  out_of_memory_sweep(read_one, path);
}

/* A file of some 100 kB that would fill 100 MB is refused; one that is packed as tightly is read,
 * as long as it stays below the size that every file may have. */
static void bombs_are_bounded(void **state) {
  workspace *w = *state;
  const size_t size = (size_t)EDGEFW__UNPACKED_BYTES * 3 / 2;
  char *text = malloc(size);
  assert_non_null(text);
  memset(text, '9', size);
  expect_refused(w, write_packed(w, "bomb.gz", text, size), EDGEFW_FORMAT,
                 "MiB, which no text of its size does");
  char *read = NULL;
  size_t length = 0;
  expect_ok(w->ctx, edgefw__library_text_read(w->ctx, write_packed(w, "dense.gz", text, 1 << 20),
                                              &read, &length));
  assert_int_equal(length, 1 << 20);
  edgefw_release(w->ctx, read);
  free(text);
}

static void names_lose_their_endings(void **state) {
  workspace *w = *state;
  static const char *const stems[][2] = {{"a/br17.atsp", "br17"},  {"a.b/br17.atsp.gz", "br17"},
                                         {"br17.ATSP.GZ", "br17"}, {"X-n101-k25.vrp", "X-n101-k25"},
                                         {"x.opt.tour", "x.opt"},  {"noext", "noext"},
                                         {".gz", ".gz"},           {"a/.atsp", ".atsp"}};
  for (size_t i = 0; i < sizeof stems / sizeof *stems; ++i)
    assert_string_equal(edgefw__library_stem(w->arena, stems[i][0]), stems[i][1]);
  assert_true(edgefw__library_has_extension("a/b.tsp", ".tsp"));
  assert_true(edgefw__library_has_extension("B.TSP", ".tsp"));
  assert_true(edgefw__library_has_extension("b.Tsp.gZ", ".tsp"));
  assert_false(edgefw__library_has_extension("b.atsp.gz", ".tsp"));
  assert_false(edgefw__library_has_extension(".tsp", ".tsp"));
  assert_false(edgefw__library_has_extension("a/.tsp.gz", ".tsp"));
  assert_false(edgefw__library_has_extension("tsp", ".tsp"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(packed_and_plain_texts_are_the_same, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(every_reader_of_library_files_unpacks, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(damaged_files_are_refused, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(running_out_of_memory_leaks_nothing, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(bombs_are_bounded, workspace_set_up, workspace_tear_down),
      cmocka_unit_test_setup_teardown(names_lose_their_endings, workspace_set_up,
                                      workspace_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
