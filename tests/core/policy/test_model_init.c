/* Parameters taken by name: what is taken, what starts fresh, what is left over, what is refused.
 * labels: oom
 * needs plugins: atsp acvrp radar edge */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policy/model_init.h"
#include "support/check.h"
#include "support/failing_allocator.h"
#include "support/io_support.h"
#include "support/tiny_model.h"
#include "train/snapshot.h"

/* Models whose decoders have a network of features and one that has none. */
#define EDGE TINY_MODEL("edge")

/* A checkpoint of a model of `text` from seed 7, in `file`. */
static void save(const char *text, const char *path) {
  tiny_model tiny;
  tiny_open(&tiny, text, "reference", 7, true);
  const edgefw__progress progress = {.history = {.ctx = tiny.ctx}};
  tiny_ok(&tiny, edgefw__snapshot_save(tiny.model, &progress, path));
  tiny_close(&tiny);
}

typedef struct fixture {
  io_file file;
  tiny_model tiny; /* from seed 1 */
  io_log log;
} fixture;

static void begin(fixture *f, const char *from, const char *to) {
  *f = (fixture){0};
  io_folder_create(f->file.folder, sizeof f->file.folder);
  io_path(f->file.path, f->file.folder, "from.h5");
  save(from, f->file.path);
  tiny_open(&f->tiny, to, "reference", 1, false);
  edgefw_set_log(f->tiny.ctx, io_collect, &f->log);
}

static void end(fixture *f) {
  tiny_close(&f->tiny);
  io_folder_remove(f->file.folder);
}

/* The values of parameter `name` in a model; free(). */
static double *values_of(const tiny_model *tiny, const char *name, int64_t *count) {
  const edgefw__parameters *p = tiny->model->parameters;
  const int index = edgefw__parameters_find(p, name);
  assert_true(index >= 0);
  *count = p->items[index].count;
  return tiny_download(tiny, edgefw__parameters_at(p, p->values, index), *count);
}

/* Does the parameter equal that of a new model of `text` from `seed`? */
static bool equals(const fixture *f, const char *name, const char *text, uint64_t seed) {
  tiny_model other;
  int64_t count = 0, expected_count = 0;
  tiny_open(&other, text, "reference", seed, false);
  double *found = values_of(&f->tiny, name, &count);
  double *expected = values_of(&other, name, &expected_count);
  assert_int_equal(count, expected_count);
  const bool same = memcmp(found, expected, (size_t)count * sizeof *found) == 0;
  free(found);
  free(expected);
  tiny_close(&other);
  return same;
}

static void names_decide_what_is_taken(void **state) {
  (void)state;
  fixture f;
  uint64_t digest = 0, again = 0;
  begin(&f, TINY_PLAIN, EDGE);
  tiny_ok(&f.tiny, edgefw__model_init(f.tiny.model, f.file.path, &digest));
  assert_true(equals(&f, "projection.weight", TINY_PLAIN, 7));
  assert_true(equals(&f, "decoder.edge_bias.0.weight", EDGE, 1)); /* the model's own start */
  assert_non_null(strstr(f.log.text, "training begins with '"));
  assert_non_null(strstr(f.log.text, "starts fresh, for it is not there: decoder.edge_bias.0.w"));
  assert_non_null(strstr(f.log.text, "starts fresh, for it is not there: decoder.edge_bias.2.bi"));
  assert_null(strstr(f.log.text, "left over"));
  tiny_ok(&f.tiny, edgefw__init_digest(f.tiny.ctx, f.file.path, &again));
  assert_true(digest == again && digest != 0);
  end(&f);
  begin(&f, EDGE, TINY_PLAIN);
  tiny_ok(&f.tiny, edgefw__model_init(f.tiny.model, f.file.path, &again));
  assert_true(digest != again);
  assert_non_null(strstr(f.log.text, "left over there, for no parameter is called so: "
                                     "decoder.edge_bias.0.bias"));
  assert_null(strstr(f.log.text, "starts fresh"));
  end(&f);
}

/* Other terms have another number of features: their network starts fresh, and the rest is taken.
 */
static void a_network_of_other_features_starts_fresh(void **state) {
  (void)state;
  static const char *const names[] = {"decoder.edge_bias.0.weight", "decoder.edge_bias.0.bias",
                                      "decoder.edge_bias.2.weight", "decoder.edge_bias.2.bias"};
  const char *const pairs[][2] = {{EDGE, TINY_OURS}, {TINY_OURS, EDGE}};
  tiny_require_term("closure");
  tiny_require_term("lookahead");
  for (int p = 0; p < 2; ++p) {
    fixture f;
    uint64_t digest = 0;
    begin(&f, pairs[p][0], pairs[p][1]);
    tiny_ok(&f.tiny, edgefw__model_init(f.tiny.model, f.file.path, &digest));
    assert_true(equals(&f, "projection.weight", pairs[p][0], 7));
    for (size_t n = 0; n < sizeof names / sizeof *names; ++n) {
      char line[128];
      assert_true(equals(&f, names[n], pairs[p][1], 1)); /* the model's own start */
      snprintf(line, sizeof line, "in all, and others here: %s\n", names[n]);
      assert_non_null(strstr(f.log.text, line));
    }
    assert_null(strstr(f.log.text, "left over"));
    assert_null(strstr(f.log.text, "for it is not there"));
    end(&f);
  }
  /* A hidden layer of another width is no matter of terms. */
  fixture f;
  uint64_t digest = 0;
  begin(&f, EDGE, EDGE "[variant a]\ndecoder.edge_hidden = 3\n");
  tiny_fails(&f.tiny, edgefw__model_init(f.tiny.model, f.file.path, &digest), EDGEFW_MISMATCH,
             "parameter 'decoder.edge_bias.0.weight' has shape (4, ");
  end(&f);
}

/* Write the checkpoint again as one of that problem. */
static void write_as(const fixture *f, const char *problem) {
  edgefw__checkpoint *checkpoint = NULL;
  tiny_ok(&f->tiny, edgefw__checkpoint_open(f->tiny.ctx, f->file.path, &checkpoint));
  edgefw__checkpoint_content content = *edgefw__checkpoint_content_of(checkpoint);
  content.meta.problem = problem;
  tiny_ok(&f->tiny, edgefw__checkpoint_write(f->tiny.ctx, f->file.path, &content));
  edgefw__checkpoint_close(checkpoint);
}

static void another_problem_is_told(void **state) {
  (void)state;
  fixture f;
  uint64_t digest = 0;
  begin(&f, TINY_PLAIN, TINY_PLAIN);
  tiny_ok(&f.tiny, edgefw__model_init(f.tiny.model, f.file.path, &digest));
  assert_null(strstr(f.log.text, "that is a model of"));
  write_as(&f, "acvrp");
  tiny_ok(&f.tiny, edgefw__model_init(f.tiny.model, f.file.path, &digest));
  assert_non_null(strstr(f.log.text, "that is a model of problem acvrp and backbone radar, this "
                                     "one of atsp and radar"));
  edgefw__init_source source = {.name = "x", .problem = "other", .backbone = "net"};
  edgefw__init_fit fit;
  edgefw_arena *arena = NULL;
  tiny_ok(&f.tiny, edgefw_arena_create(f.tiny.ctx, &arena, "test", 1 << 12, true));
  tiny_fails(&f.tiny, edgefw__init_fit_find(f.tiny.model, &source, arena, &fit), EDGEFW_MISMATCH,
             "x (problem other, backbone net) has no parameter that is called like one of variant");
  edgefw_arena_destroy(arena);
  end(&f);
  /* Some names fit: the projection and the encoder of `radar` have them on every problem. */
  begin(&f, TINY_ON("acvrp", ""), TINY_PLAIN);
  tiny_fails(&f.tiny, edgefw__model_init(f.tiny.model, f.file.path, &digest), EDGEFW_MISMATCH,
             "parameter 'projection.weight' has shape (8, 7) there and (8, 6) here");
  assert_true(equals(&f, "projection.weight", TINY_PLAIN, 1));
  end(&f);
}

static void numbers_that_are_none_are_refused(void **state) {
  (void)state;
  fixture f;
  begin(&f, TINY_PLAIN, TINY_PLAIN);
  const edgefw__checkpoint_content *content = NULL;
  edgefw__checkpoint *checkpoint = NULL;
  tiny_ok(&f.tiny, edgefw__checkpoint_open(f.tiny.ctx, f.file.path, &checkpoint));
  content = edgefw__checkpoint_content_of(checkpoint);
  ((float *)(uintptr_t)content->tensors[content->tensor_count - 1].value)[0] = (float)NAN;
  tiny_ok(&f.tiny, edgefw__checkpoint_write(f.tiny.ctx, f.file.path, content));
  edgefw__checkpoint_close(checkpoint);
  uint64_t digest = 0;
  tiny_fails(&f.tiny, edgefw__model_init(f.tiny.model, f.file.path, &digest), EDGEFW_FORMAT,
             "holds a number that is nan: it is damaged");
  assert_true(equals(&f, "projection.weight", TINY_PLAIN, 1));
  io_write(f.file.path, "no checkpoint", 13);
  tiny_fails(&f.tiny, edgefw__model_init(f.tiny.model, f.file.path, &digest), EDGEFW_FORMAT,
             "from.h5': it is not an HDF5 file");
  end(&f);
}

/* The other model's parameters as shapes alone, before it is trained. */
static void a_declared_model_is_a_source(void **state) {
  (void)state;
  fixture f;
  edgefw_arena *arena = NULL;
  edgefw__init_source source;
  edgefw__init_fit fit;
  begin(&f, TINY_PLAIN, EDGE);
  tiny_model other;
  tiny_open(&other, TINY_PLAIN, "reference", 1, false);
  tiny_ok(&other, edgefw_arena_create(f.tiny.ctx, &arena, "test", 1 << 12, true));
  tiny_ok(&other, edgefw__init_source_model(other.model, "what a trains", arena, &source));
  tiny_ok(&f.tiny, edgefw__init_fit_find(f.tiny.model, &source, arena, &fit));
  assert_int_equal(fit.taken_count, other.model->parameters->item_count);
  assert_int_equal(fit.fresh_count, 4);
  assert_int_equal(fit.left_over_count, 0);
  assert_int_equal(fit.numbers, other.model->parameters->total);
  edgefw_arena_destroy(arena);
  tiny_close(&other);
  end(&f);
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  char folder[64], path[512];
  failing_allocator memory;
  tiny_model tiny;
  io_folder_create(folder, sizeof folder);
  save(TINY_PLAIN, io_path(path, folder, "from.h5"));
  const edgefw_allocator allocator = failing_allocator_begin(&memory, FAILING_ALLOCATOR_NEVER);
  tiny_begin(&tiny, &allocator, EDGE, "reference");
  tiny_ok(&tiny, edgefw__model_create(&tiny.engine, tiny.composition, 1, false, &tiny.model));
  const int64_t live = failing_allocator_live(&memory);
  edgefw_status status = EDGEFW_OUT_OF_MEMORY;
  for (int64_t allowed = 0; status != EDGEFW_OK; ++allowed) {
    uint64_t digest = 0;
    failing_allocator_arm(&memory, allowed);
    status = edgefw__model_init(tiny.model, path, &digest);
    failing_allocator_disarm(&memory);
    assert_int_equal(failing_allocator_live(&memory), live);
    if (status != EDGEFW_OK) tiny_fails(&tiny, status, EDGEFW_OUT_OF_MEMORY, "out of memory");
  }
  tiny_close(&tiny);
  io_folder_remove(folder);
}

int main(void) {
  if (tiny_missing()) return TEST_SKIPPED;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_decide_what_is_taken),
      cmocka_unit_test(a_network_of_other_features_starts_fresh),
      cmocka_unit_test(another_problem_is_told),
      cmocka_unit_test(numbers_that_are_none_are_refused),
      cmocka_unit_test(a_declared_model_is_a_source),
      cmocka_unit_test(every_allocation_may_fail),
  };
  return test_run(tests, NULL, NULL);
}
