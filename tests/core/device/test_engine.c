/* Opening devices: the fastest that can be had, and what is said when it cannot. */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/engine.h"
#include "support/expect.h"
#include "support/toy_gpu.h"
#include "support/toy_plugins.h"

typedef struct fixture {
  sandbox box;
  edgefw_context *ctx;
  edgefw__registry *registry;
  edgefw__engine engine;
  int lines; /* of the log, debug apart */
  char last[2048];
} fixture;

static void keep_line(void *user, edgefw_log_level level, const char *line) {
  fixture *f = user;
  if (level == EDGEFW_LOG_DEBUG) return;
  ++f->lines;
  snprintf(f->last, sizeof f->last, "%s", line);
}

/* `gpu`: the fixture that stands for the GPU's device; `fails`: why it cannot start. */
static void begin(fixture *f, const char *gpu, const char *fails) {
  *f = (fixture){0};
  sandbox_create(&f->box);
  assert_int_equal(edgefw_context_create(&f->ctx, NULL), EDGEFW_OK);
  edgefw_set_log(f->ctx, keep_line, f);
  if (fails)
    setenv("TOY_GPU_FAILS", fails, 1);
  else
    unsetenv("TOY_GPU_FAILS");
  f->registry = toy_gpu_registry(f->ctx, &f->box, gpu);
}

static void end(fixture *f) {
  edgefw__engine_close(&f->engine);
  edgefw__registry_destroy(f->registry);
  edgefw_context_destroy(f->ctx);
  sandbox_remove(&f->box);
  unsetenv("TOY_GPU_FAILS");
}

/* Open it and say aloud what there is to say. */
static edgefw_status open_device(fixture *f, const char *name) {
  const edgefw_status status = edgefw__engine_open(f->ctx, f->registry, name, &f->engine);
  assert_int_equal(f->lines, 0); /* opening itself says nothing */
  if (status == EDGEFW_OK) edgefw__engine_tell(&f->engine, EDGEFW_LOG_INFO);
  return status;
}

static void automatic_takes_a_gpu_that_works(void **state) {
  (void)state;
  fixture f;
  begin(&f, "toy_gpu", NULL);
  expect_ok(f.ctx, open_device(&f, "auto"));
  assert_string_equal(f.engine.name, "cuda");
  assert_true(edgefw__engine_has_memory(&f.engine));
  assert_int_equal(f.lines, 0);
  end(&f);
}

static void without_a_gpu_in_the_tree_nothing_is_said(void **state) {
  (void)state;
  fixture f;
  begin(&f, NULL, NULL);
  expect_ok(f.ctx, open_device(&f, "auto"));
  assert_string_equal(f.engine.name, "cpu");
  assert_false(edgefw__engine_has_memory(&f.engine));
  assert_int_equal(f.lines, 0);
  end(&f);
}

static void a_gpu_that_does_not_start_is_one_line(void **state) {
  (void)state;
  fixture f;
  begin(&f, "toy_gpu", "no NVIDIA GPU is here");
  expect_ok(f.ctx, open_device(&f, "auto"));
  assert_string_equal(f.engine.name, "cpu");
  assert_int_equal(f.lines, 1);
  assert_string_equal(f.last,
                      "device auto: cpu, because cuda cannot be had here: no NVIDIA GPU is here");
  assert_int_equal(edgefw_failure(f.ctx), EDGEFW_OK); /* nothing is left of it */
  assert_string_equal(edgefw_message(f.ctx), "");
  end(&f);
}

static void a_gpu_that_cannot_be_loaded_is_one_line(void **state) {
  (void)state;
  fixture f;
  begin(&f, "undefined_symbol", NULL);
  assert_int_equal(f.lines, 0); /* finding the plugins says nothing */
  expect_ok(f.ctx, open_device(&f, "auto"));
  assert_string_equal(f.engine.name, "cpu");
  assert_int_equal(f.lines, 1);
  assert_non_null(strstr(f.last, "device auto: cpu, because cuda cannot be had here: "));
  assert_non_null(strstr(f.last, "undefined symbol"));
  assert_null(strstr(f.last, "stage"));
  assert_int_equal(edgefw_failure(f.ctx), EDGEFW_OK);
  end(&f);
}

/* Open "auto" in a folder with these files of the build alone, and one of the fixtures. */
static edgefw_status open_among(fixture *f, const char *const *files, const char *link) {
  const char *folder = sandbox_path(&f->box, "few");
  char name[128], target[1024];
  for (; *files; ++files) {
    snprintf(name, sizeof name, "few/edgefw_%s.so", *files);
    snprintf(target, sizeof target, EDGEFW_BUILD_DIR "/lib/edgefw/edgefw_%s.so", *files);
    sandbox_link(&f->box, name, target);
  }
  if (link) sandbox_link(&f->box, "few/edgefw_zzz.so", toy_fixture(link));
  edgefw__registry_destroy(f->registry);
  expect_ok(f->ctx, edgefw__registry_create_from(f->ctx, &folder, 1, &f->registry));
  return open_device(f, "auto");
}

static void rank_decides_not_the_order_of_names(void **state) {
  (void)state;
  fixture f;
  begin(&f, NULL, NULL);
  expect_ok(f.ctx, open_among(&f, (const char *[]){"cpu", "reference", NULL}, "toy_gpu"));
  assert_string_equal(f.engine.name, "cuda"); /* which the last file of the folder has */
  end(&f);
  begin(&f, NULL, NULL);
  expect_ok(f.ctx, open_among(&f, (const char *[]){"reference", "reference64", NULL}, NULL));
  assert_string_equal(f.engine.name, "reference");
  assert_int_equal(f.lines, 0);
  end(&f);
}

static void a_device_without_rank_is_not_taken_by_itself(void **state) {
  (void)state;
  fixture f;
  begin(&f, NULL, NULL);
  expect_failure(f.ctx, open_among(&f, (const char *[]){"reference64", NULL}, NULL),
                 EDGEFW_PLUGIN_FIND, "known: reference64", "device = auto");
  assert_null(f.engine.device);
  edgefw_clear(f.ctx);
  expect_ok(f.ctx, open_device(&f, "reference64"));
  end(&f);
}

/* Only what may be a device is told of. */
static void other_broken_plugins_are_not_told_of(void **state) {
  (void)state;
  fixture f;
  begin(&f, NULL, NULL);
  expect_ok(f.ctx, open_among(&f, (const char *[]){"cpu", NULL}, "older_major"));
  assert_int_equal(edgefw__registry_skipped_count(f.registry), 1);
  assert_int_equal(f.lines, 0); /* it says that it is a term */
  end(&f);
  begin(&f, NULL, NULL);
  expect_ok(f.ctx, open_among(&f, (const char *[]){"cpu", NULL}, "empty_device"));
  assert_int_equal(f.lines, 1); /* it says that it is a device */
  assert_non_null(
      strstr(f.last, "device auto: cpu, because zzz cannot be had here: a device must"));
  end(&f);
}

static void a_file_alone_that_cannot_be_loaded_fails(void **state) {
  (void)state;
  fixture f;
  begin(&f, NULL, NULL);
  expect_failure(f.ctx, open_among(&f, (const char *[]){NULL}, "undefined_symbol"),
                 EDGEFW_PLUGIN_OPEN, "device = zzz", "undefined symbol", "device = auto");
  end(&f);
}

static void a_gpu_asked_for_by_name_must_be_had(void **state) {
  (void)state;
  fixture f;
  begin(&f, "toy_gpu", "the driver is too old");
  expect_failure(f.ctx, open_device(&f, "cuda"), EDGEFW_PLUGIN_INIT, "the driver is too old");
  assert_null(f.engine.device);
  end(&f);
  begin(&f, "undefined_symbol", NULL);
  expect_failure(f.ctx, open_device(&f, "cuda"), EDGEFW_PLUGIN_OPEN, "device = cuda: ");
  expect_failure(f.ctx, open_device(&f, "cuda"), EDGEFW_PLUGIN_OPEN, "undefined symbol");
  expect_failure(f.ctx, open_device(&f, "cuda"), EDGEFW_PLUGIN_OPEN, "install what it needs");
  end(&f);
  begin(&f, NULL, NULL);
  expect_failure(f.ctx, open_device(&f, "cuda"), EDGEFW_PLUGIN_FIND, "no device plugin is called");
  end(&f);
}

/* A misspelt wish is no reason to go on with a slower device. */
static void a_wish_that_cannot_be_met_is_an_error(void **state) {
  (void)state;
  const char *before = getenv("EDGEFW_CPU_VARIANT");
  char *kept = before ? strdup(before) : NULL;
  fixture f;
  begin(&f, NULL, NULL);
  setenv("EDGEFW_CPU_VARIANT", "avx2", 1);
  expect_failure(f.ctx, open_device(&f, "auto"), EDGEFW_CONFIG, "EDGEFW_CPU_VARIANT=avx2",
                 "expected", "device = auto");
  assert_null(f.engine.device);
  expect_failure(f.ctx, open_device(&f, "cpu"), EDGEFW_CONFIG, "EDGEFW_CPU_VARIANT=avx2");
  expect_ok(f.ctx, open_device(&f, "reference")); /* which it does not concern */
  if (kept)
    setenv("EDGEFW_CPU_VARIANT", kept, 1);
  else
    unsetenv("EDGEFW_CPU_VARIANT");
  free(kept);
  end(&f);
}

static void precision_is_what_was_asked_for(void **state) {
  static const struct {
    edgefw__precision_choice choice;
    edgefw_precision set;
    const char *name;
  } cases[] = {{EDGEFW__PRECISION_AUTO, EDGEFW_PRECISION_TF32, "tf32"},
               {EDGEFW__PRECISION_FP32, EDGEFW_PRECISION_FP32, "fp32"},
               {EDGEFW__PRECISION_TF32, EDGEFW_PRECISION_TF32, "tf32"}};
  (void)state;
  for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
    fixture f;
    begin(&f, "toy_gpu", NULL);
    expect_ok(f.ctx,
              edgefw__engine_open_with(f.ctx, f.registry, "cuda", cases[c].choice, &f.engine));
    assert_int_equal(toy_gpu_state(f.registry)->precisions_set, 1);
    assert_int_equal(toy_gpu_state(f.registry)->precision, cases[c].set);
    assert_string_equal(edgefw__engine_precision_name(&f.engine), cases[c].name);
    end(&f);
  }
}

static void a_precision_that_is_not_there_is_refused(void **state) {
  (void)state;
  fixture f;
  begin(&f, "toy_gpu", NULL);
  expect_ok(f.ctx,
            edgefw__engine_open_with(f.ctx, f.registry, "cpu", EDGEFW__PRECISION_FP32, &f.engine));
  assert_string_equal(edgefw__engine_precision_name(&f.engine), "fp32");
  edgefw__engine_close(&f.engine);
  expect_failure(
      f.ctx, edgefw__engine_open_with(f.ctx, f.registry, "cpu", EDGEFW__PRECISION_TF32, &f.engine),
      EDGEFW_CONFIG, "precision = tf32: device cpu computes products in fp32 and bf16 only");
  assert_null(f.engine.device);
  expect_failure(
      f.ctx,
      edgefw__engine_open_with(f.ctx, f.registry, "reference64", EDGEFW__PRECISION_BF16, &f.engine),
      EDGEFW_CONFIG, "computes products in fp64 only");
  expect_failure(
      f.ctx, edgefw__engine_open_with(f.ctx, f.registry, "cuda", EDGEFW__PRECISION_BF16, &f.engine),
      EDGEFW_UNSUPPORTED, "toy GPU: bf16 is too new for it (precision = bf16)");
  assert_null(f.engine.device);
  end(&f);
}

/* Opening says nothing, and what is asked for is said to gain no time where it does not. */
static void a_slow_precision_is_told(void **state) {
  (void)state;
  fixture f;
  begin(&f, "toy_gpu", NULL);
  setenv("EDGEFW_CPU_BF16", "plain", 1);
  expect_ok(f.ctx,
            edgefw__engine_open_with(f.ctx, f.registry, "cpu", EDGEFW__PRECISION_BF16, &f.engine));
  assert_string_equal(edgefw__engine_precision_name(&f.engine), "bf16");
  assert_int_equal(f.lines, 0);
  edgefw__engine_tell(&f.engine, EDGEFW_LOG_INFO);
  assert_int_equal(f.lines, 1);
  assert_non_null(strstr(f.last, "precision = bf16: device cpu has nothing here that makes it"));
  edgefw__engine_close(&f.engine);
  expect_ok(f.ctx,
            edgefw__engine_open_with(f.ctx, f.registry, "cpu", EDGEFW__PRECISION_AUTO, &f.engine));
  assert_string_equal(edgefw__engine_precision_name(&f.engine), "fp32");
  edgefw__engine_tell(&f.engine, EDGEFW_LOG_INFO);
  assert_int_equal(f.lines, 1);
  unsetenv("EDGEFW_CPU_BF16");
  end(&f);
}

static void precisions_have_names(void **state) {
  (void)state;
  edgefw__precision_choice choice = EDGEFW__PRECISION_AUTO;
  assert_true(edgefw__precision_parse("bf16", &choice));
  assert_int_equal(choice, EDGEFW__PRECISION_BF16);
  assert_false(edgefw__precision_parse("fp8", &choice));
  assert_false(edgefw__precision_parse("", &choice));
}

static void finishing_is_passed_on(void **state) {
  (void)state;
  fixture f;
  begin(&f, "toy_gpu", NULL);
  expect_ok(f.ctx, open_device(&f, "cuda"));
  expect_ok(f.ctx, edgefw__engine_finish(&f.engine));
  assert_int_equal(toy_gpu_state(f.registry)->finished, 1);
  edgefw__engine_close(&f.engine);
  expect_ok(f.ctx, open_device(&f, "reference"));
  expect_ok(f.ctx, edgefw__engine_finish(&f.engine)); /* which has nothing to wait for */
  end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(automatic_takes_a_gpu_that_works),
      cmocka_unit_test(without_a_gpu_in_the_tree_nothing_is_said),
      cmocka_unit_test(a_gpu_that_does_not_start_is_one_line),
      cmocka_unit_test(a_gpu_that_cannot_be_loaded_is_one_line),
      cmocka_unit_test(rank_decides_not_the_order_of_names),
      cmocka_unit_test(a_device_without_rank_is_not_taken_by_itself),
      cmocka_unit_test(other_broken_plugins_are_not_told_of),
      cmocka_unit_test(a_file_alone_that_cannot_be_loaded_fails),
      cmocka_unit_test(a_gpu_asked_for_by_name_must_be_had),
      cmocka_unit_test(a_wish_that_cannot_be_met_is_an_error),
      cmocka_unit_test(precision_is_what_was_asked_for),
      cmocka_unit_test(a_precision_that_is_not_there_is_refused),
      cmocka_unit_test(a_slow_precision_is_told),
      cmocka_unit_test(precisions_have_names),
      cmocka_unit_test(finishing_is_passed_on),
  };
  return test_run(tests, NULL, NULL);
}
