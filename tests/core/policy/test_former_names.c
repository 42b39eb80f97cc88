/* Checkpoints that call parameters as older versions did, and published ones with what the model
 * has no use for.
 * needs plugins: acvrp tsp radar local_policy */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/checkpoint.h"
#include "policy/model_file.h"
#include "support/check.h"
#include "support/io_support.h"
#include "support/tiny_model.h"
#include "train/snapshot.h"

#define ACVRP TINY_ON("acvrp", "")
#define TSP   TINY_ON("tsp", "local_policy")

/* A configuration, a parameter's name today and what it was called, each up to a dot. */
typedef struct renaming {
  const char *text, *now, *before;
  int count; /* parameters that were renamed */
} renaming;

static const renaming renamings[] = {
    {ACVRP, "decoder.Wq_0.", "decoder.Wq_last.", 1},
    {TSP, "decoder.local_policy_0.", "decoder.local_policies.0.", EDGEFW_LOCAL_TENSORS}};
enum { RENAMINGS = sizeof renamings / sizeof *renamings };

/* --- Files --- */

enum { MOST = 64, NAME = 128 };

/* A checkpoint about to be written again with other tensors. */
typedef struct rewritten {
  edgefw__checkpoint *source;
  edgefw__checkpoint_content content;
  edgefw__checkpoint_tensor tensors[MOST];
  char names[MOST][NAME];
} rewritten;

static void begin(const tiny_model *tiny, const char *path, rewritten *r) {
  tiny_ok(tiny, edgefw__checkpoint_open(tiny->ctx, path, &r->source));
  r->content = *edgefw__checkpoint_content_of(r->source);
  assert_in_range(r->content.tensor_count, 1, MOST - 2);
  memcpy(r->tensors, r->content.tensors, (size_t)r->content.tensor_count * sizeof *r->tensors);
  r->content.tensors = r->tensors;
}

static void end(const tiny_model *tiny, const char *path, rewritten *r) {
  tiny_ok(tiny, edgefw__checkpoint_write(tiny->ctx, path, &r->content));
  edgefw__checkpoint_close(r->source);
}

/* Gives tensors their former names; how many there were. */
static int rename_back(rewritten *r, const renaming *names) {
  const size_t length = strlen(names->now);
  int count = 0;
  for (int64_t t = 0; t < r->content.tensor_count; ++t) {
    edgefw__checkpoint_tensor *tensor = &r->tensors[t];
    if (strncmp(tensor->name, names->now, length) != 0) continue;
    snprintf(r->names[t], NAME, "%s%s", names->before, tensor->name + length);
    tensor->name = r->names[t];
    ++count;
  }
  return count;
}

/* --- Models --- */

typedef struct fixture {
  char folder[64], path[512];
  tiny_model tiny; /* float, made for training, its moments the numbers 0, 1, 2, ... */
} fixture;

static void save(fixture *f, const char *text) {
  io_path(f->path, io_folder_create(f->folder, sizeof f->folder), "checkpoint-0.h5");
  tiny_open(&f->tiny, text, "reference", 5, true);
  const edgefw__parameters *parameters = f->tiny.model->parameters;
  float *m = parameters->first_moment, *v = parameters->second_moment;
  for (int64_t e = 0; e < parameters->total; ++e) m[e] = v[e] = (float)e;
  edgefw__progress progress = {.history = {.ctx = f->tiny.ctx}};
  tiny_ok(&f->tiny, edgefw__snapshot_save(f->tiny.model, &progress, f->path));
}

static void drop(fixture *f) {
  tiny_close(&f->tiny);
  io_folder_remove(f->folder);
}

/* The file at f->path, restored into another model, is the state of f->tiny. */
static void expect_restored(const fixture *f, const char *text) {
  tiny_model other;
  tiny_open(&other, text, "reference", 99, true);
  edgefw__progress progress = {.history = {.ctx = other.ctx}};
  tiny_ok(&other, edgefw__snapshot_restore(other.model, f->path, &progress));
  const edgefw__parameters *expected = f->tiny.model->parameters;
  const edgefw__parameters *found = other.model->parameters;
  const size_t bytes = (size_t)expected->total * sizeof(float);
  check_same_bits(found->values, expected->values, bytes, "parameters");
  check_same_bits(found->first_moment, expected->first_moment, bytes, "first moments");
  check_same_bits(found->second_moment, expected->second_moment, bytes, "second moments");
  edgefw__history_release(&progress.history);
  tiny_close(&other);
}

static void expect_mismatch(const fixture *f, const char *text, const char *part) {
  tiny_model other;
  tiny_open(&other, text, "reference", 99, false);
  tiny_fails(&other, edgefw__model_load(other.model, f->path), EDGEFW_MISMATCH, part);
  tiny_close(&other);
}

/* --- Tests --- */

static void former_names_are_read(void **state) {
  (void)state;
  for (int i = 0; i < RENAMINGS; ++i) {
    fixture f;
    rewritten r;
    save(&f, renamings[i].text);
    begin(&f.tiny, f.path, &r);
    assert_int_equal(rename_back(&r, &renamings[i]), renamings[i].count);
    end(&f.tiny, f.path, &r);
    expect_restored(&f, renamings[i].text);
    drop(&f);
  }
}

/* The name of today is the one that is missed. */
static void a_missing_parameter_has_its_name_of_today(void **state) {
  (void)state;
  for (int i = 0; i < RENAMINGS; ++i) {
    fixture f;
    rewritten r;
    const renaming other = {renamings[i].text, renamings[i].now, "decoder.other.", 0};
    save(&f, renamings[i].text);
    begin(&f.tiny, f.path, &r);
    assert_int_equal(rename_back(&r, &other), renamings[i].count);
    end(&f.tiny, f.path, &r);
    expect_mismatch(&f, renamings[i].text, renamings[i].now);
    drop(&f);
  }
}

/* Which of two would be meant? */
static void both_names_are_refused(void **state) {
  (void)state;
  fixture f;
  rewritten r;
  save(&f, ACVRP);
  begin(&f.tiny, f.path, &r);
  int64_t *count = &r.content.tensor_count;
  for (int64_t t = 0; t < *count; ++t) {
    if (strcmp(r.tensors[t].name, "decoder.Wq_0.weight") != 0) continue;
    r.tensors[*count] = r.tensors[t];
    r.tensors[(*count)++].name = "decoder.Wq_last.weight";
    break;
  }
  end(&f.tiny, f.path, &r);
  expect_mismatch(&f, ACVRP, "has a parameter 'decoder.Wq_last.weight' that the model does not");
  drop(&f);
}

/* RADAR's dict for ACVRP holds the projection of a first node, which nothing reads. */
static void what_a_published_dict_holds_besides_is_ignored(void **state) {
  (void)state;
  static const float unused[8 * 8] = {1.0f};
  fixture f;
  rewritten r;
  save(&f, ACVRP);
  begin(&f.tiny, f.path, &r);
  r.tensors[r.content.tensor_count++] = (edgefw__checkpoint_tensor){
      .name = "decoder.Wq_1.weight", .rank = 2, .shape = {8, 8}, .value = unused};
  end(&f.tiny, f.path, &r);
  expect_restored(&f, ACVRP);
  drop(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(former_names_are_read),
      cmocka_unit_test(a_missing_parameter_has_its_name_of_today),
      cmocka_unit_test(both_names_are_refused),
      cmocka_unit_test(what_a_published_dict_holds_besides_is_ignored),
  };
  return test_run(tests, NULL, NULL);
}
