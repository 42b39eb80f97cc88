/* Training that begins with the parameters of a checkpoint, and goes on without it.
 * labels: train */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/io_support.h"
#include "support/tiny_model.h"
#include "train/train.h"

#define TRAIN(seed, init)                                                                          \
  TINY_PLAIN "[experiment]\nseed = " seed                                                          \
             "\n[train]\nsize = 6\ninstances_per_epoch = 4\nbatch = 2\nepochs = 2\n" init

typedef struct fixture {
  char folder[64], from[512], to[512], file[512], text[2048];
  tiny_model tiny;
  io_log log;
  volatile int flag;
} fixture;

static void stop(void *user, const edgefw__train_state *state) {
  fixture *f = user;
  f->flag = state->step == 1; /* of the first epoch */
}

/* Train `text` in `folder`; close() afterwards. */
static edgefw_status train(fixture *f, const char *text, const char *folder, bool stops) {
  f->flag = 0;
  f->log = (io_log){0};
  tiny_open(&f->tiny, text, "reference", strstr(text, "seed = 5") ? 5 : 1234,
            true); /* as a run does: from its seed */
  edgefw_set_log(f->tiny.ctx, io_collect, &f->log);
  edgefw_set_interrupt(f->tiny.ctx, &f->flag);
  const edgefw__train_request request = {.model = f->tiny.model,
                                         .folder = folder,
                                         .observer = stops ? stop : NULL,
                                         .observer_user = f};
  return edgefw__train(&request, NULL, 0);
}

/* A trained model in from/checkpoint-2.h5, and in `text` the configuration that begins with it. */
static void begin(fixture *f) {
  *f = (fixture){0};
  io_folder_create(f->folder, sizeof f->folder);
  io_path(f->from, f->folder, "from");
  io_path(f->to, f->folder, "to");
  io_path(f->file, f->from, "checkpoint-2.h5");
  tiny_ok(&f->tiny, train(f, TRAIN("5", ""), f->from, false));
  tiny_close(&f->tiny);
  snprintf(f->text, sizeof f->text, TRAIN("1234", "init = %s\n"), f->file);
}

/* The trained parameters; free(). */
static double *trained(fixture *f) {
  const edgefw__parameters *p = f->tiny.model->parameters;
  return tiny_download(&f->tiny, p->values, p->total);
}

static void a_resumed_training_is_the_same(void **state) {
  (void)state;
  fixture f;
  begin(&f);
  tiny_ok(&f.tiny, train(&f, f.text, f.to, false));
  assert_non_null(strstr(f.log.text, "training begins with '"));
  double *whole = trained(&f);
  const size_t bytes = (size_t)f.tiny.model->parameters->total * sizeof *whole;
  tiny_close(&f.tiny);
  io_path(f.to, f.folder, "stopped");
  tiny_fails(&f.tiny, train(&f, f.text, f.to, true), EDGEFW_INTERRUPTED, "epoch 1");
  tiny_close(&f.tiny);
  assert_int_equal(remove(f.file), 0); /* it is not needed any more */
  tiny_ok(&f.tiny, train(&f, f.text, f.to, false));
  assert_null(strstr(f.log.text, "training begins with"));
  assert_int_equal(f.log.warnings, 0);
  double *resumed = trained(&f);
  check_same_bits(resumed, whole, bytes, "parameters");
  tiny_close(&f.tiny);
  /* New parameters lead elsewhere. */
  io_path(f.to, f.folder, "fresh");
  tiny_ok(&f.tiny, train(&f, TRAIN("1234", ""), f.to, false));
  double *fresh = trained(&f);
  assert_memory_not_equal(fresh, whole, bytes);
  tiny_close(&f.tiny);
  free(whole);
  free(resumed);
  free(fresh);
  io_folder_remove(f.folder);
}

static void a_changed_file_is_told(void **state) {
  (void)state;
  fixture f;
  begin(&f);
  tiny_fails(&f.tiny, train(&f, f.text, f.to, true), EDGEFW_INTERRUPTED, "epoch 1");
  tiny_close(&f.tiny);
  tiny_fails(&f.tiny, train(&f, f.text, f.to, true), EDGEFW_INTERRUPTED, "epoch 2");
  assert_int_equal(f.log.warnings, 0);
  tiny_close(&f.tiny);
  char other[512];
  io_path(other, f.to, "checkpoint-1.h5");
  assert_int_equal(rename(other, f.file), 0);
  tiny_ok(&f.tiny, train(&f, f.text, f.to, false));
  assert_int_equal(f.log.warnings, 1);
  assert_non_null(strstr(f.log.text, "holds other parameters than those that training began with"));
  tiny_close(&f.tiny);
  /* Another file in the configuration is another training. */
  snprintf(f.text, sizeof f.text, TRAIN("1234", "init = %s/other.h5\n"), f.folder);
  tiny_fails(&f.tiny, train(&f, f.text, f.to, false), EDGEFW_MISMATCH, "[train] init is");
  tiny_close(&f.tiny);
  io_folder_remove(f.folder);
}

static void a_file_that_is_missing_stops_the_beginning(void **state) {
  (void)state;
  fixture f;
  begin(&f);
  assert_int_equal(remove(f.file), 0);
  tiny_fails(&f.tiny, train(&f, f.text, f.to, false), EDGEFW_IO, "checkpoint-2.h5");
  tiny_close(&f.tiny);
  io_folder_remove(f.folder);
}

int main(void) {
  if (tiny_missing()) return TEST_SKIPPED;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_resumed_training_is_the_same),
      cmocka_unit_test(a_changed_file_is_told),
      cmocka_unit_test(a_file_that_is_missing_stops_the_beginning),
  };
  return test_run(tests, NULL, NULL);
}
