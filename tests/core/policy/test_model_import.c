/* Models in and out: the same numbers, and nothing where something does not fit.
 * needs plugins: atsp tsp radar local_policy */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "policy/fingerprint.h"
#include "policy/model_file.h"
#include "policy/model_import.h"
#include "support/io_support.h"
#include "support/tiny_model.h"
#include "support/weights_support.h"
#include "train/snapshot.h"

typedef struct fixture {
  char folder[64], checkpoint[96], exported[96], imported[96];
  tiny_model tiny;
  edgefw_arena *arena;
} fixture;

static fixture *open_fixture(const char *text) {
  fixture *f = calloc(1, sizeof *f);
  assert_non_null(f);
  io_folder_create(f->folder, sizeof f->folder);
  snprintf(f->checkpoint, sizeof f->checkpoint, "%s/checkpoint-4.h5", f->folder);
  snprintf(f->exported, sizeof f->exported, "%s/x.safetensors", f->folder);
  snprintf(f->imported, sizeof f->imported, "%s/imported.h5", f->folder);
  tiny_open(&f->tiny, text, "reference", 5, true);
  tiny_ok(&f->tiny, edgefw_arena_create(f->tiny.ctx, &f->arena, "fit", 0, true));
  edgefw__progress progress = {.history = {.ctx = f->tiny.ctx}};
  progress.epoch = 4;
  tiny_ok(&f->tiny, edgefw__snapshot_save(f->tiny.model, &progress, f->checkpoint));
  return f;
}

static void close_fixture(fixture *f) {
  edgefw_arena_destroy(f->arena);
  tiny_close(&f->tiny);
  io_folder_remove(f->folder);
  free(f);
}

static edgefw_status import(fixture *f, edgefw__weights *weights, edgefw__imported *found) {
  edgefw__weights_fit fit;
  tiny_ok(&f->tiny, edgefw__weights_fit_find(weights, f->tiny.model->parameters, f->arena, &fit));
  return edgefw__model_import(f->tiny.model, weights, &fit, f->imported, found);
}

static void a_model_goes_out_and_comes_back(void **state) {
  fixture *f = open_fixture(TINY_OURS);
  edgefw__checkpoint *checkpoint = NULL;
  edgefw__weights *weights = NULL;
  edgefw__imported found;
  edgefw__model *model = NULL;
  uint64_t before = 0, after = 1;
  (void)state;
  tiny_ok(&f->tiny, edgefw__checkpoint_open(f->tiny.ctx, f->checkpoint, &checkpoint));
  tiny_ok(&f->tiny, edgefw__model_export(f->tiny.ctx, edgefw__checkpoint_content_of(checkpoint),
                                         f->exported));
  edgefw__checkpoint_close(checkpoint);
  tiny_ok(&f->tiny, edgefw__weights_open(f->tiny.ctx, f->exported, &weights));
  assert_string_equal(edgefw__weights_text(weights, "problem"), "atsp");
  assert_string_equal(edgefw__weights_text(weights, "format"), "pt");
  assert_string_equal(edgefw__weights_text(weights, EDGEFW__METADATA_CONFIG),
                      f->tiny.composition->text);
  tiny_ok(&f->tiny, import(f, weights, &found));
  assert_true(found.rounded == 0 && found.epoch == 4);
  assert_true(found.numbers == f->tiny.model->parameters->total);
  edgefw__weights_close(weights);
  tiny_ok(&f->tiny, edgefw__model_open(&f->tiny.engine, f->tiny.composition, f->imported, &model));
  tiny_ok(&f->tiny, edgefw__fingerprint(f->tiny.model, &before));
  tiny_ok(&f->tiny, edgefw__fingerprint(model, &after));
  assert_true(before == after);
  edgefw__model_destroy(model);
  close_fixture(f);
}

static void what_does_not_fit_writes_nothing(void **state) {
  fixture *f = open_fixture(TINY_PLAIN);
  weights_list list;
  edgefw__imported found;
  (void)state;
  weights_list_of(f->tiny.model->parameters, &list);
  weights_list_at(&list, "decoder.Wk.weight")->name = "decoder.other";
  edgefw__weights *weights = weights_list_open(f->tiny.ctx, &list, f->exported);
  assert_fails(f->tiny.ctx, import(f, weights, &found), EDGEFW_MISMATCH,
               "does not fit radar on atsp: 1 parameters are missing, 0 have another shape, 1 "
               "tensors are left over");
  edgefw__weights_close(weights);
  static const float bad[1024] = {0.5F, INFINITY};
  weights_list_at(&list, "decoder.other")->name = "decoder.Wk.weight";
  weights_list_at(&list, "decoder.Wk.weight")->value = bad;
  weights = weights_list_open(f->tiny.ctx, &list, f->exported);
  assert_fails(f->tiny.ctx, import(f, weights, &found), EDGEFW_FORMAT,
               "number 1 of 'decoder.Wk.weight' is inf");
  edgefw__weights_close(weights);
  assert_int_not_equal(access(f->imported, F_OK), 0);
  close_fixture(f);
}

static void damaged_models_do_not_go_out(void **state) {
  fixture *f = open_fixture(TINY_PLAIN);
  static const float bad[] = {1.0F, NAN};
  const edgefw__checkpoint_tensor tensor = {.name = "a", .rank = 1, .shape = {2}, .value = bad};
  const edgefw__checkpoint_content content = {
      .meta = {.problem = "p", .backbone = "b", .terms = "", .plugins = "", .config = ""},
      .tensors = &tensor,
      .tensor_count = 1};
  (void)state;
  assert_fails(f->tiny.ctx, edgefw__model_export(f->tiny.ctx, &content, f->exported), EDGEFW_FORMAT,
               "parameter a holds a number that is nan");
  assert_int_not_equal(access(f->exported, F_OK), 0);
  close_fixture(f);
}

/* Like every other reader of a model, other programs get what is evaluated. */
static void the_mean_goes_out_where_there_is_one(void **state) {
  fixture *f = open_fixture(TINY_PLAIN);
  static const float last[] = {1.0F, 2.0F}, mean[] = {0.25F, 0.5F};
  const edgefw__checkpoint_tensor tensor = {
      .name = "a", .rank = 1, .shape = {2}, .value = last, .ema = mean};
  const edgefw__checkpoint_content content = {
      .meta = {.problem = "p", .backbone = "b", .terms = "", .plugins = "", .config = ""},
      .tensors = &tensor,
      .tensor_count = 1};
  edgefw__weights *weights = NULL;
  float found[2] = {0};
  int64_t rounded = 0;
  (void)state;
  tiny_ok(&f->tiny, edgefw__model_export(f->tiny.ctx, &content, f->exported));
  tiny_ok(&f->tiny, edgefw__weights_open(f->tiny.ctx, f->exported, &weights));
  tiny_ok(&f->tiny, edgefw__weights_read(weights, 0, found, &rounded));
  assert_memory_equal(found, mean, sizeof mean);
  edgefw__weights_close(weights);
  close_fixture(f);
}

/* A local policy that joins late in training is in force in a trained model. */
static void late_logits_are_in_force(void **state) {
  fixture *f =
      open_fixture(TINY_ON("tsp", "local_policy") "[term.local_policy]\nfrom_step = 300\n");
  weights_list list;
  edgefw__imported found;
  edgefw__checkpoint *checkpoint = NULL;
  (void)state;
  weights_list_of(f->tiny.model->parameters, &list);
  edgefw__weights *weights = weights_list_open(f->tiny.ctx, &list, f->exported);
  tiny_ok(&f->tiny, import(f, weights, &found));
  edgefw__weights_close(weights);
  tiny_ok(&f->tiny, edgefw__checkpoint_open(f->tiny.ctx, f->imported, &checkpoint));
  assert_int_equal(edgefw__checkpoint_content_of(checkpoint)->meta.step, 300);
  edgefw__checkpoint_close(checkpoint);
  close_fixture(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_model_goes_out_and_comes_back),
                                     cmocka_unit_test(what_does_not_fit_writes_nothing),
                                     cmocka_unit_test(damaged_models_do_not_go_out),
                                     cmocka_unit_test(the_mean_goes_out_where_there_is_one),
                                     cmocka_unit_test(late_logits_are_in_force)};
  return test_run(tests, NULL, NULL);
}
