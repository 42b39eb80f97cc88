/* Table services: one (n,n) matrix in, a matrix or one number for each node out. They differ in the
 * kernel, in what it reads, and in the name that messages have for it. Behind them, the table of
 * distances, which is made of points. */
#include "nn/graph_write.h"

typedef struct table_service {
  edgefw__op op;
  const char *title; /* in messages */
  bool takes_raw;    /* a field of the instance; otherwise a computed table */
  bool gives_pair;   /* otherwise one number for each node */
} table_service;

/* The forward of a service NAME: the device's kernel of that name. */
#define FORWARD(kernel)                                                                            \
  static edgefw_status kernel##_forward(edgefw_graph *graph, edgefw__node *node,                   \
                                        const edgefw__batch *batch) {                              \
    const edgefw_table_args args = {.batch = batch->count,                                         \
                                    .nodes = graph->n,                                             \
                                    .pair = edgefw__input(graph, node, 0),                         \
                                    .out = node->data,                                             \
                                    .forbidden = edgefw__input_forbidden(graph, node, 0, batch)};  \
    return graph->kernels->kernel(graph->device, &args);                                           \
  }

FORWARD(zscore)
FORWARD(transpose)
FORWARD(row_min)
FORWARD(column_min)
FORWARD(row_rank)
FORWARD(column_rank)

/* The raw field is double. */
static edgefw__work zscore_work(const edgefw_graph *graph, const edgefw__node *node,
                                int64_t count) {
  return edgefw__traffic(graph, node, count, sizeof(double) + edgefw__real_size(graph->kernels));
}

static edgefw__work transpose_work(const edgefw_graph *graph, const edgefw__node *node,
                                   int64_t count) {
  return edgefw__traffic(graph, node, count, 2 * edgefw__real_size(graph->kernels));
}

/* Reads the matrix; the result is small beside it. */
static edgefw__work minimum_work(const edgefw_graph *graph, const edgefw__node *node,
                                 int64_t count) {
  return edgefw__traffic(graph, edgefw__input_node(graph, node, 0), count,
                         edgefw__real_size(graph->kernels));
}

static edgefw_value add(edgefw_graph *graph, const table_service *service, edgefw_value pair) {
  if (!edgefw__graph_pair_input(graph, pair, service->takes_raw, service->title)) return 0;
  const edgefw__op_spec spec = edgefw__graph_spec(&service->op, pair);
  return edgefw__graph_add(graph, &spec, service->gives_pair, service->gives_pair ? 0 : 1);
}

/* --- The services --- */

static const table_service zscore = {
    {.name = "zscore", .forward = zscore_forward, .forward_work = zscore_work},
    .title = "z-score",
    .takes_raw = true,
    .gives_pair = true};

edgefw_value edgefw_graph_zscore(edgefw_graph *graph, edgefw_value pair) {
  return add(graph, &zscore, pair);
}

static const table_service transpose = {{.name = "transpose",
                                         .transposes = true,
                                         .forward = transpose_forward,
                                         .forward_work = transpose_work},
                                        .title = "transpose",
                                        .gives_pair = true};

edgefw_value edgefw_graph_transpose(edgefw_graph *graph, edgefw_value pair) {
  return add(graph, &transpose, pair);
}

static const table_service row_min = {
    {.name = "row_min", .forward = row_min_forward, .forward_work = minimum_work},
    .title = "row minimum"};

edgefw_value edgefw_graph_row_min(edgefw_graph *graph, edgefw_value pair) {
  return add(graph, &row_min, pair);
}

static const table_service column_min = {
    {.name = "column_min", .forward = column_min_forward, .forward_work = minimum_work},
    .title = "column minimum"};

edgefw_value edgefw_graph_column_min(edgefw_graph *graph, edgefw_value pair) {
  return add(graph, &column_min, pair);
}

static const table_service row_rank = {
    {.name = "row_rank", .forward = row_rank_forward}, .title = "row ranks", .gives_pair = true};

edgefw_value edgefw_graph_row_rank(edgefw_graph *graph, edgefw_value pair) {
  return add(graph, &row_rank, pair);
}

static const table_service column_rank = {{.name = "column_rank", .forward = column_rank_forward},
                                          .title = "column ranks",
                                          .gives_pair = true};

edgefw_value edgefw_graph_column_rank(edgefw_graph *graph, edgefw_value pair) {
  return add(graph, &column_rank, pair);
}

/* --- Distances --- */

static edgefw_status distances_forward(edgefw_graph *graph, edgefw__node *node,
                                       const edgefw__batch *batch) {
  const edgefw_distances_args args = {.batch = batch->count,
                                      .nodes = graph->n,
                                      .points = edgefw__input(graph, node, 0),
                                      .out = node->data};
  return graph->kernels->distances(graph->device, &args);
}

/* Writes the matrix; the points are small beside it. */
static edgefw__work distances_work(const edgefw_graph *graph, const edgefw__node *node,
                                   int64_t count) {
  return edgefw__traffic(graph, node, count, edgefw__real_size(graph->kernels));
}

static const edgefw__op distances = {
    .name = "distances", .forward = distances_forward, .forward_work = distances_work};

edgefw_value edgefw_graph_distances(edgefw_graph *graph, edgefw_value points) {
  const edgefw__node *node = edgefw__graph_node_input(graph, points, distances.name);
  if (!node) return 0;
  if (node->width != 2 || node->gradient)
    return edgefw_graph_fail(graph, EDGEFW_INVALID_ARGUMENT,
                             "distances takes points: a value of shape (n,2) without gradient");
  const edgefw__op_spec spec = edgefw__graph_spec(&distances, points);
  return edgefw__graph_add(graph, &spec, true, 0);
}

edgefw_value edgefw_graph_nearness(edgefw_graph *graph) {
  const edgefw_problem *problem = graph->problem;
  if (problem->coordinates && problem->near_by_points && graph->problem_options &&
      problem->near_by_points(graph->problem_options))
    return edgefw_graph_distances(
        graph, edgefw_graph_input(graph, problem->coordinates, EDGEFW_INPUT_RAW, NULL));
  return edgefw_graph_input(graph, problem->objective, EDGEFW_INPUT_RAW, NULL);
}
