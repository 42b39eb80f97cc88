/* A matrix lives where it is used: a batch that the emulated GPU generates comes down once, for the
 * checker, and goes up once, however many tables, terms and the decode loop read it. */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/generate.h"
#include "support/tiny_model.h"

enum { N = 23, COUNT = 5, STARTS = 2 };

/* z-score, minima, ranks, assignment and exchanges, the raw matrix, and the decode loop. */
#define TERMS "edge, closure, lookahead, rank, assignment, patch, distance_penalty"

/* Copies of `direction` that are as large as the batch's matrices of `entry` bytes. */
static int copies(const char *path, const char *direction, size_t entry) {
  char word[16];
  size_t bytes;
  int count = 0;
  FILE *file = fopen(path, "r");
  if (!file) return 0;
  while (fscanf(file, "%15s %zu", word, &bytes) == 2)
    count += strcmp(word, direction) == 0 && bytes >= COUNT * N * N * entry;
  fclose(file);
  return count;
}

static void generate(const tiny_model *tiny, edgefw__batch *batch) {
  const edgefw__composition *composition = tiny->composition;
  edgefw__generator_pool *pool = NULL;
  tiny_ok(tiny, edgefw__generator_pool_create(tiny->ctx, &pool));
  edgefw__generator_pool_use(pool, tiny->engine.kernels, tiny->engine.device);
  const edgefw__generate_request request = {.problem = &composition->problem->vtable.problem,
                                            .options = composition->problem_options,
                                            .shortest_paths = tiny->engine.kernels->shortest_paths,
                                            .seed = 3,
                                            .count = COUNT};
  tiny_ok(tiny, edgefw__generate_batch(tiny->ctx, pool, &request, batch));
  edgefw__generator_pool_destroy(tiny->ctx, pool);
}

static void one_way_up_and_one_way_down(void **state) {
  (void)state;
  tiny_model tiny;
  sandbox box;
  char path[sizeof box.folder + 16];
  edgefw__batch *batch = NULL;
  edgefw__policy *policy = NULL;
  tiny_require_term("distance_penalty");
  sandbox_create(&box);
  snprintf(path, sizeof path, "%s/copies", box.folder);
  tiny_open(&tiny, TINY_MODEL(TERMS), "cuda_emulated", 5, false);
  const edgefw_problem *problem = &tiny.composition->problem->vtable.problem;
  tiny_ok(&tiny, edgefw__batch_create(tiny.ctx, problem->fields, COUNT, N, &batch));
  tiny_ok(&tiny, edgefw__policy_create(tiny.model, COUNT, N, STARTS, false, &policy));
  setenv("EDGEFW_EMULATOR_COPIES", path, 1);
  generate(&tiny, batch);
  assert_int_equal(copies(path, "down", sizeof(int32_t)), 1);
  assert_int_equal(copies(path, "up", sizeof(int32_t)), 0);
  const edgefw__rollout_request request = {.clip = 10.0};
  tiny_ok(&tiny, edgefw__policy_run(policy, batch, &request));
  assert_int_equal(copies(path, "down", sizeof(int32_t)), 1);
  assert_int_equal(copies(path, "up", sizeof(int32_t)), 1);
  assert_int_equal(copies(path, "up", sizeof(double)), 1);
  unsetenv("EDGEFW_EMULATOR_COPIES");
  edgefw__policy_destroy(policy);
  edgefw__batch_destroy(tiny.ctx, batch);
  tiny_close(&tiny);
  sandbox_remove(&box);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(one_way_up_and_one_way_down)};
  return tiny_missing() || !tiny_has_device("cuda_emulated") ? TEST_SKIPPED
                                                             : test_run(tests, NULL, NULL);
}
