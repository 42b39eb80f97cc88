/* See graph_support.h. */
#include "support/test.h"

#include "support/graph_support.h"

#include <math.h>
#include <stdlib.h>

#include "bench/flops.h"
#include "support/check.h"

enum { COST, PLACE, WEIGHT, ROOM };

static const edgefw_field fields[] = {[COST] = {.name = "cost", .shape = EDGEFW_FIELD_PAIR},
                                      [PLACE] = {.name = "place", .shape = EDGEFW_FIELD_POINT},
                                      [WEIGHT] = {.name = "weight", .shape = EDGEFW_FIELD_NODE},
                                      [ROOM] = {.name = "room", .shape = EDGEFW_FIELD_SCALAR},
                                      {.name = NULL}};
const edgefw_problem graph_problem = {
    .size = sizeof graph_problem, .fields = fields, .objective = "cost"};

static void fill_batch(edgefw__batch *batch) {
  enum { N = GRAPH_NODES };
  batch->count = GRAPH_INSTANCES;
  for (int b = 0; b < GRAPH_INSTANCES; ++b) {
    batch->data[ROOM][b] = 8 + b;
    for (int i = 0; i < N; ++i) {
      batch->data[WEIGHT][b * N + i] = i + 1 + b;
      batch->data[PLACE][(b * N + i) * 2] = 0.1 * i + b;
      batch->data[PLACE][(b * N + i) * 2 + 1] = 0.25 * i * i;
      for (int j = 0; j < N; ++j)
        batch->data[COST][(b * N + i) * N + j] = i == j ? 0 : 10 * i + (j * j) % 7 + b;
    }
  }
}

int graph_setup(void **state) {
  graph_fixture *f = calloc(1, sizeof *f);
  tiny_begin(&f->tiny, NULL, TINY_PLAIN, "reference64");
  tiny_ok(&f->tiny,
          edgefw__batch_create(f->tiny.ctx, fields, GRAPH_INSTANCES, GRAPH_NODES, &f->batch));
  fill_batch(f->batch);
  *state = f;
  return 0;
}

int graph_teardown(void **state) {
  graph_fixture *f = *state;
  edgefw__batch_destroy(f->tiny.ctx, f->batch);
  tiny_close(&f->tiny);
  free(f);
  return 0;
}

int graph_begin(void **state) {
  graph_fixture *f = *state;
  tiny_ok(&f->tiny, edgefw__parameters_create(f->tiny.ctx, f->tiny.engine.kernels,
                                              f->tiny.engine.device, &f->parameters));
  tiny_ok(&f->tiny,
          edgefw__graph_create(f->parameters, &graph_problem, NULL, GRAPH_NODES, &f->graph));
  return 0;
}

int graph_end(void **state) {
  graph_fixture *f = *state;
  edgefw__graph_destroy(f->graph);
  edgefw__parameters_destroy(f->parameters);
  edgefw_clear(f->tiny.ctx);
  f->batch->count = GRAPH_INSTANCES;
  return 0;
}

void graph_run(graph_fixture *f, bool training) {
  tiny_ok(&f->tiny, edgefw__parameters_seal(f->parameters, 3, training));
  tiny_ok(&f->tiny, edgefw__graph_allocate(f->graph, GRAPH_INSTANCES, training, false));
  tiny_ok(&f->tiny, edgefw__graph_forward(f->graph, f->batch));
}

const double *graph_values(const graph_fixture *f, edgefw_value value) {
  return edgefw__graph_node(f->graph, value)->data;
}

/* --- Gradients: the loss is the sum of sin(k + 1) * y_k --- */

static int64_t count_of(const graph_fixture *f, edgefw_value y) {
  return GRAPH_INSTANCES * edgefw__value_count(f->graph, edgefw__graph_node(f->graph, y));
}

static double weighted_sum(graph_fixture *f, edgefw_value y) {
  tiny_ok(&f->tiny, edgefw__graph_forward(f->graph, f->batch));
  double sum = 0.0;
  for (int64_t k = 0; k < count_of(f, y); ++k) sum += sin(k + 1.0) * graph_values(f, y)[k];
  return sum;
}

void graph_backward(graph_fixture *f, edgefw_value y) {
  edgefw__graph_zero_gradients(f->graph);
  double *dy = edgefw__graph_node(f->graph, y)->dy;
  for (int64_t k = 0; k < count_of(f, y); ++k) dy[k] += sin(k + 1.0);
  tiny_ok(&f->tiny, edgefw__graph_backward(f->graph, GRAPH_INSTANCES));
}

void graph_check_gradients(graph_fixture *f, edgefw_value y) {
  graph_run(f, true);
  graph_backward(f, y);
  const double step = 1e-6;
  double *values = f->parameters->values, *gradients = f->parameters->gradients;
  for (int64_t p = 0; p < f->parameters->total; ++p) {
    const double kept = values[p];
    values[p] = kept + step;
    const double above = weighted_sum(f, y);
    values[p] = kept - step;
    const double below = weighted_sum(f, y);
    values[p] = kept;
    check_close(gradients[p], (above - below) / (2 * step), 1e-7, 1e-6, "gradient");
  }
}

/* --- What is expected of a node --- */

void graph_expect_failure(graph_fixture *f, edgefw_value value, edgefw_status expected,
                          const char *part) {
  assert_int_equal(value, 0);
  assert_int_equal(edgefw_graph_field(f->graph, "cost"), 0);
  assert_int_equal(edgefw_graph_linear(f->graph, 1, 4, 0, "after"), 0);
  tiny_fails(&f->tiny, f->graph->status, expected, part);
}

edgefw__work graph_forward_work(const edgefw_graph *graph, edgefw_value value, int64_t count) {
  assert_int_equal(graph->status, EDGEFW_OK);
  return edgefw__work_forward(graph, value - 1, count);
}

edgefw__work graph_backward_work(const edgefw_graph *graph, edgefw_value value, int64_t count) {
  assert_int_equal(graph->status, EDGEFW_OK);
  return edgefw__work_backward(graph, value - 1, count);
}

void graph_expect_label(const edgefw_graph *graph, edgefw_value value, const char *label) {
  const edgefw__node *node = edgefw__graph_node(graph, value);
  char text[EDGEFW__OP_LABEL];
  node->spec.op->label(graph, node, text);
  assert_string_equal(text, label);
}

/* --- Inputs --- */

edgefw_value graph_cost_table(edgefw_graph *graph) {
  return edgefw_graph_zscore(graph, edgefw_graph_field(graph, "cost"));
}

edgefw_value graph_spectrum(edgefw_graph *graph) {
  return edgefw_graph_svd_features(graph, graph_cost_table(graph), 2, 0);
}

edgefw_value graph_places(edgefw_graph *graph) {
  return edgefw_graph_input(graph, "place", EDGEFW_INPUT_RAW, NULL);
}
