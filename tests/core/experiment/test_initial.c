/* What variants begin with: files and other variants, before a run and in it.
 * labels: train
 * needs plugins: edge */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "experiment/initial.h"
#include "experiment/run.h"
#include "support/cli.h"
#include "support/tiny_model.h"

#define TRAIN                                                                                      \
  "[experiment]\ndevice = reference\n"                                                             \
  "[eval]\nsizes =\n"                                                                              \
  "[train]\nsize = 6\nepochs = 1\ninstances_per_epoch = 2\nbatch = 2\n"
#define CHAIN                                                                                      \
  TINY_PLAIN TRAIN "[variant first]\n"                                                             \
                   "[variant second]\ntrain.init_from = first\ndecoder.terms = edge\n"             \
                   "[variant third]\ntrain.init_from = second\nbackbone.embedding_dim = 16\n"

typedef struct fixture {
  sandbox box;
  tiny_model tiny;
} fixture;

static void begin(fixture *f, const char *text) {
  sandbox_create(&f->box);
  tiny_begin(&f->tiny, NULL, text, "reference");
}

static void end(fixture *f) {
  tiny_close(&f->tiny);
  sandbox_remove(&f->box);
}

/* Check what variant `v` would begin with. */
static edgefw_status check(fixture *f, int v, edgefw__text *text) {
  edgefw__model *model = NULL;
  tiny_ok(&f->tiny, edgefw__model_declare(&f->tiny.engine, &f->tiny.config->variants[v], &model));
  const edgefw_status status = edgefw__initial_check(model, text);
  edgefw__model_destroy(model);
  return status;
}

static void variants_are_compared_before_they_are_trained(void **state) {
  (void)state;
  fixture f;
  begin(&f, CHAIN);
  edgefw__text text = {.ctx = f.tiny.ctx};
  tiny_ok(&f.tiny, check(&f, 0, &text));
  assert_string_equal(edgefw__text_get(&text), "");
  tiny_ok(&f.tiny, check(&f, 1, &text));
  assert_non_null(strstr(edgefw__text_get(&text), ";   begins with what first trains: "));
  assert_non_null(strstr(edgefw__text_get(&text), "tensors that start fresh: 4\n"));
  tiny_fails(&f.tiny, check(&f, 2, NULL), EDGEFW_MISMATCH, "what second trains: parameter '");
  edgefw__text_release(&text);
  end(&f);
}

static edgefw_status run(fixture *f, const char *variant) {
  edgefw__text table = {.ctx = f->tiny.ctx};
  const edgefw__run_request request = {.registry = f->tiny.registry,
                                       .config = f->tiny.config,
                                       .folder = sandbox_path(&f->box, "run"),
                                       .steps = EDGEFW__RUN_TRAIN,
                                       .variant = variant};
  const edgefw_status status = edgefw__experiment_run(f->tiny.ctx, &request, &table);
  edgefw__text_release(&table);
  return status;
}

static void a_variant_begins_with_what_another_trained(void **state) {
  (void)state;
  fixture f;
  begin(&f, TINY_PLAIN TRAIN "[variant first]\n[variant second]\ntrain.init_from = first\n"
                             "decoder.terms = edge\n");
  tiny_fails(&f.tiny, run(&f, "second"), EDGEFW_CONFIG, "no checkpoint of that variant");
  tiny_ok(&f.tiny, run(&f, NULL));
  char *log = cli_read(&f.box, "run/log.txt");
  assert_non_null(strstr(log, "second: training begins with '"));
  assert_non_null(strstr(log, "/first/checkpoint-1.h5'"));
  free(log);
  assert_int_equal(unlink(sandbox_path(&f.box, "run/first/checkpoint-1.h5")), 0);
  tiny_ok(&f.tiny, run(&f, "second")); /* it has a state of its own */
  end(&f);
}

/* A training that is not at its end is nothing to begin with; one whose patience is over is, and
 * what did best in validation is taken. */
static void what_a_variant_begins_with_is_complete(void **state) {
  (void)state;
  fixture f;
  const char *path = NULL;
  edgefw_arena *arena = NULL;
  begin(&f, TINY_PLAIN TRAIN "[variant first]\ntrain.epochs = 3\ntrain.validate_every = 1\n"
                             "train.validation_instances = 2\n"
                             "[variant second]\ntrain.init_from = first\n");
  tiny_ok(&f.tiny, edgefw_arena_create(f.tiny.ctx, &arena, "test", 1 << 12, true));
  tiny_ok(&f.tiny, run(&f, "first"));
  const edgefw__composition *second = &f.tiny.config->variants[1];
  tiny_ok(&f.tiny,
          edgefw__initial_path(f.tiny.ctx, arena, sandbox_path(&f.box, "run"), second, &path));
  assert_non_null(strstr(path, "/run/first/best.h5"));
  edgefw__composition longer = *second, first = f.tiny.config->variants[0];
  tiny_model more; /* the same, but for its epochs */
  tiny_begin(&more, NULL, TINY_PLAIN "[train]\nepochs = 5\nvalidate_every = 1\n", "reference");
  first.train = more.composition->train;
  longer.initial = &first;
  tiny_fails(&f.tiny,
             edgefw__initial_path(f.tiny.ctx, arena, sandbox_path(&f.box, "run"), &longer, &path),
             EDGEFW_CONFIG, "init_from = first: 3 of its 5 epochs are trained");
  tiny_close(&more);
  edgefw_arena_destroy(arena);
  end(&f);
}

/* A run refuses a file that does not fit before it writes anything. */
static void a_file_is_tried_before_the_run(void **state) {
  (void)state;
  fixture f;
  begin(&f, TINY_PLAIN TRAIN "init = /none.h5\n");
  tiny_fails(&f.tiny, run(&f, NULL), EDGEFW_IO, "/none.h5");
  assert_false(cli_exists(&f.box, "run"));
  end(&f);
}

int main(void) {
  if (tiny_missing()) return TEST_SKIPPED;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(variants_are_compared_before_they_are_trained),
      cmocka_unit_test(a_variant_begins_with_what_another_trained),
      cmocka_unit_test(what_a_variant_begins_with_is_complete),
      cmocka_unit_test(a_file_is_tried_before_the_run),
  };
  return test_run(tests, NULL, NULL);
}
