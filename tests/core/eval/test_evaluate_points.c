/* Evaluation where there are coordinates: the symmetries of the square, and library files with
 * their rounded cost beside the real length. */
/* needs plugins: tsp cvrp pomo */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "eval/evaluate.h"
#include "files/tsplib.h"
#include "support/check.h"
#include "support/first_answer.h"
#include "support/tiny_model.h"

#define EIL51  EDGEFW_SOURCE_DIR "/data/tsplib/eil51.tsp"
#define OPTIMA EDGEFW_SOURCE_DIR "/data/optima.csv"
#define ON(problem)                                                                                \
  "[problem]\nname = " problem "\n[backbone]\nname = pomo\nembedding_dim = 8\nlayers = 1\n"        \
  "heads = 2\nff_hidden = 8\n[decoder]\nheads = 2\nterms =\n"

enum { CUSTOMERS = 11, COUNT = 5 };

static const char *const problems[] = {ON("tsp"), ON("cvrp")};

static edgefw__eval_settings settings_of(int64_t augment) {
  return (edgefw__eval_settings){.clip = 10.0,
                                 .select = EDGEFW_SELECT_GREEDY,
                                 .samples = 1,
                                 .augment = augment,
                                 .batch = 2, /* the last one is smaller */
                                 .seed = 3};
}

static edgefw__eval_result evaluate(const tiny_model *tiny, edgefw__model *model, int64_t augment) {
  const edgefw_problem *problem = &tiny->composition->problem->vtable.problem;
  const edgefw__instance_set set = {.name = "11",
                                    .n = edgefw__problem_nodes(problem, CUSTOMERS),
                                    .size = CUSTOMERS,
                                    .count = COUNT,
                                    .seed = 8};
  const edgefw__eval_settings settings = settings_of(augment);
  edgefw__eval_result result;
  tiny_ok(tiny, edgefw__evaluate(model, &set, &settings, NULL, NULL, &result, NULL, NULL));
  return result;
}

/* --- Symmetries --- */

static void eight_views_are_never_worse_than_one(void **state) {
  (void)state;
  for (int p = 0; p < 2; ++p) {
    tiny_model tiny;
    tiny_open(&tiny, problems[p], "reference", 5, false);
    const edgefw__eval_result one = evaluate(&tiny, tiny.model, 1);
    const edgefw__eval_result eight = evaluate(&tiny, tiny.model, 8);
    check_close(one.plain_objective, one.objective, 0.0, 0.0, "objective without augmentation");
    check_close(eight.plain_objective, one.objective, 0.0, 1e-12, "the same, augmented");
    /* An untrained model sees the views as different instances: some of 40 are better. */
    assert_true(eight.objective < eight.plain_objective);
    assert_true(isnan(eight.length)); /* generated costs have no rounding */
    tiny_close(&tiny);
  }
}

/* Coordinates that the checker of the last evaluation saw, by number of the instance. */
static double seen[COUNT][2 * (CUSTOMERS + 1)];
static edgefw_status (*real_check)(edgefw_context *, const edgefw_options *,
                                   const edgefw_instance *, const int32_t *, int64_t, double *);

static edgefw_status look(edgefw_context *ctx, const edgefw_options *options,
                          const edgefw_instance *instance, const int32_t *tour, int64_t count,
                          double *cost) {
  memcpy(seen[instance->id], edgefw_instance_field(instance, "coords"),
         (size_t)(2 * instance->n) * sizeof(double));
  return real_check(ctx, options, instance, tour, count, cost);
}

static void the_coordinates_are_put_back(void **state) {
  (void)state;
  for (int p = 0; p < 2; ++p) {
    tiny_model tiny;
    double before[COUNT][2 * (CUSTOMERS + 1)];
    tiny_begin(&tiny, NULL, problems[p], "reference");
    edgefw__plugin problem = *tiny.composition->problem;
    real_check = problem.vtable.problem.check;
    problem.vtable.problem.check = look;
    edgefw__composition composition = *tiny.composition;
    composition.problem = &problem;
    tiny_ok(&tiny, edgefw__model_create(&tiny.engine, &composition, 5, false, &tiny.model));
    memset(seen, 0, sizeof seen);
    evaluate(&tiny, tiny.model, 1);
    memcpy(before, seen, sizeof seen);
    memset(seen, 0, sizeof seen);
    evaluate(&tiny, tiny.model, 8);
    assert_true(before[COUNT - 1][2] > 0.0);
    check_same_bits(seen, before, sizeof seen, "coordinates");
    tiny_close(&tiny);
  }
}

static void expect_refused(const char *text, const char *part) {
  tiny_model tiny;
  edgefw__config *config = NULL;
  tiny_begin(&tiny, NULL, TINY_PLAIN, "reference");
  tiny_fails(&tiny, edgefw__compose_text(tiny.ctx, tiny.registry, text, "test", &config),
             EDGEFW_CONFIG, part);
  assert_null(config);
  tiny_close(&tiny);
}

static void a_matrix_has_no_symmetries(void **state) {
  (void)state;
  if (tiny_missing()) test_skip_missing();
  expect_refused(TINY_PLAIN "[eval]\naugment = 8\n",
                 "eval.augment = 8: problem 'atsp' has no coordinates to reflect");
  expect_refused(ON("tsp") "[eval]\naugment = 4\n", "eval.augment = 4; expected 1 or 8");
}

/* --- Library files --- */

/* Length of a tour by the file's coordinates, before rounding and after. */
static double length_of(const edgefw_tsplib *file, const int32_t *tour, bool rounded) {
  double sum = 0.0;
  for (int64_t t = 0; t < file->dimension; ++t) {
    const double *a = file->coordinates + 2 * tour[t];
    const double *b = file->coordinates + 2 * tour[(t + 1) % file->dimension];
    const double arc = sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]));
    sum += rounded ? floor(arc + 0.5) : arc;
  }
  return sum;
}

static void the_real_length_stands_beside_the_rounded_cost(void **state) {
  (void)state;
  tiny_model tiny;
  edgefw_arena *arena = NULL;
  edgefw_tsplib file;
  tiny_open(&tiny, ON("tsp"), "reference", 5, false);
  tiny_ok(&tiny, edgefw_arena_create(tiny.ctx, &arena, "test", 0, true));
  tiny_ok(&tiny, edgefw__tsplib_read(tiny.ctx, arena, EIL51, &file));
  const edgefw__instance_set set = {
      .name = "eil51", .n = 51, .size = 51, .count = 1, .file = EIL51, .reference = OPTIMA};
  for (int64_t augment = 1; augment <= 8; augment += 7) {
    const edgefw__eval_settings settings = settings_of(augment);
    edgefw__eval_result result;
    int32_t tour[51];
    first_answer first = {.tour = tour};
    tiny_ok(&tiny, edgefw__evaluate(tiny.model, &set, &settings, NULL, NULL, &result,
                                    first_answer_keep, &first));
    const double cost = first.cost;
    assert_true(cost == length_of(&file, tour, true) && result.objective == cost);
    check_close(result.length, length_of(&file, tour, false), 0.0, 1e-12, "real length");
    assert_true(result.length != cost);
    assert_true(result.reference == 426.0);
    check_close(result.gap_percent, 100.0 * (cost - 426.0) / 426.0, 0.0, 1e-12, "gap");
  }
  edgefw_arena_destroy(arena);
  tiny_close(&tiny);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(eight_views_are_never_worse_than_one),
      cmocka_unit_test(the_coordinates_are_put_back),
      cmocka_unit_test(a_matrix_has_no_symmetries),
      cmocka_unit_test(the_real_length_stands_beside_the_rounded_cost),
  };
  return test_run(tests, NULL, NULL);
}
