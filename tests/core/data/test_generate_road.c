/* Matrices of `road`: those that another program made from the definition, the same on any number
 * of threads, with the triangle inequality, and asymmetric as real ones are. */
/* labels: threads oom */
#include "support/test.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/generate.h"
#include "data/road_network.h"
#include "support/failing_allocator.h"
#include "support/io_support.h"
#include "support/sha256.h"

#define GOLDEN EDGEFW_TEST_DATA "/golden/road.csv"

static const edgefw_field fields[] = {{.name = "cost", .shape = EDGEFW_FIELD_PAIR}, {.name = NULL}};

static edgefw_status generate_cost(edgefw_generator *generator, const edgefw_options *options,
                                   edgefw_instance *out) {
  (void)options;
  return edgefw_generate_road(generator, out->n, out->data[0]);
}

static const edgefw_problem problem = {
    .size = sizeof problem, .fields = fields, .objective = "cost", .generate = generate_cost};

typedef struct fixture {
  failing_allocator memory;
  edgefw_context *ctx;
  edgefw__generator_pool *pool;
} fixture;

static int setup(void **state) {
  fixture *f = calloc(1, sizeof *f);
  const edgefw_allocator allocator = failing_allocator_begin(&f->memory, FAILING_ALLOCATOR_NEVER);
  if (edgefw_context_create(&f->ctx, &allocator) != EDGEFW_OK) return -1;
  if (edgefw__generator_pool_create(f->ctx, &f->pool) != EDGEFW_OK) return -1;
  *state = f;
  return 0;
}

static int teardown(void **state) {
  fixture *f = *state;
  edgefw__generator_pool_destroy(f->ctx, f->pool);
  edgefw_context_destroy(f->ctx);
  const int64_t live = failing_allocator_live(&f->memory);
  free(f);
  return live == 0 ? 0 : -1;
}

static void generate_into(fixture *f, uint64_t seed, uint64_t first, int64_t count,
                          edgefw__batch *batch) {
  const edgefw__generate_request request = {
      .problem = &problem, .seed = seed, .first_id = first, .count = count};
  assert_ok(f->ctx, edgefw__generate_batch(f->ctx, f->pool, &request, batch));
}

static edgefw__batch *generate(fixture *f, uint64_t seed, uint64_t first, int64_t count,
                               int64_t n) {
  edgefw__batch *batch = NULL;
  assert_ok(f->ctx, edgefw__batch_create(f->ctx, fields, count, n, &batch));
  generate_into(f, seed, first, count, batch);
  return batch;
}

/* Digest and sum of the costs in whole units, which they must be to the last bit. */
static int64_t digest_of(const double *cost, int64_t count, char digest[SHA256_HEX_SIZE]) {
  int64_t sum = 0;
  sha256 hash;
  sha256_begin(&hash);
  for (int64_t k = 0; k < count; ++k) {
    const int64_t units = llround(cost[k] * 1e6);
    const uint8_t bytes[4] = {(uint8_t)units, (uint8_t)(units >> 8), (uint8_t)(units >> 16),
                              (uint8_t)(units >> 24)};
    assert_true(cost[k] == (double)units / 1e6);
    assert_in_range(units, 0, 999999);
    sha256_take(&hash, bytes, sizeof bytes);
    sum += units;
  }
  sha256_end(&hash, digest);
  return sum;
}

static void another_program_makes_the_same(void **state) {
  fixture *f = *state;
  char line[400], digest[SHA256_HEX_SIZE], expected[SHA256_HEX_SIZE];
  int cases = 0;
  FILE *golden = fopen(GOLDEN, "r");
  assert_non_null(golden);
  assert_non_null(fgets(line, sizeof line, golden)); /* the heading */
  while (fgets(line, sizeof line, golden)) {
    uint64_t seed = 0, instance = 0;
    int64_t n = 0, sum = 0;
    int used = 0;
    assert_int_equal(sscanf(line, "%" SCNu64 ",%" SCNu64 ",%" SCNd64 ",%" SCNd64 ",%64[0-9a-f],%n",
                            &seed, &instance, &n, &sum, expected, &used),
                     5);
    edgefw__batch *batch = generate(f, seed, instance, 1, n);
    assert_int_equal(digest_of(batch->data[0], n * n, digest), sum);
    assert_string_equal(digest, expected);
    char *at = line + used;
    for (int64_t j = 0; j < n && j < 5; ++j)
      assert_int_equal(strtoll(at, &at, 10), llround(batch->data[0][j] * 1e6));
    edgefw__batch_destroy(f->ctx, batch);
    ++cases;
  }
  (void)fclose(golden);
  assert_int_equal(cases, 8);
}

static void one_stop_is_no_way(void **state) {
  fixture *f = *state;
  edgefw__batch *batch = generate(f, 1, 0, 1, 1);
  assert_true(batch->data[0][0] == 0.0);
  edgefw__batch_destroy(f->ctx, batch);
}

static void threads_and_cuts_change_nothing(void **state) {
  fixture *f = *state;
  enum { COUNT = 13, N = 11 };
  edgefw_set_threads(f->ctx, 1);
  edgefw__batch *whole = generate(f, 5, 5, COUNT, N);
  edgefw_set_threads(f->ctx, 4);
  edgefw__batch *threaded = generate(f, 5, 5, COUNT, N);
  edgefw__batch *part = generate(f, 5, 5 + 8, COUNT - 8, N);
  assert_memory_equal(whole->data[0], threaded->data[0], COUNT * N * N * sizeof(double));
  assert_memory_equal(whole->data[0] + 8 * N * N, part->data[0],
                      (COUNT - 8) * N * N * sizeof(double));
  edgefw__batch_destroy(f->ctx, part);
  edgefw__batch_destroy(f->ctx, threaded);
  edgefw__batch_destroy(f->ctx, whole);
}

static void costs_look_like_those_of_roads(void **state) {
  fixture *f = *state;
  enum { COUNT = 30, N = 40 };
  edgefw__batch *batch = generate(f, 2026, 0, COUNT, N);
  double mean = 0.0;
  for (int b = 0; b < COUNT; ++b) {
    const double *cost = batch->data[0] + b * N * N;
    double apart = 0.0, sum = 0.0;
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j) {
        apart += fabs(cost[i * N + j] - cost[j * N + i]);
        sum += cost[i * N + j];
        assert_true(i == j ? cost[i * N + j] == 0.0 : cost[i * N + j] > 0.0);
        for (int k = 0; k < N; ++k)
          assert_true(llround(cost[i * N + j] * 1e6) <=
                      llround(cost[i * N + k] * 1e6) + llround(cost[k * N + j] * 1e6));
      }
    assert_true(apart / sum > 0.03 && apart / sum < 0.4);
    mean += apart / sum / COUNT;
  }
  assert_true(mean > 0.08 && mean < 0.16);
  edgefw__batch_destroy(f->ctx, batch);
}

/* As often as that takes, and no way becomes free. */
static void large_times_are_halved(void **state) {
  (void)state;
  enum { N = 5, MOST_STREETS = 60 };
  const edgefw_generator generator = {.seed = 2026};
  edgefw__road_network network;
  double whole[N * N], quarter[N * N], largest = 0.0;
  void *scratch = calloc(1, edgefw__road_network_bytes(N));
  assert_non_null(scratch);
  edgefw__road_network_place(&generator, N, scratch, &network);
  edgefw__road_network_connect(&network);
  edgefw__road_network_time(&generator, &network);
  edgefw__road_network_matrix(&network, N, 1000000, whole);
  for (int k = 0; k < N * N; ++k) largest = fmax(largest, whole[k]);
  edgefw__road_network_matrix(&network, N, (int32_t)(largest / 3.0), quarter);
  for (int k = 0; k < N * N; ++k) {
    assert_true(quarter[k] < largest / 3.0);
    assert_true(quarter[k] >= whole[k] / 4.0 && quarter[k] <= whole[k] / 4.0 + MOST_STREETS);
    assert_true(k % (N + 1) == 0 ? quarter[k] == 0.0 : quarter[k] > 0.0);
  }
  edgefw__road_network_matrix(&network, N, network.junctions + 1, quarter); /* most are 1 by then */
  for (int k = 0; k < N * N; ++k) assert_true(k % (N + 1) == 0 || quarter[k] >= 1.0);
  free(scratch);
}

static void later_batches_allocate_nothing(void **state) {
  fixture *f = *state;
  edgefw_set_threads(f->ctx, 3);
  edgefw__batch *batch = generate(f, 1, 0, 6, 9);
  generate_into(f, 1, 6, 6, batch); /* whoever was left out the first time */
  const int64_t requests = failing_allocator_requests(&f->memory);
  for (uint64_t step = 2; step < 20; ++step) generate_into(f, 1, step * 6, 6, batch);
  assert_int_equal(failing_allocator_requests(&f->memory), requests);
  edgefw__batch_destroy(f->ctx, batch);
}

static void sizes_out_of_range_are_refused(void **state) {
  fixture *f = *state;
  edgefw_generator generator = {.ctx = f->ctx};
  double cost = 0.0;
  assert_fails(f->ctx, edgefw_generate_road(&generator, 0, &cost), EDGEFW_INVALID_ARGUMENT,
               "road matrices have 1 to 50000 nodes, asked for 0");
  assert_fails(f->ctx, edgefw_generate_road(&generator, EDGEFW_MAX_NODES + 1, &cost),
               EDGEFW_INVALID_ARGUMENT, "asked for 50001");
}

static void running_out_of_memory_leaks_nothing(void **state) {
  (void)state;
  for (int64_t n = 1;; ++n) {
    failing_allocator memory;
    const edgefw_allocator allocator = failing_allocator_begin(&memory, n);
    edgefw_context *ctx = NULL;
    edgefw_generator generator = {.instance = 1};
    double cost[25];
    assert_int_equal(edgefw_context_create(&ctx, &allocator), EDGEFW_OK);
    generator.ctx = ctx;
    const edgefw_status status = edgefw_generate_road(&generator, 5, cost);
    const bool failed = failing_allocator_failed(&memory);
    assert_int_equal(status, failed ? EDGEFW_OUT_OF_MEMORY : EDGEFW_OK);
    edgefw_release(ctx, generator.scratch);
    edgefw_context_destroy(ctx);
    assert_int_equal(failing_allocator_live(&memory), 0);
    if (!failed) break;
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(another_program_makes_the_same, setup, teardown),
      cmocka_unit_test_setup_teardown(one_stop_is_no_way, setup, teardown),
      cmocka_unit_test_setup_teardown(threads_and_cuts_change_nothing, setup, teardown),
      cmocka_unit_test_setup_teardown(costs_look_like_those_of_roads, setup, teardown),
      cmocka_unit_test(large_times_are_halved),
      cmocka_unit_test_setup_teardown(later_batches_allocate_nothing, setup, teardown),
      cmocka_unit_test_setup_teardown(sizes_out_of_range_are_refused, setup, teardown),
      cmocka_unit_test(running_out_of_memory_leaks_nothing),
  };
  return test_run(tests, NULL, NULL);
}
