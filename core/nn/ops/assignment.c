/* The optimal assignment of the raw costs: one operation solves it, keeps the successors beside its
 * table of reduced costs, and three more read them. */
#include "data/least_routes.h"
#include "nn/graph_write.h"

/* --- Reduced costs --- */

/* saved[0]: (B,n) successors. */
static void assignment_saved(const edgefw_graph *graph, const edgefw__node *node, size_t bytes[2]) {
  (void)node;
  bytes[0] = (size_t)(graph->capacity * graph->n) * edgefw__real_size(graph->kernels);
}

/* A solution leaves the depot for each of its routes: so often the relaxation does, too. NULL
 * without a depot. */
static const int64_t *depot_copies(const edgefw_graph *graph, const edgefw__batch *batch) {
  for (int64_t b = 0; graph->copies && b < batch->count; ++b) {
    const edgefw_instance instance = edgefw__batch_instance(batch, b);
    graph->copies[b] = edgefw__least_routes_of(graph->problem, &instance);
  }
  return graph->copies;
}

static edgefw_status assignment_forward(edgefw_graph *graph, edgefw__node *node,
                                        const edgefw__batch *batch) {
  const edgefw_assignment_args args = {.batch = batch->count,
                                       .nodes = graph->n,
                                       .pair = edgefw__input(graph, node, 0),
                                       .out = node->data,
                                       .successor = node->saved[0],
                                       .copies = depot_copies(graph, batch),
                                       .forbidden = edgefw__input_forbidden(graph, node, 0, batch)};
  return graph->kernels->assignment(graph->device, &args);
}

static const edgefw__op assignment = {
    .name = "assignment", .saved_bytes = assignment_saved, .forward = assignment_forward};

edgefw_value edgefw_graph_assignment(edgefw_graph *graph, edgefw_value pair) {
  if (!edgefw__graph_pair_input(graph, pair, true, assignment.name)) return 0;
  const edgefw__op_spec spec = edgefw__graph_spec(&assignment, pair);
  return edgefw__graph_add(graph, &spec, true, 0);
}

/* --- Successors --- */

static edgefw_status successors_forward(edgefw_graph *graph, edgefw__node *node,
                                        const edgefw__batch *batch) {
  const edgefw_copy_args args = {.rows = batch->count,
                                 .width = graph->n,
                                 .from_stride = graph->n,
                                 .to_stride = graph->n,
                                 .from = edgefw__input_node(graph, node, 0)->saved[0],
                                 .to = node->data};
  return graph->kernels->copy(graph->device, &args);
}

static const edgefw__op successors = {.name = "successors", .forward = successors_forward};

edgefw_value edgefw_graph_successors(edgefw_graph *graph, edgefw_value pair) {
  const edgefw_value solved = edgefw_graph_assignment(graph, pair);
  if (!solved) return 0;
  const edgefw__op_spec spec = edgefw__graph_spec(&successors, solved);
  return edgefw__graph_add(graph, &spec, false, 1);
}

/* --- Exchanges --- */

/* Inputs: the raw field, the successors. */
static edgefw_status exchange_forward(edgefw_graph *graph, edgefw__node *node,
                                      const edgefw__batch *batch) {
  const edgefw_exchange_args args = {.batch = batch->count,
                                     .nodes = graph->n,
                                     .pair = edgefw__input(graph, node, 0),
                                     .successor = edgefw__input(graph, node, 1),
                                     .depot = graph->copies != NULL,
                                     .out = node->data,
                                     .forbidden = edgefw__input_forbidden(graph, node, 0, batch)};
  return graph->kernels->exchange(graph->device, &args);
}

/* Reads the exact matrix twice, once of them in another order, and writes the table. */
static edgefw__work exchange_work(const edgefw_graph *graph, const edgefw__node *node,
                                  int64_t count) {
  return edgefw__traffic(graph, node, count,
                         2 * sizeof(double) + edgefw__real_size(graph->kernels));
}

static const edgefw__op exchange = {
    .name = "exchange", .forward = exchange_forward, .forward_work = exchange_work};

edgefw_value edgefw_graph_exchange(edgefw_graph *graph, edgefw_value pair) {
  const edgefw_value permutation = edgefw_graph_successors(graph, pair);
  if (!permutation) return 0;
  edgefw__op_spec spec = edgefw__graph_spec(&exchange, pair);
  spec.inputs[1] = permutation - 1;
  return edgefw__graph_add(graph, &spec, true, 0);
}

/* --- Entries into cycles --- */

/* Inputs: the exchanges, the successors. */
static edgefw_status cycle_entry_forward(edgefw_graph *graph, edgefw__node *node,
                                         const edgefw__batch *batch) {
  const edgefw_cycle_entry_args args = {.batch = batch->count,
                                        .nodes = graph->n,
                                        .exchange = edgefw__input(graph, node, 0),
                                        .successor = edgefw__input(graph, node, 1),
                                        .out = node->data};
  return graph->kernels->cycle_entry(graph->device, &args);
}

static const edgefw__op cycle_entry = {.name = "cycle_entry", .forward = cycle_entry_forward};

edgefw_value edgefw_graph_cycle_entry(edgefw_graph *graph, edgefw_value pair) {
  const edgefw_value price = edgefw_graph_exchange(graph, pair);
  if (!price) return 0;
  edgefw__op_spec spec = edgefw__graph_spec(&cycle_entry, price);
  spec.inputs[1] = edgefw_graph_successors(graph, pair) - 1;
  return edgefw__graph_add(graph, &spec, true, 0);
}
