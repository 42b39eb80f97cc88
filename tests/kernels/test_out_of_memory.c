/* Every allocation of every device's operations made to fail once: a status and a message, no
 * crash, nothing lost. labels: oom */
#include "support/test.h"

#include "support/decode_support.h"
#include "support/failing_allocator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One operation on its own small inputs; `buffer` is zeroed device memory of BUFFER reals. */
typedef edgefw_status (*operation)(const ks_device *d, void *buffer);

enum { BUFFER = 20000, BATCH = 3, NODES = 6, WIDTH = 4 };

static edgefw_status mixed_attention(const ks_device *d, void *buffer) {
  edgefw_mixed_attention_args a = {.batch = BATCH,
                                   .nodes = NODES,
                                   .width = WIDTH,
                                   .heads = 2,
                                   .hidden = 3,
                                   .iterations = 4,
                                   .q = buffer,
                                   .k = buffer,
                                   .v = buffer,
                                   .cost = buffer,
                                   .w1 = buffer,
                                   .b1 = buffer,
                                   .w2 = buffer,
                                   .b2 = buffer};
  const size_t half = BUFFER / 2 * d->real_size;
  if (d->k->mixed_attention_saved(&a) * BATCH > half) return EDGEFW_INTERNAL;
  a.saved = (char *)buffer + half;
  void *out = (char *)buffer + half / 2;
  a.out = out;
  a.dout = out;
  a.dq = a.dk = a.dv = a.dw1 = a.db1 = a.dw2 = a.db2 = (char *)buffer + half / 4;
  const edgefw_status status = d->k->mixed_attention_forward(d->device, &a);
  return status != EDGEFW_OK ? status : d->k->mixed_attention_backward(d->device, &a);
}

static edgefw_status attention(const ks_device *d, void *buffer) {
  edgefw_attention_args a = {.batch = BATCH,
                             .nodes = NODES,
                             .width = WIDTH,
                             .heads = 2,
                             .q = buffer,
                             .k = buffer,
                             .v = buffer};
  const size_t half = BUFFER / 2 * d->real_size;
  if (d->k->attention_saved(&a) * BATCH > half) return EDGEFW_INTERNAL;
  a.saved = (char *)buffer + half;
  a.out = a.dout = (char *)buffer + half / 2;
  a.dq = a.dk = a.dv = (char *)buffer + half / 4;
  const edgefw_status status = d->k->attention_forward(d->device, &a);
  return status != EDGEFW_OK ? status : d->k->attention_backward(d->device, &a);
}

/* The assignment and its exchanges; copies NULL: no depot. */
static edgefw_status assign(const ks_device *d, void *buffer, const int64_t *copies) {
  void *out = (char *)buffer + 5000 * d->real_size;
  const edgefw_assignment_args solve = {.batch = BATCH,
                                        .nodes = NODES,
                                        .pair = buffer, /* zeros, as exact doubles too */
                                        .out = out,
                                        .successor = (char *)buffer + 8000 * d->real_size,
                                        .copies = copies};
  const edgefw_exchange_args exchange = {.batch = BATCH,
                                         .nodes = NODES,
                                         .pair = buffer,
                                         .successor = solve.successor,
                                         .depot = copies != NULL,
                                         .out = out};
  const edgefw_status status = d->k->assignment(d->device, &solve);
  return status == EDGEFW_OK ? d->k->exchange(d->device, &exchange) : status;
}

/* The tables that need memory or threads: ranks, the assignment and its exchanges. */
static edgefw_status tables(const ks_device *d, void *buffer) {
  const edgefw_table_args a = {
      .batch = BATCH, .nodes = NODES, .pair = buffer, .out = (char *)buffer + 5000 * d->real_size};
  edgefw_status status = assign(d, buffer, NULL);
  if (status == EDGEFW_OK) status = d->k->zscore(d->device, &a);
  if (status == EDGEFW_OK) status = d->k->row_rank(d->device, &a);
  if (status == EDGEFW_OK) status = d->k->column_rank(d->device, &a);
  return status;
}

static edgefw_status depot_tables(const ks_device *d, void *buffer) {
  return assign(d, buffer, (const int64_t[BATCH]){2, 5, 1});
}

static edgefw_status copy(const ks_device *d, void *buffer) {
  const edgefw_copy_args a = {.rows = 100,
                              .width = 7,
                              .from_stride = 7,
                              .to_stride = 20,
                              .from = buffer,
                              .to = (char *)buffer + 5000 * d->real_size,
                              .add = true};
  return d->k->copy(d->device, &a);
}

static edgefw_status svd_of(const ks_device *d, void *buffer, int64_t columns) {
  const edgefw_svd_args a = {.batch = BATCH,
                             .nodes = NODES,
                             .rank = 3,
                             .columns = columns,
                             .pair = buffer,
                             .out = (char *)buffer + 1000 * d->real_size};
  return d->k->svd_features(d->device, &a);
}

static edgefw_status svd(const ks_device *d, void *buffer) {
  return svd_of(d, buffer, 0);
}

static edgefw_status svd_randomized(const ks_device *d, void *buffer) {
  return svd_of(d, buffer, 13);
}

static edgefw_status linear(const ks_device *d, void *buffer) {
  char *out = (char *)buffer + 5000 * d->real_size;
  const edgefw_linear_args a = {.rows = 100,
                                .in = 7,
                                .out = 9,
                                .relu = true,
                                .x = buffer,
                                .w = buffer,
                                .b = buffer,
                                .y = out,
                                .dy = out,
                                .dx = buffer,
                                .dw = buffer,
                                .db = buffer};
  const edgefw_status status = d->k->linear_forward(d->device, &a);
  return status != EDGEFW_OK ? status : d->k->linear_backward(d->device, &a);
}

static void weigh(void *user, int64_t instance, int64_t rollouts, const double *lengths,
                  const double *log_probability, double *weights) {
  (void)user, (void)instance, (void)lengths, (void)log_probability;
  for (int64_t s = 0; s < rollouts; ++s) weights[s] = 1.0;
}

static edgefw_status decode(const ks_device *d, void *buffer) {
  static const edgefw_feature features[2] = {
      {.kind = EDGEFW_FEATURE_PAIR, .row = EDGEFW_CURRENT, .column = EDGEFW_CANDIDATE},
      {.kind = EDGEFW_FEATURE_STATE}};
  edgefw_decode_plan plan = {.start = EDGEFW_START_EACH_NODE,
                             .closing = EDGEFW_CLOSE_AT_START,
                             .heads = 2,
                             .width = WIDTH,
                             .feature_count = 2,
                             .hidden = 3,
                             .table_count = 1,
                             .table_is_pair = {true}};
  memcpy(plan.features, features, sizeof features);
  double lengths[BATCH * NODES];
  int32_t tours[BATCH * NODES * NODES];
  const uint64_t ids[BATCH] = {0, 1, 2};
  edgefw_decode_args a = {.plan = &plan,
                          .batch = BATCH,
                          .nodes = NODES,
                          .rollouts = NODES,
                          .cost = buffer,
                          .selection = {EDGEFW_SELECT_SAMPLE, 10, 0, ids, 0},
                          .tours = tours,
                          .lengths = lengths,
                          .train = true,
                          .weigh = weigh,
                          .steps = NODES};
  a.weights.pointer.keys = a.weights.pointer.values = a.weights.pointer.q_last =
      a.weights.pointer.fold = a.weights.pointer.fold_bias = buffer;
  a.tables[0] = buffer;
  a.weights.mlp.w1 = a.weights.mlp.b1 = a.weights.mlp.w2 = a.weights.mlp.b2 = buffer;
  a.gradients.pointer.keys = a.gradients.pointer.fold = a.gradients.mlp.w1 =
      (char *)buffer + 5000 * d->real_size;
  return d->k->decode(d->device, &a);
}

/* Tours that begin somewhere and hand out candidates. */
static edgefw_status decode_further(const ks_device *d, void *buffer) {
  enum { BEST = 2 };
  const edgefw_decode_plan plan = {.start = EDGEFW_START_EACH_NODE,
                                   .closing = EDGEFW_CLOSE_AT_START,
                                   .heads = 2,
                                   .width = WIDTH};
  double lengths[BATCH * NODES], log_probability[BATCH * NODES * BEST];
  int32_t tours[BATCH * NODES * NODES], given[BATCH * NODES], candidates[BATCH * NODES * BEST];
  for (int r = 0; r < BATCH * NODES; ++r) {
    given[r] = 2;
    tours[r * NODES] = r % NODES;
    tours[r * NODES + 1] = (r + 1) % NODES;
  }
  edgefw_decode_args a = {.plan = &plan,
                          .batch = BATCH,
                          .nodes = NODES,
                          .rollouts = NODES,
                          .steps = NODES,
                          .cost = buffer,
                          .selection = {.clip = 10},
                          .given = given,
                          .stop = {.early = true,
                                   .decisions = 1,
                                   .best = BEST,
                                   .candidates = candidates,
                                   .candidate_log_probability = log_probability},
                          .tours = tours,
                          .lengths = lengths};
  a.weights.pointer.keys = a.weights.pointer.values = a.weights.pointer.q_last =
      a.weights.pointer.fold = a.weights.pointer.fold_bias = buffer;
  return d->k->decode(d->device, &a);
}

/* What is computed number by number. */
static edgefw_status elementwise(const ks_device *d, void *buffer) {
  const edgefw_table_args narrow = {
      .batch = BATCH, .nodes = NODES, .pair = buffer, .out = (char *)buffer + BUFFER / 2};
  const edgefw_log1p_table_args log1p = {
      .count = NODES, .x = buffer, .out = (char *)buffer + BUFFER / 2};
  const edgefw_distances_args distances = {
      .batch = BATCH, .nodes = NODES, .points = buffer, .out = (char *)buffer + BUFFER / 2};
  edgefw_status status = d->k->narrow(d->device, &narrow);
  if (status == EDGEFW_OK) status = d->k->log1p_table(d->device, &log1p);
  return status == EDGEFW_OK ? d->k->distances(d->device, &distances) : status;
}

/* Routes with two resources and both logits. */
static edgefw_status decode_routes(const ks_device *d, void *buffer) {
  const edgefw_decode_plan plan = {
      .start = EDGEFW_START_EACH_CUSTOMER,
      .closing = EDGEFW_CLOSE_AT_DEPOT,
      .heads = 2,
      .width = WIDTH,
      .table_count = 2,
      .table_is_pair = {true},
      .resource_count = 2,
      .logit_count = 2,
      .logits = {{.kind = EDGEFW_LOGIT_NEAR_PENALTY, .near = 3, .far = -1},
                 {.kind = EDGEFW_LOGIT_LOCAL_ATTENTION, .points = 1, .near = 3}}};
  enum { STEPS = 2 * NODES, ROLLOUTS = NODES - 1 };
  double lengths[BATCH * ROLLOUTS];
  int32_t tours[BATCH * ROLLOUTS * STEPS];
  const double demand[BATCH * NODES] = {0}, capacity[BATCH] = {1, 1, 1}, slack[BATCH] = {0};
  const uint64_t ids[BATCH] = {0, 1, 2};
  void *gradient = (char *)buffer + 15000 * d->real_size;
  edgefw_decode_args a = {.plan = &plan,
                          .batch = BATCH,
                          .nodes = NODES,
                          .rollouts = ROLLOUTS,
                          .cost = buffer,
                          .selection = {EDGEFW_SELECT_SAMPLE, 10, 0, ids, 0},
                          .tours = tours,
                          .lengths = lengths,
                          .train = true,
                          .weigh = weigh,
                          .steps = STEPS,
                          .resources = {{demand, demand}, {capacity, capacity}, {slack, slack}},
                          .weights = {.pointer = {.w_left = buffer, .w_left_stride = 2}},
                          .gradients = {.pointer = {.w_left_stride = 2}}};
  a.weights.pointer.keys = a.weights.pointer.values = a.weights.pointer.q_last =
      a.weights.pointer.fold = a.weights.pointer.fold_bias = buffer;
  a.tables[0] = a.tables[1] = buffer;
  a.gradients.pointer.keys = a.gradients.pointer.w_left = gradient;
  for (int t = 0; t < EDGEFW_LOCAL_TENSORS; ++t) {
    a.weights.logits[1][t] = buffer;
    a.gradients.logits[1][t] = gradient;
  }
  return d->k->decode(d->device, &a);
}

/* A context and device of their own, whose allocations can be made to fail. */
static void start(const ks_device *like, failing_allocator *memory, ks_device *out) {
  const edgefw_allocator allocator = failing_allocator_begin(memory, FAILING_ALLOCATOR_NEVER);
  *out = *like;
  assert_int_equal(edgefw_context_create(&out->ctx, &allocator), EDGEFW_OK);
  edgefw_set_threads(out->ctx, 2);
  ks_ok(out, out->k->create(out->ctx, &out->device));
}

static void sweep(const ks_device *like, operation run) {
  failing_allocator memory;
  ks_device d;
  start(like, &memory, &d);
  void *buffer = ks_reals(&d, BUFFER);
  for (int64_t further = 0;; ++further) {
    const int64_t failures = memory.failures;
    failing_allocator_arm(&memory, further);
    const edgefw_status status = run(&d, buffer);
    failing_allocator_disarm(&memory);
    if (memory.failures == failures) {
      ks_ok(&d, status);
      break;
    }
    assert_int_equal(status, EDGEFW_OUT_OF_MEMORY);
    assert_true(strlen(edgefw_message(d.ctx)) > 0);
    edgefw_clear(d.ctx);
    assert_in_range(further, 0, 1000);
  }
  ks_release(&d, buffer);
  d.k->destroy(d.device);
  edgefw_context_destroy(d.ctx);
  assert_int_equal(failing_allocator_live(&memory), 0);
}

/* The same for the emulated GPU's own memory, which knows how many allocations are to succeed.
 * After each failure everything works again. (A GPU's memory cannot be made to fail there.) */
static void sweep_own_memory(const ks_device *like, operation run) {
  edgefw_status status = EDGEFW_OUT_OF_MEMORY;
  for (int further = 0; status != EDGEFW_OK; ++further) {
    failing_allocator memory;
    ks_device d;
    char text[16];
    start(like, &memory, &d);
    void *buffer = ks_reals(&d, BUFFER);
    snprintf(text, sizeof text, "%d", further);
    setenv("EDGEFW_EMULATOR_ALLOCATIONS", text, 1);
    status = run(&d, buffer);
    unsetenv("EDGEFW_EMULATOR_ALLOCATIONS");
    if (status != EDGEFW_OK) {
      assert_int_equal(status, EDGEFW_OUT_OF_MEMORY);
      assert_non_null(strstr(edgefw_message(d.ctx), "memory"));
      edgefw_clear(d.ctx);
      ks_ok(&d, run(&d, buffer));
    }
    assert_in_range(further, 0, 1000);
    ks_release(&d, buffer);
    d.k->destroy(d.device);
    edgefw_context_destroy(d.ctx);
  }
}

static void operations(void **state) {
  const ks_devices *devices = *state;
  const operation all[] = {linear,         attention,  mixed_attention, tables, depot_tables,
                           copy,           svd,        svd_randomized,  decode, decode_routes,
                           decode_further, elementwise};
  for (int i = 0; i < devices->count; ++i)
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k) {
      sweep(&devices->item[i], all[k]);
      if (ks_is_emulated(&devices->item[i])) sweep_own_memory(&devices->item[i], all[k]);
    }
}

static void creation_and_memory(void **state) {
  const ks_devices *devices = *state;
  for (int i = 0; i < devices->count; ++i) {
    failing_allocator memory;
    ks_device d;
    start(&devices->item[i], &memory, &d);
    failing_allocator_arm(&memory, 0);
    setenv("EDGEFW_EMULATOR_ALLOCATIONS", "0", 1);
    edgefw_device *second = NULL;
    assert_int_equal(d.k->create(d.ctx, &second), EDGEFW_OUT_OF_MEMORY);
    assert_null(second);
    edgefw_clear(d.ctx);
    /* A GPU has 64 bytes, whatever the host's allocator says. */
    const bool own = d.k->memory != NULL && !ks_is_emulated(&d);
    assert_null(d.k->allocate(d.device, own ? (size_t)1 << 50 : 64, "the thing that is wanted"));
    assert_non_null(strstr(edgefw_message(d.ctx), "the thing that is wanted"));
    failing_allocator_disarm(&memory);
    unsetenv("EDGEFW_EMULATOR_ALLOCATIONS");
    d.k->destroy(d.device);
    edgefw_context_destroy(d.ctx);
    assert_int_equal(failing_allocator_live(&memory), 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(operations),
      cmocka_unit_test(creation_and_memory),
  };
  return test_run(tests, ks_setup, ks_teardown);
}
