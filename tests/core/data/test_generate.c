/* Generators: known answers that two independent programs agreed on, batches that depend on neither
 * threads nor cuts, and no allocation after the first batch. */
/* labels: threads oom */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "edgefw/rng.h"
#include "data/generate.h"
#include "support/failing_allocator.h"
#include "support/io_support.h"
#include "support/sha256.h"

#define SEED 2026

/* The closure as a textbook has it. */
static void floyd_warshall(int32_t *cost, int64_t n) {
  for (int64_t k = 0; k < n; ++k) {
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        const int32_t way = cost[i * n + k] + cost[k * n + j];
        if (way < cost[i * n + j]) cost[i * n + j] = way;
      }
    }
  }
}

static void no_closure(int32_t *cost, int64_t n) {
  (void)cost, (void)n;
}

/* A problem that has nothing but a matrix. */
static const edgefw_field fields[] = {
    {.name = "cost", .shape = EDGEFW_FIELD_PAIR},
    {.name = NULL},
};

static edgefw_status generate_cost(edgefw_generator *generator, const edgefw_options *options,
                                   edgefw_instance *out) {
  (void)options;
  return edgefw_generate_tmat(generator, out->n, edgefw_instance_field(out, "cost"));
}

static bool takes_tmat(const edgefw_options *options) {
  (void)options;
  return true;
}

static const edgefw_problem problem = {.size = sizeof problem,
                                       .fields = fields,
                                       .objective = "cost",
                                       .takes_tmat = takes_tmat,
                                       .generate = generate_cost};

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
  edgefw__generator_pool_destroy(f->ctx, NULL);
  edgefw_context_destroy(f->ctx);
  const int64_t live = failing_allocator_live(&f->memory);
  free(f);
  return live == 0 ? 0 : -1;
}

static int64_t units(double cost) {
  return llround(cost * 1e6);
}

/* `count` instances of `n` nodes from `first` on, in a new batch. */
static edgefw__batch *generate(fixture *f, void (*closure)(int32_t *, int64_t), uint64_t seed,
                               uint64_t first, int64_t count, int64_t n) {
  edgefw__batch *batch = NULL;
  assert_ok(f->ctx, edgefw__batch_create(f->ctx, fields, count, n, &batch));
  assert_ok(f->ctx, edgefw__generate_batch(f->ctx, f->pool,
                                           &(edgefw__generate_request){.problem = &problem,
                                                                       .shortest_paths = closure,
                                                                       .seed = seed,
                                                                       .first_id = first,
                                                                       .count = count},
                                           batch));
  assert_int_equal(batch->count, count);
  return batch;
}

typedef struct known_answer {
  uint64_t seed, instance;
  int64_t n;
  int64_t sum_before, sum; /* sum_before 0: not known */
  int known;               /* entries of row 0 */
  int32_t row[20];
} known_answer;

static const known_answer answers[] = {
    {SEED, 0, 20, 191087407, 67501428, 20, {0,      316535, 293860, 283357, 411752, 292559, 343058,
                                            357610, 252114, 452600, 238602, 294837, 261274, 361459,
                                            393360, 273862, 349989, 155210, 338787, 180533}},
    {SEED, 1, 20, 184572440, 63448829, 20, {0,      118225, 304257, 214093, 275753, 179274, 306388,
                                            225617, 123048, 212558, 266231, 209467, 256998, 321265,
                                            221075, 213088, 193651, 135238, 325506, 262939}},
    {SEED, 2, 20, 193360811, 61703283, 20, {0,      155165, 113777, 179565, 209545, 192419, 169495,
                                            251822, 36891,  258405, 185588, 235979, 168671, 170999,
                                            146225, 228997, 229096, 108696, 183100, 249045}},
    {SEED, 0, 50, 1210997288, 197264941, 5, {0, 129473, 125280, 121615, 166658}},
    {SEED, 0, 100, 4927778955, 505602531, 5, {0, 51841, 68668, 51114, 78091}},
    {SEED, 0, 1000, 499743140840, 7320569403, 5, {0, 4313, 6185, 7389, 4325}},
    {UINT64_C(0x0123456789abcdef),
     UINT64_C(0x100000005),
     8,
     0,
     18814942,
     8,
     {0, 460663, 443287, 388879, 53117, 216688, 244748, 119395}},
    {SEED, 0, 21, 0, 75531262, 21 - 1, {0,      307843, 266716, 296535, 228903, 247109, 326714,
                                        245985, 224237, 236209, 174033, 222633, 185880, 293337,
                                        243447, 245525, 396656, 155210, 286430, 180533}},
};

static int64_t sum_of(const edgefw__batch *batch) {
  int64_t sum = 0;
  for (int64_t k = 0; k < batch->n * batch->n; ++k) sum += units(batch->data[0][k]);
  return sum;
}

static void tmat_has_the_known_answers(void **state) {
  fixture *f = *state;
  for (size_t a = 0; a < sizeof answers / sizeof *answers; ++a) {
    const known_answer *answer = &answers[a];
    edgefw__batch *batch =
        generate(f, floyd_warshall, answer->seed, answer->instance, 1, answer->n);
    assert_int_equal(sum_of(batch), answer->sum);
    for (int j = 0; j < answer->known; ++j) {
      assert_true(batch->data[0][j] == answer->row[j] / 1e6); /* the nearest double, no other */
    }
    for (int64_t i = 0; i < answer->n; ++i) assert_true(batch->data[0][i * answer->n + i] == 0.0);
    edgefw__batch_destroy(f->ctx, batch);
    if (answer->sum_before == 0) continue;
    batch = generate(f, no_closure, answer->seed, answer->instance, 1, answer->n);
    assert_int_equal(sum_of(batch), answer->sum_before);
    edgefw__batch_destroy(f->ctx, batch);
  }
}

static void three_instances_have_the_known_digest(void **state) {
  fixture *f = *state;
  static const struct {
    int64_t n;
    const char *digest;
  } known[] = {
      {20, "5d8ce38e426d51b038fcc4bcffc999987a126fdb5adb354d1a4a6709891afd9d"},
      {100, "7d530e514e85e6f10be364eb085a3a00db0f0fc93e9471a7793edf6b5a300e84"},
  };
  for (size_t k = 0; k < 2; ++k) {
    edgefw__batch *batch = generate(f, floyd_warshall, SEED, 0, 3, known[k].n);
    sha256 hash;
    char digest[SHA256_HEX_SIZE];
    sha256_begin(&hash);
    for (int64_t i = 0; i < 3 * known[k].n * known[k].n; ++i) {
      const uint32_t value = (uint32_t)units(batch->data[0][i]);
      const uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                                (uint8_t)(value >> 24)};
      sha256_take(&hash, bytes, sizeof bytes);
    }
    sha256_end(&hash, digest);
    assert_string_equal(digest, known[k].digest);
    edgefw__batch_destroy(f->ctx, batch);
  }
}

static void words_have_the_known_answers(void **state) {
  (void)state;
  static const struct {
    uint32_t counter[4], key[2], lanes[4];
  } vectors[] = {
      {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
      {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
       {0xffffffff, 0xffffffff},
       {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
      {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
       {0xa4093822, 0x299f31d0},
       {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
  };
  for (size_t k = 0; k < 3; ++k) {
    uint32_t lanes[4];
    edgefw_philox(vectors[k].counter, vectors[k].key, lanes);
    assert_memory_equal(lanes, vectors[k].lanes, sizeof lanes);
  }
  const edgefw_generator generator = {.seed = UINT64_C(0x0123456789abcdef),
                                      .instance = UINT64_C(0x100000005)};
  assert_int_equal(edgefw_generator_word(&generator, EDGEFW_STREAM_COST, 5), 0x3778de19);
  assert_int_equal(edgefw_generator_word(&generator, EDGEFW_STREAM_COORDINATES, 5), 0x68edcbb9);
  assert_int_equal(edgefw_generator_word(&generator, EDGEFW_STREAM_DEMAND, 5), 0x44eda630);
  /* Coordinates and demands of instance 0, as plugins make them. */
  const edgefw_generator first = {.seed = SEED, .instance = 0};
  static const uint32_t coordinates[] = {12217608, 177866, 4585110, 2238930, 12922498, 10390591};
  static const uint32_t demands[] = {3, 8, 1, 7, 4, 9, 2, 7, 9, 2, 2, 7, 2, 1, 5, 8, 7, 1, 9, 5};
  for (uint64_t w = 0; w < 6; ++w) {
    assert_int_equal(edgefw_generator_word(&first, EDGEFW_STREAM_COORDINATES, w) >> 8,
                     coordinates[w]);
  }
  for (uint64_t w = 0; w < 20; ++w) {
    const uint32_t word = edgefw_generator_word(&first, EDGEFW_STREAM_DEMAND, w);
    assert_int_equal(1 + edgefw_random_below(word, 9), demands[w]);
  }
  assert_true(edgefw_random_unit(0xffffffff) == 16777215.0 / 16777216.0);
}

static void threads_and_cuts_change_nothing(void **state) {
  fixture *f = *state;
  enum { COUNT = 13, N = 11 };
  edgefw_set_threads(f->ctx, 1);
  edgefw__batch *whole = generate(f, floyd_warshall, SEED, 5, COUNT, N);
  edgefw_set_threads(f->ctx, 4);
  edgefw__batch *threaded = generate(f, floyd_warshall, SEED, 5, COUNT, N);
  assert_memory_equal(whole->data[0], threaded->data[0], COUNT * N * N * sizeof(double));
  assert_memory_equal(whole->ids, threaded->ids, COUNT * sizeof(uint64_t));
  assert_int_equal(whole->ids[COUNT - 1], 5 + COUNT - 1);
  edgefw__batch *part = generate(f, floyd_warshall, SEED, 5 + 8, COUNT - 8, N);
  assert_memory_equal(whole->data[0] + 8 * N * N, part->data[0],
                      (COUNT - 8) * N * N * sizeof(double));
  edgefw__batch_destroy(f->ctx, part);
  edgefw__batch_destroy(f->ctx, threaded);
  edgefw__batch_destroy(f->ctx, whole);
}

static void later_batches_allocate_nothing(void **state) {
  fixture *f = *state;
  edgefw_set_threads(f->ctx, 3);
  edgefw__batch *batch = generate(f, floyd_warshall, SEED, 0, 6, 9);
  const int64_t requests = failing_allocator_requests(&f->memory);
  for (uint64_t step = 1; step < 20; ++step) {
    assert_ok(f->ctx,
              edgefw__generate_batch(f->ctx, f->pool,
                                     &(edgefw__generate_request){.problem = &problem,
                                                                 .shortest_paths = floyd_warshall,
                                                                 .seed = SEED,
                                                                 .first_id = step * 6,
                                                                 .count = 6},
                                     batch));
  }
  assert_int_equal(failing_allocator_requests(&f->memory), requests);
  edgefw__batch_destroy(f->ctx, batch);
}

/* A device that closes the matrices of a batch at once. */
static struct {
  int calls;
  int64_t instances;
  bool no_memory;
  edgefw_context *ctx;
} closing;

static edgefw_status close_costs(edgefw_device *device, const edgefw_closed_costs_args *args) {
  const int64_t n = args->nodes;
  (void)device;
  ++closing.calls;
  if (closing.no_memory)
    return edgefw_fail(closing.ctx, EDGEFW_OUT_OF_MEMORY, "no memory is left on the device");
  closing.instances += args->batch;
  for (int64_t b = 0; b < args->batch; ++b) {
    int32_t *out = args->out + b * n * n;
    for (int64_t k = 0; k < n * n; ++k) {
      const uint32_t word =
          edgefw_random_word(args->seed, EDGEFW_STREAM_COST, args->instance_ids[b], (uint64_t)k);
      out[k] = k % (n + 1) == 0 ? 0 : (int32_t)edgefw_random_below(word, args->bound);
    }
    floyd_warshall(out, n);
  }
  return EDGEFW_OK;
}

/* The instances of a fresh pool that uses the device must be these. */
static void a_device_changes_no_bit(void **state) {
  enum { COUNT = 9, N = 7 };
  static const edgefw_kernels kernels = {.size = sizeof kernels, .closed_costs = close_costs};
  fixture *f = *state;
  edgefw__batch *expected = generate(f, floyd_warshall, SEED, 3, COUNT, N);
  edgefw__generator_pool_use(f->pool, &kernels, NULL);
  for (int round = 0; round < 3; ++round) { /* the last one without memory */
    memset(&closing, 0, sizeof closing);
    closing.ctx = f->ctx;
    closing.no_memory = round == 2;
    edgefw__batch *batch = generate(f, floyd_warshall, SEED, 3, COUNT, N);
    assert_memory_equal(batch->data[0], expected->data[0], COUNT * N * N * sizeof(double));
    assert_memory_equal(batch->ids, expected->ids, COUNT * sizeof(uint64_t));
    assert_int_equal(closing.calls, 1);
    assert_int_equal(closing.instances, round < 2 ? COUNT : 0);
    assert_int_equal(edgefw_failure(f->ctx), EDGEFW_OK);
    edgefw__batch_destroy(f->ctx, batch);
  }
  edgefw__batch_destroy(f->ctx, expected);
}

static edgefw_status generate_plain(edgefw_generator *generator, const edgefw_options *options,
                                    edgefw_instance *out) {
  (void)options;
  out->data[0][0] = edgefw_generator_word(generator, EDGEFW_STREAM_COST, 0);
  return EDGEFW_OK;
}

static void a_device_is_asked_for_tmat_only(void **state) {
  static const edgefw_kernels kernels = {.size = sizeof kernels, .closed_costs = close_costs};
  const edgefw_problem plain = {
      .size = sizeof plain, .fields = fields, .objective = "cost", .generate = generate_plain};
  fixture *f = *state;
  memset(&closing, 0, sizeof closing);
  edgefw__batch *batch = generate(f, floyd_warshall, SEED, 0, 2, 3);
  edgefw__generator_pool_use(f->pool, &kernels, NULL);
  for (int round = 0; round < 3; ++round)
    assert_ok(f->ctx,
              edgefw__generate_batch(f->ctx, f->pool,
                                     &(edgefw__generate_request){.problem = &plain,
                                                                 .shortest_paths = floyd_warshall,
                                                                 .seed = SEED,
                                                                 .count = 2},
                                     batch));
  assert_int_equal(closing.calls, 0);
  edgefw__batch_destroy(f->ctx, batch);
}

static edgefw_status generate_bad(edgefw_generator *generator, const edgefw_options *options,
                                  edgefw_instance *out) {
  (void)options;
  return edgefw_generate_tmat(generator, 0, out->data[0]);
}

static edgefw_status generate_nothing(edgefw_generator *generator, const edgefw_options *options,
                                      edgefw_instance *out) {
  (void)options;
  return edgefw_generator_fail(generator, EDGEFW_CONFIG, "instance %d is not wanted", (int)out->id);
}

static void failures_come_out(void **state) {
  fixture *f = *state;
  edgefw__batch *batch = NULL;
  assert_ok(f->ctx, edgefw__batch_create(f->ctx, fields, 2, 3, &batch));
  assert_fails(f->ctx,
               edgefw__generate_batch(f->ctx, f->pool,
                                      &(edgefw__generate_request){.problem = &problem,
                                                                  .shortest_paths = floyd_warshall,
                                                                  .seed = SEED,
                                                                  .count = 3},
                                      batch),
               EDGEFW_INVALID_ARGUMENT, "3 instances into a batch for 2");
  const edgefw_problem bad = {
      .size = sizeof bad, .fields = fields, .objective = "cost", .generate = generate_bad};
  assert_fails(f->ctx,
               edgefw__generate_batch(
                   f->ctx, f->pool,
                   &(edgefw__generate_request){
                       .problem = &bad, .shortest_paths = floyd_warshall, .seed = SEED, .count = 2},
                   batch),
               EDGEFW_INVALID_ARGUMENT, "asked for 0");
  assert_int_equal(batch->count, 0);
  const edgefw_problem picky = {
      .size = sizeof picky, .objective = "cost", .fields = fields, .generate = generate_nothing};
  assert_fails(f->ctx,
               edgefw__generate_batch(f->ctx, f->pool,
                                      &(edgefw__generate_request){.problem = &picky,
                                                                  .shortest_paths = floyd_warshall,
                                                                  .seed = SEED,
                                                                  .first_id = 5,
                                                                  .count = 1},
                                      batch),
               EDGEFW_CONFIG, "instance 5 is not wanted");
  assert_ok(f->ctx,
            edgefw__generate_batch(f->ctx, f->pool,
                                   &(edgefw__generate_request){.problem = &problem,
                                                               .shortest_paths = floyd_warshall,
                                                               .seed = SEED,
                                                               .count = 0},
                                   batch)); /* none is fine */
  edgefw__batch_destroy(f->ctx, batch);
}

static void running_out_of_memory_leaks_nothing(void **state) {
  (void)state;
  for (int64_t n = 1;; ++n) {
    failing_allocator memory;
    const edgefw_allocator allocator = failing_allocator_begin(&memory, n);
    edgefw_context *ctx = NULL;
    edgefw__generator_pool *pool = NULL;
    edgefw__batch *batch = NULL;
    assert_int_equal(edgefw_context_create(&ctx, &allocator), EDGEFW_OK);
    edgefw_set_threads(ctx, 2);
    edgefw_status status = edgefw__generator_pool_create(ctx, &pool);
    if (status == EDGEFW_OK) status = edgefw__batch_create(ctx, fields, 4, 5, &batch);
    if (status == EDGEFW_OK) {
      status = edgefw__generate_batch(
          ctx, pool,
          &(edgefw__generate_request){
              .problem = &problem, .shortest_paths = floyd_warshall, .seed = SEED, .count = 4},
          batch);
    }
    const bool failed = failing_allocator_failed(&memory);
    assert_int_equal(status, failed ? EDGEFW_OUT_OF_MEMORY : EDGEFW_OK);
    if (failed) assert_true(io_message_has(ctx, "memory"));
    edgefw__batch_destroy(ctx, batch);
    edgefw__generator_pool_destroy(ctx, pool);
    edgefw_context_destroy(ctx);
    assert_int_equal(failing_allocator_live(&memory), 0);
    if (!failed) break;
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(words_have_the_known_answers),
      cmocka_unit_test_setup_teardown(tmat_has_the_known_answers, setup, teardown),
      cmocka_unit_test_setup_teardown(three_instances_have_the_known_digest, setup, teardown),
      cmocka_unit_test_setup_teardown(threads_and_cuts_change_nothing, setup, teardown),
      cmocka_unit_test_setup_teardown(later_batches_allocate_nothing, setup, teardown),
      cmocka_unit_test_setup_teardown(a_device_changes_no_bit, setup, teardown),
      cmocka_unit_test_setup_teardown(a_device_is_asked_for_tmat_only, setup, teardown),
      cmocka_unit_test_setup_teardown(failures_come_out, setup, teardown),
      cmocka_unit_test(running_out_of_memory_leaks_nothing),
  };
  return test_run(tests, NULL, NULL);
}
