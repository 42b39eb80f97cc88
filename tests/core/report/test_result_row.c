/* Rows of results: what they say of an evaluation, and how people read them. */
#include "support/test.h"

#include <math.h>

#include "report/result_row.h"
#include "support/tiny_model.h"

static const edgefw__instance_set set = {.name = "6", .n = 6, .size = 6, .count = 4};

static void a_row_says_how_and_what(void **state) {
  (void)state;
  tiny_model tiny;
  tiny_open(&tiny, TINY_PLAIN, "reference", 5, false);
  const edgefw__eval_settings settings = {
      .clip = 50, .select = EDGEFW_SELECT_SAMPLE, .samples = 3, .starts = 2, .augment = 1};
  const edgefw__eval_result result = {.instances = 4,
                                      .objective = 3,
                                      .plain_objective = 3,
                                      .length = (double)NAN,
                                      .reference = 2,
                                      .gap_percent = 50,
                                      .reference_kind = EDGEFW__REFERENCE_UNKNOWN,
                                      .seconds = 1};
  char select[EDGEFW__DECODING_TEXT];
  edgefw__result row = edgefw__result_of(tiny.model, &set, &settings, &result, 7, select);
  assert_string_equal(row.variant, tiny.composition->variant);
  assert_string_equal(row.set, "6");
  assert_string_equal(row.select, "sample");
  assert_int_equal(row.n, 6);
  assert_int_equal(row.instances, 4);
  assert_int_equal(row.starts, 2);
  assert_int_equal(row.model, 7);
  assert_true(row.objective == 3 && row.seconds == 1 && row.logit_clip == 50);
  assert_true(isnan(row.reference) && isnan(row.gap_percent)); /* it has none */
  edgefw__eval_result compared = result;
  compared.has_reference = true;
  compared.reference_kind = EDGEFW__REFERENCE_BOUND;
  row = edgefw__result_of(tiny.model, &set, &settings, &compared, 7, select);
  assert_true(row.reference == 2 && row.gap_percent == 50);
  assert_int_equal(row.reference_kind, EDGEFW__REFERENCE_BOUND);
  tiny_close(&tiny);
}

/* All that is done beside and behind rollouts, in its order. */
static void a_row_names_its_searches(void **state) {
  (void)state;
  tiny_model tiny;
  tiny_open(&tiny, TINY_PLAIN, "reference", 5, false);
  const edgefw__eval_result result = {.instances = 4};
  edgefw__instance_set begun = set;
  begun.start = "a.tour";
  static const int64_t fixed[] = {1};
  edgefw__eval_settings settings = {.clip = 50, .samples = 1, .improve = true, .kicks = 2};
  static const struct {
    int64_t beam, fixed, reconstruct;
    bool start;
    const char *name;
  } cases[] = {{0, 0, 0, false, "greedy+local+kicks"},
               {3, 0, 0, false, "greedy+beam+local+kicks"},
               {0, 1, 0, false, "greedy+fixed+local+kicks"},
               {0, 0, 0, true, "greedy+start+local+kicks"},
               {0, 0, 5, false, "greedy+local+reconstruct+kicks"},
               {2, 1, 5, true, "greedy+beam+fixed+start+local+reconstruct+kicks"}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
    settings.beam = cases[c].beam;
    settings.fixed = fixed;
    settings.fixed_count = cases[c].fixed;
    settings.reconstruct = cases[c].reconstruct;
    char select[EDGEFW__DECODING_TEXT];
    const edgefw__result row = edgefw__result_of(tiny.model, cases[c].start ? &begun : &set,
                                                 &settings, &result, 7, select);
    assert_string_equal(row.select, cases[c].name);
  }
  /* A time alone is one of kicks; beside reconstruct it is its. */
  char select[EDGEFW__DECODING_TEXT];
  settings = (edgefw__eval_settings){.select = EDGEFW_SELECT_SAMPLE, .time_limit = 1};
  assert_string_equal(edgefw__decoding_text(tiny.composition, &set, &settings, select),
                      "sample+kicks");
  settings.reconstruct = 3;
  assert_string_equal(edgefw__decoding_text(tiny.composition, NULL, &settings, select),
                      "sample+reconstruct");
  tiny_close(&tiny);
}

static void people_read_a_line(void **state) {
  (void)state;
  edgefw_context *ctx = NULL;
  assert_int_equal(edgefw_context_create(&ctx, NULL), EDGEFW_OK);
  edgefw__text text = {.ctx = ctx};
  edgefw__result row = {.set = "100",
                        .n = 100,
                        .instances = 1000,
                        .objective = 4.0 / 3.0,
                        .reference = 2,
                        .gap_percent = -25,
                        .reference_kind = EDGEFW__REFERENCE_BOUND,
                        .seconds = 2};
  edgefw__result_plain(&text, &row);
  row.reference_kind = EDGEFW__REFERENCE_OPTIMUM;
  edgefw__result_plain(&text, &row);
  row.instances = 1;
  row.reference = row.gap_percent = (double)NAN;
  edgefw__result_plain(&text, &row);
  assert_string_equal(
      edgefw__text_get(&text),
      "100: 1000 instances, n = 100, cost 1.33333, reference 2, gap to bound -25.00 %, 2.0 s\n"
      "100: 1000 instances, n = 100, cost 1.33333, reference 2, gap -25.00 %, 2.0 s\n"
      "100: 1 instance, n = 100, cost 1.3333333333333333, 2.0 s\n");
  edgefw__text_release(&text);
  edgefw_context_destroy(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_row_says_how_and_what),
      cmocka_unit_test(a_row_names_its_searches),
      cmocka_unit_test(people_read_a_line),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
