/* Running graphs: values of tables and layers, gradients through a chain, memory and refusals. */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>

#include "nn/graph.h"
#include "support/check.h"
#include "support/tiny_model.h"

enum { N = 4, INSTANCES = 2 };

static const edgefw_field fields[] = {{.name = "cost", .shape = EDGEFW_FIELD_PAIR}, {.name = NULL}};
static const edgefw_problem problem = {.size = sizeof problem, .fields = fields};

/* A graph with a batch of two 4-node instances, cost_ij = 10 i + j + b off the diagonal. */
typedef struct fixture {
  tiny_model tiny;
  edgefw__parameters *parameters;
  edgefw_graph *graph;
  edgefw__batch *batch;
} fixture;

static int setup(void **state) {
  fixture *f = calloc(1, sizeof *f);
  tiny_begin(&f->tiny, NULL, TINY_PLAIN, "reference64");
  tiny_ok(&f->tiny, edgefw__batch_create(f->tiny.ctx, fields, INSTANCES, N, &f->batch));
  f->batch->count = INSTANCES;
  for (int b = 0; b < INSTANCES; ++b)
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j)
        f->batch->data[0][(b * N + i) * N + j] = i == j ? 0 : 10 * i + (j * j) % 7 + b;
  *state = f;
  return 0;
}

static int teardown(void **state) {
  fixture *f = *state;
  edgefw__batch_destroy(f->tiny.ctx, f->batch);
  tiny_close(&f->tiny);
  free(f);
  return 0;
}

static int begin(void **state) {
  fixture *f = *state;
  tiny_ok(&f->tiny, edgefw__parameters_create(f->tiny.ctx, f->tiny.engine.kernels,
                                              f->tiny.engine.device, &f->parameters));
  tiny_ok(&f->tiny, edgefw__graph_create(f->parameters, &problem, N, &f->graph));
  return 0;
}

static int end(void **state) {
  fixture *f = *state;
  edgefw__graph_destroy(f->graph);
  edgefw__parameters_destroy(f->parameters);
  edgefw_clear(f->tiny.ctx);
  f->batch->count = INSTANCES;
  return 0;
}

static edgefw_value cost_table(edgefw_graph *graph) {
  return edgefw_graph_zscore(graph, edgefw_graph_field(graph, "cost"));
}

static void run(fixture *f, bool training) {
  tiny_ok(&f->tiny, edgefw__parameters_seal(f->parameters, 3, training));
  tiny_ok(&f->tiny, edgefw__graph_allocate(f->graph, INSTANCES, training, false));
  tiny_ok(&f->tiny, edgefw__graph_forward(f->graph, f->batch));
}

static const double *values_of(const fixture *f, edgefw_value value) {
  return edgefw__graph_node(f->graph, value)->data; /* reference64: host doubles */
}

static void tables_hold_what_they_say(void **state) {
  fixture *f = *state;
  const edgefw_value z = cost_table(f->graph);
  const edgefw_value t = edgefw_graph_transpose(f->graph, z);
  const edgefw_value row = edgefw_graph_row_min(f->graph, z);
  const edgefw_value column = edgefw_graph_column_min(f->graph, z);
  run(f, false);
  const double *zs = values_of(f, z), *ts = values_of(f, t);
  for (int b = 0; b < INSTANCES; ++b) {
    const double *raw = f->batch->data[0] + b * N * N, *own = zs + b * N * N;
    double mean = 0.0, variance = 0.0;
    for (int e = 0; e < N * N; ++e) mean += raw[e] / (N * N);
    for (int e = 0; e < N * N; ++e) variance += (raw[e] - mean) * (raw[e] - mean) / (N * N - 1);
    for (int i = 0; i < N; ++i) {
      double least_row = HUGE_VAL, least_column = HUGE_VAL;
      for (int j = 0; j < N; ++j) {
        check_close(own[i * N + j], (raw[i * N + j] - mean) / (sqrt(variance) + 1e-9), 1e-12, 0,
                    "z-score");
        assert_true(ts[(b * N + j) * N + i] == own[i * N + j]);
        if (i == j) continue;
        least_row = fmin(least_row, own[i * N + j]);
        least_column = fmin(least_column, own[j * N + i]);
      }
      assert_true(values_of(f, row)[b * N + i] == least_row);
      assert_true(values_of(f, column)[b * N + i] == least_column);
    }
  }
}

static edgefw_status fill_sum(edgefw_context *ctx, const edgefw_instance *instance,
                              const edgefw_options *options, double *out) {
  (void)options;
  for (int64_t i = 0; i < instance->n; ++i)
    for (int64_t j = 0; j < instance->n; ++j) out[i] += instance->data[0][i * instance->n + j];
  return instance->n > 0 ? EDGEFW_OK : edgefw_fail(ctx, EDGEFW_INTERNAL, "no nodes");
}

static edgefw_status fill_nothing(edgefw_context *ctx, const edgefw_instance *instance,
                                  const edgefw_options *options, double *out) {
  (void)instance;
  (void)options;
  (void)out;
  return edgefw_fail(ctx, EDGEFW_INFEASIBLE, "the author's own reason");
}

static void host_tables_are_filled_per_instance(void **state) {
  fixture *f = *state;
  const edgefw_value sums = edgefw_graph_host_table(f->graph, false, fill_sum, NULL);
  run(f, false);
  for (int b = 0; b < INSTANCES; ++b)
    for (int i = 0; i < N; ++i) {
      double sum = 0.0;
      for (int j = 0; j < N; ++j) sum += f->batch->data[0][(b * N + i) * N + j];
      assert_true(values_of(f, sums)[b * N + i] == sum);
    }
}

static void a_host_tables_failure_is_reported(void **state) {
  fixture *f = *state;
  edgefw_graph_host_table(f->graph, true, fill_nothing, NULL);
  tiny_ok(&f->tiny, edgefw__graph_allocate(f->graph, INSTANCES, false, false));
  tiny_fails(&f->tiny, edgefw__graph_forward(f->graph, f->batch), EDGEFW_INFEASIBLE,
             "the author's own reason");
}

/* A chain of every layer whose gradient the graph routes. */
static edgefw_value write_chain(edgefw_graph *graph) {
  static const edgefw_mixed_attention attention = {.size = sizeof attention,
                                                   .heads = 2,
                                                   .hidden = 3,
                                                   .norm = EDGEFW_ATTENTION_SINKHORN,
                                                   .iterations = 2,
                                                   .mix1_init = 1.0,
                                                   .mix2_init = 1.0};
  const edgefw_value z = cost_table(graph);
  const edgefw_value x = edgefw_graph_svd_features(graph, z, 2, false);
  const edgefw_value h = edgefw_graph_linear(graph, x, 4, EDGEFW_LINEAR_BIAS, "in");
  const edgefw_value a = edgefw_graph_mixed_attention(graph, h, h, h, z, &attention, "mix");
  const edgefw_value r =
      edgefw_graph_linear(graph, a, 4, EDGEFW_LINEAR_BIAS | EDGEFW_LINEAR_RELU, "hidden");
  return edgefw_graph_add_norm(graph, r, h, "norm");
}

/* sum of sin(k) * y_k: a loss whose gradient is sin(k). */
static double weighted_sum(fixture *f, edgefw_value y) {
  tiny_ok(&f->tiny, edgefw__graph_forward(f->graph, f->batch));
  double sum = 0.0;
  for (int k = 0; k < INSTANCES * N * 4; ++k) sum += sin(k + 1.0) * values_of(f, y)[k];
  return sum;
}

static void backward(fixture *f, edgefw_value y) {
  edgefw__graph_zero_gradients(f->graph);
  double *dy = edgefw__graph_node(f->graph, y)->dy;
  for (int k = 0; k < INSTANCES * N * 4; ++k) dy[k] += sin(k + 1.0);
  tiny_ok(&f->tiny, edgefw__graph_backward(f->graph, INSTANCES));
}

static void gradients_agree_with_differences(void **state) {
  fixture *f = *state;
  const edgefw_value y = write_chain(f->graph);
  run(f, true);
  backward(f, y);
  const double step = 1e-6;
  double *values = f->parameters->values, *gradients = f->parameters->gradients;
  for (int64_t p = 0; p < f->parameters->total; ++p) {
    const double kept = values[p];
    values[p] = kept + step;
    const double above = weighted_sum(f, y);
    values[p] = kept - step;
    const double below = weighted_sum(f, y);
    values[p] = kept;
    check_close(gradients[p], (above - below) / (2 * step), 1e-7, 1e-6, "gradient of the chain");
  }
}

static void backward_adds(void **state) {
  fixture *f = *state;
  const edgefw_value y = write_chain(f->graph);
  run(f, true);
  backward(f, y);
  double *once = tiny_download(&f->tiny, f->parameters->gradients, f->parameters->total);
  backward(f, y);
  for (int64_t p = 0; p < f->parameters->total; ++p)
    check_close(((double *)f->parameters->gradients)[p], 2 * once[p], 1e-12, 1e-12,
                "twice the gradient");
  free(once);
}

static void a_smaller_batch_gives_the_same_values(void **state) {
  fixture *f = *state;
  const edgefw_value y = write_chain(f->graph);
  run(f, false);
  double *both = tiny_download(&f->tiny, values_of(f, y), INSTANCES * N * 4);
  f->batch->count = 1;
  tiny_ok(&f->tiny, edgefw__graph_forward(f->graph, f->batch));
  check_same_bits(values_of(f, y), both, N * 4 * sizeof(double), "the first instance alone");
  free(both);
}

static void measuring_allocates_nothing(void **state) {
  fixture *f = *state;
  const edgefw_value y = write_chain(f->graph);
  tiny_ok(&f->tiny, edgefw__graph_allocate(f->graph, 10, true, true));
  const size_t activations = f->graph->activation_bytes, gradients = f->graph->gradient_bytes;
  assert_null(edgefw__graph_node(f->graph, y)->data);
  assert_true(activations >= 10 * N * N * sizeof(double));
  assert_true(gradients > 0 && gradients < activations);
  tiny_ok(&f->tiny, edgefw__graph_allocate(f->graph, 1, false, true));
  assert_true(f->graph->activation_bytes < activations / 5);
  assert_int_equal(f->graph->gradient_bytes, 0);
}

static void a_batch_that_does_not_fit_is_refused(void **state) {
  fixture *f = *state;
  cost_table(f->graph);
  tiny_ok(&f->tiny, edgefw__graph_allocate(f->graph, 1, false, false));
  tiny_fails(&f->tiny, edgefw__graph_forward(f->graph, f->batch), EDGEFW_INTERNAL,
             "does not fit the graph");
}

static void a_failed_graph_is_not_run(void **state) {
  fixture *f = *state;
  edgefw_graph_field(f->graph, "nothing");
  tiny_fails(&f->tiny, edgefw__graph_allocate(f->graph, 1, false, false), EDGEFW_UNSUPPORTED,
             "\"nothing\"");
}

#define graph_test(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void) {
  const struct CMUnitTest tests[] = {
      graph_test(tables_hold_what_they_say),
      graph_test(host_tables_are_filled_per_instance),
      graph_test(a_host_tables_failure_is_reported),
      graph_test(gradients_agree_with_differences),
      graph_test(backward_adds),
      graph_test(a_smaller_batch_gives_the_same_values),
      graph_test(measuring_allocates_nothing),
      graph_test(a_batch_that_does_not_fit_is_refused),
      graph_test(a_failed_graph_is_not_run),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, setup, teardown);
}
