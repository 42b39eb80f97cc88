/* The bench as a whole: which sections and sizes, refusals, and what follows from a row. */
#include "support/test.h"

#include <string.h>

#include "bench/bench_internal.h"
#include "support/bench_tiny.h"
#include "support/toy_gpu.h"
#include "support/check.h"

static void what_is_asked_for_is_measured(void **state) {
  (void)state;
  tiny_model tiny;
  edgefw__bench_report *report = bench_tiny_open(&tiny, EDGEFW__BENCH_EVAL | EDGEFW__BENCH_TRAIN);
  assert_int_equal(report->group_count, 2);
  assert_int_equal(report->groups[0].section, EDGEFW__BENCH_EVAL);
  assert_int_equal(report->groups[1].section, EDGEFW__BENCH_TRAIN);
  assert_string_equal(report->device, "cpu");
  assert_string_equal(report->problem, "atsp");
  assert_int_equal(report->width, 8);
  assert_int_equal(report->threads, 1);
  assert_true(report->parameters > 0 && report->peak_first > 0 && report->peak_last > 0);
  assert_non_null(strstr(report->config, "embedding_dim = 8"));
  for (int g = 0; g < report->group_count; ++g) {
    const edgefw__bench_group *group = &report->groups[g];
    assert_int_equal(group->n, 6);
    assert_int_equal(group->batch, 2);
    assert_int_equal(group->rollouts, 6);
    assert_true(group->memory > 0 && group->peak > 0);
    assert_true(group->row_count <= group->row_capacity);
  }
  bench_tiny_close(&tiny, report);
}

static void expect_refusal(const edgefw__bench_settings *settings, edgefw_status status,
                           const char *message) {
  tiny_model tiny;
  edgefw__bench_report *report = NULL;
  tiny_begin(&tiny, NULL, TINY_PLAIN, "reference");
  tiny_fails(&tiny, edgefw__bench(tiny.ctx, tiny.registry, settings, &report), status, message);
  assert_null(report);
  tiny_close(&tiny);
}

static void what_cannot_be_measured_is_refused(void **state) {
  (void)state;
  edgefw__bench_settings settings = bench_tiny_settings(0);
  settings.sizes[0] = 1;
  expect_refusal(&settings, EDGEFW_CONFIG, "--sizes: 1 nodes; expected 2 to");
  settings.sizes[0] = 500;
  settings.sections = EDGEFW__BENCH_TRAIN;
  expect_refusal(&settings, EDGEFW_CONFIG, "on up to 200 nodes");
  settings = bench_tiny_settings(0);
  settings.device = "abacus";
  expect_refusal(&settings, EDGEFW_PLUGIN_FIND, "abacus");
}

/* A GPU that has no product to compare with, but memory of its own, and that runs ahead. */
static void a_device_without_a_product_has_no_shares(void **state) {
  (void)state;
  tiny_model tiny;
  sandbox box;
  edgefw__bench_report *report = NULL;
  edgefw__bench_settings settings = bench_tiny_settings(0);
  settings.device = "cuda";
  settings.precision = "fp32";
  sandbox_create(&box);
  tiny_open_gpu(&tiny, &box, TINY_PLAIN, 1, false);
  tiny_ok(&tiny, edgefw__bench(tiny.ctx, tiny.registry, &settings, &report));
  assert_string_equal(report->device, "cuda");
  assert_string_equal(report->precision, "fp32");
  assert_true(edgefw__bench_peak(report) == 0.0);
  assert_true(report->group_count > 0);
  for (int g = 0; g < report->group_count; ++g) {
    assert_true(report->groups[g].device_memory > 0);
    for (int r = 0; r < report->groups[g].row_count; ++r) {
      const edgefw__bench_rates rates = edgefw__bench_rates_of(report, &report->groups[g].rows[r]);
      assert_true(rates.seconds > 0.0 && rates.instances > 0.0);
      assert_true(rates.peak_share == 0.0 && rates.instances_per_gflop == 0.0);
    }
  }
  assert_true(toy_gpu_state(tiny.registry)->finished > 10);
  edgefw__bench_report_destroy(report);
  tiny_close(&tiny);
  sandbox_remove(&box);
}

static void an_interruption_ends_it(void **state) {
  (void)state;
  tiny_model tiny;
  edgefw__bench_report *report = NULL;
  const volatile int interrupted = 1;
  const edgefw__bench_settings settings = bench_tiny_settings(0);
  tiny_begin(&tiny, NULL, TINY_PLAIN, "cpu");
  edgefw_set_interrupt(tiny.ctx, &interrupted);
  tiny_fails(&tiny, edgefw__bench(tiny.ctx, tiny.registry, &settings, &report), EDGEFW_INTERRUPTED,
             "interrupted");
  assert_null(report);
  tiny_close(&tiny);
}

static void rates_follow_from_the_median(void **state) {
  (void)state;
  const edgefw__bench_report report = {.peak_first = 4e9, .peak_last = 2e9};
  edgefw__bench_row row = {.instances = 8, .flops = 1e9, .bytes = 3e9};
  assert_true(edgefw__bench_peak(&report) == 4e9);
  edgefw__bench_group between = {.peak = 5e9};
  const edgefw__bench_report longer = {
      .peak_first = 4e9, .peak_last = 2e9, .groups = &between, .group_count = 1};
  assert_true(edgefw__bench_peak(&longer) == 5e9);
  assert_true(edgefw__bench_rates_of(&report, &row).instances == 0); /* not measured */
  edgefw__timing_add(&row.timing, 0.5);
  edgefw__bench_rates rates = edgefw__bench_rates_of(&report, &row);
  const double found[] = {
      rates.seconds,    rates.per_instance, rates.instances,          rates.flops,
      rates.peak_share, rates.bytes,        rates.instances_per_gflop};
  const double expected[] = {0.5, 0.0625, 16, 2e9, 0.5, 6e9, 4};
  check_close_f64(found, expected, 7, 0, 1e-12, "rates");
  row.is_integer = true;
  assert_true(edgefw__bench_rates_of(&report, &row).peak_share == 0);
}

static void sections_have_names(void **state) {
  (void)state;
  assert_string_equal(edgefw__bench_section_name(EDGEFW__BENCH_OPS), "ops");
  assert_string_equal(edgefw__bench_section_name(EDGEFW__BENCH_TRAIN), "train");
  assert_null(edgefw__bench_section_name(0));
}

/* The first of three rounds is dropped when the second one begins. */
static void the_warm_up_is_dropped(void **state) {
  (void)state;
  tiny_model tiny;
  edgefw__bench_settings settings = bench_tiny_settings(0);
  settings.repeat = 2;
  tiny_begin(&tiny, NULL, TINY_PLAIN, "reference");
  const edgefw__bench_run run = {.ctx = tiny.ctx, .settings = &settings};
  edgefw__bench_row rows[2] = {{0}};
  edgefw__bench_group group = {.rows = rows, .row_count = 2, .row_capacity = 2};
  edgefw__timing_add(&rows[0].timing, 9.0); /* of another measurement */
  edgefw__bench_rounds rounds = edgefw__bench_begin_rounds(&run, 1);
  for (double s = 1.0; edgefw__bench_next_round(&run, &rounds, &group, 1); s += 1.0)
    edgefw__timing_add(&rows[1].timing, s);
  assert_int_equal(rows[0].timing.count, 1);
  assert_int_equal(rows[1].timing.count, 2);
  assert_true(rows[1].timing.seconds[0] == 2.0 && rows[1].timing.seconds[1] == 3.0);
  tiny_close(&tiny);
}

int main(void) {
  if (bench_tiny_missing()) return TEST_SKIPPED;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_asked_for_is_measured),
      cmocka_unit_test(what_cannot_be_measured_is_refused),
      cmocka_unit_test(a_device_without_a_product_has_no_shares),
      cmocka_unit_test(an_interruption_ends_it),
      cmocka_unit_test(rates_follow_from_the_median),
      cmocka_unit_test(sections_have_names),
      cmocka_unit_test(the_warm_up_is_dropped),
  };
  return test_run(tests, NULL, NULL);
}
