/* Every accepted combination of one problem and one backbone with score terms, run from beginning
 * to end on a tiny model; every refused one gives its reason. Arguments: PROBLEM BACKBONE. */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "eval/evaluate.h"
#include "policy/model_file.h"
#include "conformance/matrix.h"
#include "conformance/trial.h"
#include "support/check.h"
#include "support/first_answer.h"
#include "support/sandbox.h"
#include "support/tiny_model.h"
#include "train/objectives/reinforce.h"
#include "train/snapshot.h"
#include "train/train.h"

#define MOST_TERMS 16
#define SIZE       6

static const char *problem_name, *backbone_name;

/* Names of terms, and the combination at hand. */
typedef struct combination {
  const char *terms[MOST_TERMS];
  int count;
  char text[512]; /* "edge, closure" */
} combination;

/* --- Compositions --- */

static void write_config(const combination *c, char *out, size_t size) {
  /* Widths for all backbones; each takes those of its keys. */
  const char *layers = "embedding_dim = 8\nlayers = 1\nheads = 2\nff_hidden = 8\n";
  const char *own = strcmp(backbone_name, "radar") == 0
                        ? "mix_hidden = 4\nsvd_rank = 3\nsinkhorn_iterations = 3\n"
                        : "";
  snprintf(out, size,
           "[problem]\nname = %s\n[backbone]\nname = %s\n%s%s[decoder]\nterms = %s\nheads = 2\n"
           "edge_hidden = 4\n[train]\nsize = %d\nbatch = 3\n",
           problem_name, backbone_name, layers, own, c->text, SIZE);
}

static void open_tiny(tiny_model *tiny, const combination *c, const char *device, bool model) {
  char text[2048];
  write_config(c, text, sizeof text);
  if (model)
    tiny_open(tiny, text, device, 7, true);
  else
    tiny_begin(tiny, NULL, text, device);
}

/* --- The steps --- */

/* Each parameter's gradient agrees with finite differences at two of its numbers, and is zero only
 * if they say so. */
static void check_gradients(const combination *c) {
  tiny_model tiny;
  edgefw__trial trial;
  open_tiny(&tiny, c, "reference64", false);
  tiny_ok(&tiny, edgefw__trial_open(&tiny.engine, tiny.composition, NULL, &trial));
  tiny_ok(&tiny, edgefw__trial_run(&trial));
  const edgefw__parameters *parameters = trial.model->parameters;
  double *gradients = malloc((size_t)parameters->total * sizeof *gradients);
  assert_non_null(gradients);
  edgefw__trial_gradients(&trial, gradients);
  check_finite_f64(gradients, parameters->total, "gradients");
  for (int p = 0; p < parameters->item_count; ++p) {
    const edgefw__parameter *item = &parameters->items[p];
    int64_t largest = item->offset;
    for (int64_t e = item->offset; e < item->offset + item->count; ++e)
      if (fabs(gradients[e]) > fabs(gradients[largest])) largest = e;
    const int64_t entries[2] = {largest, item->offset + item->count / 2};
    for (int e = 0; e < 2; ++e) {
      double slope = 0.0;
      tiny_ok(&tiny, edgefw__trial_difference(&trial, entries[e], &slope));
      check_close(gradients[entries[e]], slope, 2e-7, 1e-4, item->name);
    }
  }
  free(gradients);
  edgefw__trial_close(&trial);
  tiny_close(&tiny);
}

/* Three steps; the loss is finite (the step refuses another), and parameters move. */
static void train(tiny_model *tiny) {
  const edgefw_problem *problem = &tiny->composition->problem->vtable.problem;
  const edgefw__rollout_request request = {.clip = 10.0,
                                           .select = EDGEFW_SELECT_SAMPLE,
                                           .sample_seed = 11,
                                           .objective = &edgefw__reinforce};
  edgefw__policy *policy = tiny_policy(tiny, 3, edgefw__problem_nodes(problem, SIZE), true);
  edgefw__parameters *parameters = tiny->model->parameters;
  double *before = tiny_download(tiny, parameters->values, parameters->total);
  for (int64_t step = 1; step <= 3; ++step) {
    edgefw__batch *batch = tiny_batch(tiny, policy->n, 5, (uint64_t)(3 * step), 3);
    double norm = 0.0;
    tiny_ok(tiny, edgefw__train_step(policy, batch, &request, step, 1e-3, &norm));
    assert_true(isfinite(norm) && norm > 0.0);
    tiny->model->step = step;
    edgefw__batch_destroy(tiny->ctx, batch);
  }
  double *after = tiny_download(tiny, parameters->values, parameters->total);
  assert_int_not_equal(memcmp(before, after, (size_t)parameters->total * sizeof *before), 0);
  check_finite_f64(after, parameters->total, "trained parameters");
  free(before);
  free(after);
  edgefw__policy_destroy(policy);
}

/* Evaluate three instances, two at a time: the last batch is smaller. Every tour is examined by the
 * problem's own checker. The first one's best tour and price come back. */
static double evaluate(const tiny_model *tiny, edgefw_select select, int32_t *tour) {
  const edgefw_problem *problem = &tiny->composition->problem->vtable.problem;
  const edgefw__instance_set set = {.name = "matrix",
                                    .n = edgefw__problem_nodes(problem, SIZE),
                                    .size = SIZE,
                                    .count = 3,
                                    .seed = 2026};
  const edgefw__eval_settings settings = {.clip = 50.0,
                                          .select = select,
                                          .samples = 2,
                                          .batch = 2,
                                          .augment = problem->coordinates ? 8 : 1,
                                          .seed = 3};
  edgefw__eval_result result;
  memset(tour, 0, (size_t)edgefw__problem_steps(problem, set.n) * sizeof *tour);
  first_answer first = {.tour = tour};
  tiny_ok(tiny, edgefw__evaluate(tiny->model, &set, &settings, NULL, NULL, &result,
                                 first_answer_keep, &first));
  assert_true(isfinite(result.objective) && result.objective > 0.0);
  assert_true(result.objective <= result.plain_objective * (1.0 + 1e-12));
  return first.cost;
}

/* Tours go on from any of their beginnings as they did, in every bit. */
static void go_on_from_prefixes(const tiny_model *tiny, edgefw_select select) {
  const edgefw_problem *problem = &tiny->composition->problem->vtable.problem;
  const int64_t n = edgefw__problem_nodes(problem, SIZE);
  const int32_t least = edgefw__problem_has_depot(problem) ? 2 : 1;
  edgefw__policy *policy = tiny_policy(tiny, 2, n, false);
  edgefw__batch *batch = tiny_batch(tiny, n, 9, 0, 2);
  edgefw__rollout_request request = {.clip = 50.0, .select = select, .sample_seed = 7};
  tiny_ok(tiny, edgefw__policy_run(policy, batch, &request));
  const int64_t runs = 2 * policy->rollouts, steps = policy->steps;
  int32_t *tours = calloc((size_t)(runs * steps), sizeof *tours);
  int32_t *given = calloc((size_t)runs, sizeof *given);
  double *lengths = calloc((size_t)runs, sizeof *lengths);
  assert_true(tours && given && lengths);
  memcpy(tours, policy->tours, (size_t)(runs * steps) * sizeof *tours);
  memcpy(lengths, policy->lengths, (size_t)runs * sizeof *lengths);
  request.tours = tours;
  request.given = given;
  for (int64_t turn = 0; turn < 3; ++turn) {
    for (int64_t r = 0; r < runs; ++r)
      given[r] = least + (int32_t)((3 * r + turn) % (steps - least + 1));
    tiny_ok(tiny, edgefw__policy_run(policy, batch, &request));
    check_same_bits(policy->tours, tours, (size_t)(runs * steps) * sizeof *tours, "tours");
    check_same_bits(policy->lengths, lengths, (size_t)runs * sizeof *lengths, "lengths");
  }
  given[runs - 1] = (int32_t)steps + 1;
  tiny_fails(tiny, edgefw__policy_run(policy, batch, &request), EDGEFW_INVALID_ARGUMENT,
             "entries of its tour are given");
  free(tours);
  free(given);
  free(lengths);
  edgefw__batch_destroy(tiny->ctx, batch);
  edgefw__policy_destroy(policy);
}

static void run(const combination *c) {
  tiny_model tiny, again;
  sandbox box;
  char path[600];
  int32_t tour[2 * (SIZE + 1)], loaded[2 * (SIZE + 1)], sampled[2 * (SIZE + 1)];
  print_message("terms: %s\n", c->count ? c->text : "none");
  check_gradients(c);
  open_tiny(&tiny, c, tiny_has_device("cpu") ? "cpu" : "reference", true);
  train(&tiny);
  const double cost = evaluate(&tiny, EDGEFW_SELECT_GREEDY, tour);
  evaluate(&tiny, EDGEFW_SELECT_SAMPLE, sampled);
  go_on_from_prefixes(&tiny, EDGEFW_SELECT_GREEDY);
  go_on_from_prefixes(&tiny, EDGEFW_SELECT_SAMPLE);
  sandbox_create(&box);
  snprintf(path, sizeof path, "%s/model.h5", box.folder);
  edgefw__progress progress = {.history = {.ctx = tiny.ctx}, .step = 3};
  tiny_ok(&tiny, edgefw__snapshot_save(tiny.model, &progress, path));
  open_tiny(&again, c, tiny_has_device("cpu") ? "cpu" : "reference", true);
  tiny_ok(&again, edgefw__model_load(again.model, path));
  assert_true(evaluate(&again, EDGEFW_SELECT_GREEDY, loaded) == cost);
  const edgefw_problem *problem = &tiny.composition->problem->vtable.problem;
  const int64_t steps = edgefw__problem_steps(problem, edgefw__problem_nodes(problem, SIZE));
  check_same_bits(loaded, tour, (size_t)steps * sizeof *tour, "tour of the loaded model");
  tiny_close(&again);
  tiny_close(&tiny);
  sandbox_remove(&box);
}

/* --- All combinations --- */

static void add_term(combination *c, const char *term) {
  const size_t used = strlen(c->text);
  snprintf(c->text + used, sizeof c->text - used, "%s%s", c->count ? ", " : "", term);
  c->terms[c->count++] = term;
}

static bool is_asked(const edgefw__matrix_cell *cell) {
  return cell->backbone && strcmp(cell->problem->descriptor->name, problem_name) == 0 &&
         strcmp(cell->backbone->descriptor->name, backbone_name) == 0;
}

static edgefw__registry *open_registry(edgefw_context **ctx) {
  const char *folder = EDGEFW_BUILD_DIR "/lib/edgefw";
  edgefw__registry *registry = NULL;
  assert_int_equal(edgefw_context_create(ctx, NULL), EDGEFW_OK);
  assert_int_equal(edgefw__registry_create_from(*ctx, &folder, 1, &registry), EDGEFW_OK);
  return registry;
}

/* Composing it fails, and says why as the matrix does. */
static void expect_refusal(edgefw_context *ctx, const edgefw__registry *registry,
                           const edgefw__matrix_cell *cell) {
  combination c = {.count = 0};
  char text[2048];
  edgefw__config *config = NULL;
  if (cell->term) add_term(&c, cell->term->descriptor->name);
  write_config(&c, text, sizeof text);
  assert_int_equal(edgefw__compose_text(ctx, registry, text, "test", &config), EDGEFW_UNSUPPORTED);
  const char *reason = strchr(cell->why, ':') + 2;
  if (!strstr(edgefw_message(ctx), reason)) fail_msg("%s\nlacks: %s", edgefw_message(ctx), reason);
  edgefw_clear(ctx);
}

static void every_combination(void **state) {
  (void)state;
  edgefw_context *ctx = NULL;
  edgefw_arena *arena = NULL;
  edgefw__registry *registry = open_registry(&ctx);
  const edgefw__matrix_cell *cells = NULL;
  size_t count = 0;
  combination all = {.count = 0};
  int found = 0;
  assert_int_equal(edgefw_arena_create(ctx, &arena, "matrix", 0, true), EDGEFW_OK);
  assert_int_equal(edgefw__matrix(ctx, arena, registry, &cells, &count), EDGEFW_OK);
  for (size_t i = 0; i < count; ++i) {
    if (!is_asked(&cells[i])) continue;
    ++found;
    combination one = {.count = 0};
    if (cells[i].why) {
      expect_refusal(ctx, registry, &cells[i]);
      continue;
    }
    if (cells[i].term) {
      add_term(&one, cells[i].term->descriptor->name);
      add_term(&all, cells[i].term->descriptor->name);
    }
    run(&one);
  }
  if (all.count > 1) run(&all);
  if (!found) fail_msg("there is no problem %s or no backbone %s", problem_name, backbone_name);
  edgefw_arena_destroy(arena);
  edgefw__registry_destroy(registry);
  edgefw_context_destroy(ctx);
}

int main(int argc, char **argv) {
  if (argc != 3) {
    print_error("usage: matrix PROBLEM BACKBONE\n");
    return 2;
  }
  problem_name = argv[1];
  backbone_name = argv[2];
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_combination)};
  return test_run(tests, NULL, NULL);
}
