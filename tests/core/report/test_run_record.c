/* Reading run directories. */
#include "support/test.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "support/check.h"
#include "support/expect.h"
#include "support/run_sample.h"

static void a_run_is_read(void **state) {
  const workspace *w = *state;
  edgefw__run_record record;
  const run_sample sample = run_sample_of("a", 7);
  run_sample_read(w, &sample, &record);
  assert_string_equal(record.report.experiment, "quick");
  assert_string_equal(record.report.problem, "atsp");
  assert_int_equal(record.report.variant_count, 2);
  assert_string_equal(record.report.variants[1], "terms");
  assert_int_equal(record.results.count, 4);
  assert_int_equal(record.report.set_count, 2);
  assert_null(record.report.sets[0].file);
  assert_int_equal(record.report.sets[0].count, 3);
  assert_string_equal(record.report.sets[1].file, "br17");
  assert_null(strstr(record.config, "Written by edgefw"));
  assert_non_null(strstr(record.config, "[experiment]\nname = quick\n"));
  assert_string_equal(edgefw__run_record_value(&record, "experiment", "seed"), "7");
  assert_string_equal(edgefw__run_record_value(&record, "experiment", "none"), "");
}

/* A variant's own keys go before those of all. */
static void variants_have_keys_of_their_own(void **state) {
  const workspace *w = *state;
  edgefw__run_record record;
  run_sample sample = run_sample_of("a", 7);
  sample.more = "[term.one]\nx = 1\n[variant terms]\nbackbone.name = other\ntrained = plain\n";
  sandbox_write(&w->box, "unused", "");
  run_sample_write(w, &sample);
  sandbox_write(&w->box, "a/config.ini",
                EDGEFW__RUN_MARK "[experiment]\nname = q\n[problem]\nname = atsp\n"
                                 "[backbone]\nname = net\n[decoder]\nterms = x\n"
                                 "[report]\nbuckets = 10, 20\n[variant plain]\n"
                                 "[variant terms]\nbackbone.name = other\ntrained = plain\n"
                                 "decoder.terms =\n");
  expect_ok(w->ctx, edgefw__run_record_read(w->ctx, w->arena, sandbox_path(&w->box, "a"), &record));
  edgefw_arena *arena = w->arena;
  assert_string_equal(edgefw__run_record_variant(arena, &record, "plain", "backbone", "name"),
                      "net");
  assert_string_equal(edgefw__run_record_variant(arena, &record, "terms", "backbone", "name"),
                      "other");
  assert_string_equal(edgefw__run_record_variant(arena, &record, "plain", "decoder", "terms"), "x");
  assert_string_equal(edgefw__run_record_variant(arena, &record, "terms", "decoder", "terms"), "");
  assert_string_equal(edgefw__run_record_variant(arena, &record, "terms", "", "trained"), "plain");
  assert_string_equal(edgefw__run_record_variant(arena, &record, "plain", "", "trained"), "");
  assert_int_equal(record.report.buckets.bound_count, 2);
  assert_int_equal(record.report.buckets.bounds[1], 20);
}

static void instances_are_numbers(void **state) {
  const workspace *w = *state;
  edgefw__run_record record;
  edgefw__run_instances of;
  const run_sample sample = run_sample_of("a", 7);
  run_sample_read(w, &sample, &record);
  expect_ok(w->ctx, edgefw__run_record_instances(w->ctx, w->arena, &record, "terms", "6", &of));
  assert_int_equal(of.rows, 3);
  assert_string_equal(of.names[2], "2");
  check_close(of.cost[2], 1.5, 0, 0, "cost");
  check_close(of.gap[2], 50, 0, 0, "gap");
  expect_ok(w->ctx, edgefw__run_record_instances(w->ctx, w->arena, &record, "terms", NULL, &of));
  assert_int_equal(of.rows, 1);
  assert_string_equal(of.names[0], "br17");
  expect_ok(w->ctx, edgefw__run_record_instances(w->ctx, w->arena, &record, "terms", "9", &of));
  assert_int_equal(of.rows, 0); /* no such table */
  sandbox_write(&w->box, "a/results/terms-6.csv",
                "instance,cost,reference,gap_percent\n0,many,,\n");
  expect_failure(w->ctx, edgefw__run_record_instances(w->ctx, w->arena, &record, "terms", "6", &of),
                 EDGEFW_FORMAT, "terms-6.csv:2", "'many'");
}

static void other_folders_are_refused(void **state) {
  const workspace *w = *state;
  edgefw__run_record record;
  const char *folder = sandbox_path(&w->box, "x");
  expect_failure(w->ctx, edgefw__run_record_read(w->ctx, w->arena, folder, &record), EDGEFW_CONFIG,
                 folder, "no run directory", "No such file");
  sandbox_write(&w->box, "x/readme", "");
  expect_failure(w->ctx, edgefw__run_record_read(w->ctx, w->arena, folder, &record), EDGEFW_CONFIG,
                 folder, "no config.ini");
  sandbox_write(&w->box, "x/config.ini", "[experiment]\nname = mine\n");
  expect_failure(w->ctx, edgefw__run_record_read(w->ctx, w->arena, folder, &record), EDGEFW_CONFIG,
                 folder, "no run wrote its config.ini");
  expect_failure(
      w->ctx, edgefw__run_record_read(w->ctx, w->arena, sandbox_path(&w->box, "x/readme"), &record),
      EDGEFW_CONFIG, "it is no folder");
  sandbox_write(&w->box, "x/config.ini", EDGEFW__RUN_MARK "[variant ../../x]\n");
  expect_failure(w->ctx, edgefw__run_record_read(w->ctx, w->arena, folder, &record), EDGEFW_CONFIG,
                 "config.ini", "../../x");
  sandbox_write(&w->box, "x/config.ini", EDGEFW__RUN_MARK "[backbone]\nname = net\n");
  sandbox_write(&w->box, "x/results.csv", "a,b\n");
  expect_failure(w->ctx, edgefw__run_record_read(w->ctx, w->arena, folder, &record), EDGEFW_FORMAT,
                 "results.csv", "columns");
  assert_int_equal(unlink(sandbox_path(&w->box, "x/results.csv")), 0);
  expect_ok(w->ctx, edgefw__run_record_read(w->ctx, w->arena, folder, &record));
  assert_string_equal(record.report.variants[0], "net");
  assert_int_equal(record.report.set_count, 0);
}

int main(void) {
#define RECORD_TEST(name)                                                                          \
  cmocka_unit_test_setup_teardown(name, workspace_set_up, workspace_tear_down)
  const struct CMUnitTest tests[] = {
      RECORD_TEST(a_run_is_read),
      RECORD_TEST(variants_have_keys_of_their_own),
      RECORD_TEST(instances_are_numbers),
      RECORD_TEST(other_folders_are_refused),
  };
  return test_run(tests, NULL, NULL);
}
