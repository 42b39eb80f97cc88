/* The device `cpu` itself: choice of the instruction set, and how little it matters. */
#include "support/test.h"

#include "support/decode_support.h"

#include <stdlib.h>
#include <string.h>

#define VARIABLE "EDGEFW_CPU_VARIANT"

/* The device called `name`; NULL if it cannot run here. */
static const ks_device *find(const ks_devices *devices, const char *name) {
  for (int i = 0; i < devices->count; ++i)
    if (strcmp(devices->item[i].name, name) == 0) return &devices->item[i];
  return NULL;
}

static const ks_device *cpu(void **state) {
  const ks_device *device = find(*state, "cpu");
  if (!device) skip();
  return device;
}

/* Make a device of its own with the variable set to `variant` (NULL: not set), and say what it
 * describes itself as, or which message it fails with. */
static edgefw_status create_with(const ks_device *d, const char *variant, char text[512]) {
  const char *before = getenv(VARIABLE);
  char *kept = before ? strdup(before) : NULL;
  edgefw_context *ctx = NULL;
  edgefw_device *device = NULL;
  if (variant)
    setenv(VARIABLE, variant, 1);
  else
    unsetenv(VARIABLE);
  assert_int_equal(edgefw_context_create(&ctx, NULL), EDGEFW_OK);
  const edgefw_status status = d->k->create(ctx, &device);
  strncpy(text, status == EDGEFW_OK ? d->k->describe(device) : edgefw_message(ctx), 511);
  text[511] = '\0';
  d->k->destroy(device);
  edgefw_context_destroy(ctx);
  if (kept)
    setenv(VARIABLE, kept, 1);
  else
    unsetenv(VARIABLE);
  free(kept);
  return status;
}

static void it_says_what_it_is(void **state) {
  char text[512];
  assert_int_equal(create_with(cpu(state), NULL, text), EDGEFW_OK);
  assert_non_null(strstr(text, " kernels, BLAS: "));
  char same[512];
  assert_int_equal(create_with(cpu(state), "", same), EDGEFW_OK); /* empty is not set */
  assert_string_equal(same, text);
}

static void an_instruction_set_can_be_forced(void **state) {
  static const char *const names[] = {"v2", "v3", "v4"};
  char text[512];
  assert_int_equal(create_with(cpu(state), NULL, text), EDGEFW_OK);
  if (strstr(text, "plain C")) skip();
  bool below = true; /* an instruction set can run only if those below it can */
  for (int v = 0; v < 3; ++v) {
    const edgefw_status status = create_with(cpu(state), names[v], text);
    if (status == EDGEFW_OK) {
      assert_true(below);
      assert_memory_equal(text, names[v], 2);
    } else {
      below = false;
      assert_int_equal(status, EDGEFW_CONFIG);
      assert_non_null(strstr(text, names[v]));
    }
  }
}

static void an_unknown_one_is_refused(void **state) {
  static const char *const names[] = {"v9", "avx2", "V4", "v", "v22"};
  char text[512];
  for (int v = 0; v < 5; ++v) {
    assert_int_equal(create_with(cpu(state), names[v], text), EDGEFW_CONFIG);
    char given[64] = VARIABLE "=";
    strncat(given, names[v], 16);
    assert_non_null(strstr(text, given));
    assert_non_null(strstr(text, "expected"));
  }
}

static int64_t count_equal(const ds_rollouts *a, const ds_rollouts *b, int64_t rows, int64_t n) {
  int64_t equal = 0;
  for (int64_t row = 0; row < rows; ++row)
    equal += memcmp(a->tours + row * n, b->tours + row * n, (size_t)n * sizeof(int32_t)) == 0;
  return equal;
}

/* Rounding differs between instruction sets, and now and then it decides between two candidates. */
static void greedy_tours_hardly_depend_on_it(void **state) {
  const ks_devices *devices = *state;
  const ds_shape shape = {10, 40, 40, 4, 8, 16, true, 50, &edgefw__reinforce};
  const ks_device *best = cpu(state);
  const int64_t rows = shape.batch * shape.rollouts;
  ds_problem p;
  ds_rollouts expected;
  ds_create(&p, &shape, "decode", 0.7);
  ds_decode(&p, best, EDGEFW_SELECT_GREEDY, 0, 0, shape.rollouts, NULL, &expected);
  for (int i = 0; i < devices->count; ++i) {
    ds_rollouts r;
    ds_decode(&p, &devices->item[i], EDGEFW_SELECT_GREEDY, 0, 0, shape.rollouts, NULL, &r);
    const int64_t equal = count_equal(&r, &expected, rows, shape.nodes);
    if (equal * 100 < rows * 99)
      fail_msg("%s: %lld of %lld greedy tours equal those of %s", devices->item[i].name,
               (long long)equal, (long long)rows, best->name);
    ds_rollouts_destroy(&r);
  }
  ds_rollouts_destroy(&expected);
  ds_destroy(&p);
}

static void nothing_can_be_destroyed(void **state) {
  cpu(state)->k->destroy(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_says_what_it_is),
      cmocka_unit_test(an_instruction_set_can_be_forced),
      cmocka_unit_test(an_unknown_one_is_refused),
      cmocka_unit_test(greedy_tours_hardly_depend_on_it),
      cmocka_unit_test(nothing_can_be_destroyed),
  };
  return test_run(tests, ks_setup, ks_teardown);
}
