/* Fingerprints of models: equal for equal parameters, different after any change. */
#include "support/test.h"

#include "policy/fingerprint.h"
#include "support/tiny_model.h"

static uint64_t fingerprint(const tiny_model *tiny) {
  uint64_t value = 0;
  tiny_ok(tiny, edgefw__fingerprint(tiny->model, &value));
  return value;
}

static void states_are_told_apart(void **state) {
  (void)state;
  tiny_model a, b, c;
  tiny_open(&a, TINY_PLAIN, "reference", 1, false);
  tiny_open(&b, TINY_PLAIN, "reference", 1, true);
  tiny_open(&c, TINY_PLAIN, "reference", 2, false);
  assert_true(fingerprint(&a) == fingerprint(&b));
  assert_true(fingerprint(&a) != fingerprint(&c));
  /* The last number of the last parameter counts too. */
  edgefw__parameters *parameters = b.model->parameters;
  const double zero = 0.0;
  tiny_upload(&b, (float *)parameters->values + parameters->total - 1, &zero, 1);
  assert_true(fingerprint(&a) != fingerprint(&b));
  tiny_close(&a);
  tiny_close(&b);
  tiny_close(&c);
}

/* Nothing that was worked out with a model is stale because a parameter has another name now. */
static void a_name_of_today_changes_nothing(void **state) {
  (void)state;
  tiny_model tiny;
  tiny_open(&tiny, TINY_PLAIN, "reference", 1, false);
  edgefw__parameter *item = &tiny.model->parameters->items[0];
  const uint64_t before = fingerprint(&tiny);
  const char *name = item->name;
  item->name = "another";
  assert_true(fingerprint(&tiny) != before);
  item->former = name;
  assert_true(fingerprint(&tiny) == before);
  tiny_close(&tiny);
}

int main(void) {
  if (tiny_missing()) return TEST_SKIPPED;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(states_are_told_apart),
      cmocka_unit_test(a_name_of_today_changes_nothing),
  };
  return test_run(tests, NULL, NULL);
}
