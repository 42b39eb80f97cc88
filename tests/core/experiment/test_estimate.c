/* The dry run's text. */
#include "support/test.h"

#include <stdio.h>
#include <string.h>

#include "experiment/estimate.h"
#include "support/failing_allocator.h"
#include "support/tiny_model.h"
#include "support/toy_gpu.h"

#define CONFIG                                                                                     \
  TINY_OURS "[train]\nsize = 6\nepochs = 3\ninstances_per_epoch = 500\nbatch = 4\n"                \
            "milestones = 2\n[eval]\nsizes = 5, 110\ninstances = 7, 2\nstarts = 3\n"

static void sizes_and_times_are_told(void **state) {
  (void)state;
  tiny_model tiny;
  tiny_open(&tiny, CONFIG, "reference", 1, false);
  edgefw__text text = {.ctx = tiny.ctx};
  tiny_ok(&tiny, edgefw__estimate(tiny.ctx, tiny.registry, NULL, tiny.config, &text));
  const char *said = edgefw__text_get(&text);
  char parameters[64];
  snprintf(parameters, sizeof parameters, "; %s\n", tiny.composition->variant);
  assert_int_equal(strncmp(said, tiny.config->text, strlen(tiny.config->text)), 0);
  assert_non_null(strstr(said, parameters));
  snprintf(parameters, sizeof parameters, ";   %lld parameters (0.00 million; ",
           (long long)tiny.model->parameters->total);
  if (tiny.model->parameters->total < 1000 && tiny.model->parameters->foreign_total > 0)
    assert_non_null(strstr(said, parameters));
  assert_non_null(strstr(said, "1,500 instances, about "));
  assert_non_null(strstr(said, "test set 110"));
  assert_non_null(strstr(said, "2 instances, about "));
  edgefw__text_release(&text);
  tiny_close(&tiny);
}

/* Of a search for labels a few kicks are done, and the others counted. */
static void long_searches_are_not_done(void **state) {
  (void)state;
  tiny_model tiny;
  tiny_begin(&tiny, NULL,
             TINY_PLAIN "[train]\nsize = 6\nbatch = 4\nobjective = imitation\nlabels = search\n"
                        "label_starts = 2\nlabel_kicks = 1000000000\n[eval]\nsizes =\n",
             "reference");
  edgefw__text text = {.ctx = tiny.ctx};
  tiny_ok(&tiny, edgefw__estimate(tiny.ctx, tiny.registry, NULL, tiny.config, &text));
  assert_non_null(strstr(edgefw__text_get(&text), "all together about "));
  assert_non_null(strstr(edgefw__text_get(&text), " days\n"));
  edgefw__text_release(&text);
  tiny_close(&tiny);
}

/* Memory is that of the largest size. */
static void several_sizes_are_told(void **state) {
  (void)state;
  tiny_model tiny;
  char memory[64];
  tiny_begin(&tiny, NULL, TINY_OURS "[train]\nsize = 90\nbatch = 4\n[eval]\nsizes =\n",
             "reference");
  edgefw__text text = {.ctx = tiny.ctx};
  tiny_ok(&tiny, edgefw__estimate(tiny.ctx, tiny.registry, NULL, tiny.config, &text));
  const char *line = strstr(edgefw__text_get(&text), "training (n=90)");
  assert_non_null(line);
  assert_int_equal(sscanf(line, "training (n=90) memory %63[^,]", memory), 1);
  edgefw__text_release(&text);
  tiny_close(&tiny);
  tiny_begin(&tiny, NULL, TINY_OURS "[train]\nsizes = 4, 90\nbatch = 4\n[eval]\nsizes =\n",
             "reference");
  text = (edgefw__text){.ctx = tiny.ctx};
  tiny_ok(&tiny, edgefw__estimate(tiny.ctx, tiny.registry, NULL, tiny.config, &text));
  line = strstr(edgefw__text_get(&text), "training (n<=90)");
  assert_non_null(line);
  assert_non_null(strstr(line, memory));
  edgefw__text_release(&text);
  tiny_close(&tiny);
}

/* A device with memory of its own is told of apart, and measured with whole batches. */
static void a_devices_memory_is_told_apart(void **state) {
  (void)state;
  tiny_model tiny;
  sandbox box;
  sandbox_create(&box);
  tiny_open_gpu(&tiny, &box, CONFIG "[experiment]\ndevice = cuda\n", 1, false);
  edgefw__text text = {.ctx = tiny.ctx};
  tiny_ok(&tiny, edgefw__estimate(tiny.ctx, tiny.registry, NULL, tiny.config, &text));
  assert_non_null(strstr(edgefw__text_get(&text), "Estimated for device cuda ("));
  assert_non_null(strstr(edgefw__text_get(&text), ") in tf32, "));
  assert_non_null(strstr(edgefw__text_get(&text), "KB of cuda's, "));
  assert_int_equal(toy_gpu_state(tiny.registry)->largest_batch, 7); /* all of the set of size 5 */
  edgefw__text_release(&text);
  tiny_close(&tiny);
  sandbox_remove(&box);
}

static void shared_training_costs_nothing(void **state) {
  (void)state;
  tiny_model tiny;
  tiny_begin(&tiny, NULL, CONFIG "[variant a]\n[variant b]\ntrained = a\n", "reference");
  edgefw__text text = {.ctx = tiny.ctx};
  tiny_ok(&tiny, edgefw__estimate(tiny.ctx, tiny.registry, NULL, tiny.config, &text));
  const char *said = edgefw__text_get(&text);
  const char *training = strstr(said, "training (n=6)");
  assert_non_null(training);
  assert_null(strstr(training + 1, "training (n=6)"));
  assert_non_null(strstr(training, "no training: what a trains is evaluated"));
  edgefw__text_release(&text);
  tiny_close(&tiny);
}

static void validations_are_counted(void **state) {
  (void)state;
  tiny_model tiny;
  tiny_begin(&tiny, NULL,
             TINY_PLAIN "[train]\nsize = 6\nepochs = 7\ninstances_per_epoch = 8\nbatch = 4\n"
                        "validate_every = 3\nvalidation_instances = 10\npatience = 2\n"
                        "[eval]\nsizes =\n",
             "reference");
  edgefw__text text = {.ctx = tiny.ctx};
  tiny_ok(&tiny, edgefw__estimate(tiny.ctx, tiny.registry, NULL, tiny.config, &text));
  const char *said = strstr(edgefw__text_get(&text), ";   validation       memory ");
  assert_non_null(said);
  assert_non_null(strstr(said, "20 instances, about "));
  assert_non_null(strstr(said, "that is 2 validations; training ends early after 2 that are no "));
  edgefw__text_release(&text);
  tiny_close(&tiny);
}

/* Everything that is allocated may fail; each failure has a message and leaks nothing. */
static void running_out_of_memory_is_reported(void **state) {
  (void)state;
  tiny_model tiny;
  failing_allocator memory;
  const edgefw_allocator allocator = failing_allocator_begin(&memory, FAILING_ALLOCATOR_NEVER);
  tiny_begin(&tiny, &allocator, CONFIG, "reference");
  edgefw_set_threads(tiny.ctx, 1);
  const int64_t live = failing_allocator_live(&memory);
  for (int64_t n = 0, failed = 1; failed; n += 7) {
    edgefw__text text = {.ctx = tiny.ctx};
    failing_allocator_arm(&memory, n);
    const edgefw_status status =
        edgefw__estimate(tiny.ctx, tiny.registry, NULL, tiny.config, &text);
    failed = status != EDGEFW_OK;
    failing_allocator_disarm(&memory);
    edgefw__text_release(&text);
    if (failed) assert_true(status == EDGEFW_OUT_OF_MEMORY && *edgefw_message(tiny.ctx));
    edgefw_clear(tiny.ctx);
    assert_int_equal(failing_allocator_live(&memory), live);
  }
  tiny_close(&tiny);
}

int main(void) {
  if (tiny_missing()) return TEST_SKIPPED;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sizes_and_times_are_told),
      cmocka_unit_test(long_searches_are_not_done),
      cmocka_unit_test(several_sizes_are_told),
      cmocka_unit_test(a_devices_memory_is_told_apart),
      cmocka_unit_test(shared_training_costs_nothing),
      cmocka_unit_test(validations_are_counted),
      cmocka_unit_test(running_out_of_memory_is_reported),
  };
  return test_run(tests, NULL, NULL);
}
