/* Graphs for the tests of core/nn: on reference64, for a problem with a field of every shape, and a
 * batch of two instances of four nodes. */
#ifndef EDGEFW_TESTS_SUPPORT_GRAPH_SUPPORT_H
#define EDGEFW_TESTS_SUPPORT_GRAPH_SUPPORT_H

#include "nn/op.h"
#include "support/tiny_model.h"

enum { GRAPH_NODES = 4, GRAPH_INSTANCES = 2 };

/* Fields "cost" (PAIR, 0 on the diagonal), "place" (POINT), "weight" (NODE), "room" (SCALAR). */
extern const edgefw_problem graph_problem;

typedef struct graph_fixture {
  tiny_model tiny;
  edgefw__batch *batch;
  edgefw__parameters *parameters;
  edgefw_graph *graph;
} graph_fixture;

/* CMocka fixtures: the device and the batch for a group, an empty graph for a test. */
int graph_setup(void **state);
int graph_teardown(void **state);
int graph_begin(void **state);
int graph_end(void **state);
#define graph_test(name) cmocka_unit_test_setup_teardown(name, graph_begin, graph_end)

/* Seal the parameters, allocate, and run the graph forward. */
void graph_run(graph_fixture *f, bool training);

/* A value's numbers (reference64: host doubles). */
const double *graph_values(const graph_fixture *f, edgefw_value value);

/* Gradients of all parameters, with all numbers of `y` weighted differently as the loss, against
 * finite differences. */
void graph_check_gradients(graph_fixture *f, edgefw_value y);

/* The same loss differentiated, added to the parameters' gradients. */
void graph_backward(graph_fixture *f, edgefw_value y);

/* The graph has failed so, and every further call returns 0. */
void graph_expect_failure(graph_fixture *f, edgefw_value value, edgefw_status expected,
                          const char *part);

/* Work of a value's node in one pass over `count` instances. */
edgefw__work graph_forward_work(const edgefw_graph *graph, edgefw_value value, int64_t count);
edgefw__work graph_backward_work(const edgefw_graph *graph, edgefw_value value, int64_t count);

/* Does the value's row of `edgefw bench` have this name? */
void graph_expect_label(const edgefw_graph *graph, edgefw_value value, const char *label);

/* Inputs of the operations under test: the z-scored cost, spectral features of width 4, and the
 * places (width 2). */
edgefw_value graph_cost_table(edgefw_graph *graph);
edgefw_value graph_spectrum(edgefw_graph *graph);
edgefw_value graph_places(edgefw_graph *graph);

#endif
