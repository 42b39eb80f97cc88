/* Single operations, as they occur in a step: the nodes of the graph grouped by kind and shape, the
 * decode loop, Adam, and what generating takes. */
#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "bench/bench_internal.h"
#include "bench/flops.h"

#define FORWARD  "forward"
#define SAVING   "saving" /* a forward that keeps what its backward needs */
#define BACKWARD "backward"
#define OTHERS   4 /* rows besides those of nodes: decode twice, adam, shortest_paths */

/* --- Nodes, grouped --- */

/* NULL: the node does no work. */
static const char *row_name(const edgefw_graph *graph, const edgefw__node *node,
                            edgefw_arena *arena) {
  const edgefw__op *op = node->spec.op;
  if (op->raw) return NULL;
  if (!op->label) return op->name;
  char text[EDGEFW__OP_LABEL];
  op->label(graph, node, text);
  return edgefw_arena_format(arena, "%s", text);
}

static edgefw__bench_row *find_row(edgefw__bench_group *group, const char *name, const char *pass) {
  for (int r = 0; r < group->row_count; ++r)
    if (strcmp(group->rows[r].name, name) == 0 && strcmp(group->rows[r].pass, pass) == 0)
      return &group->rows[r];
  return NULL;
}

/* Add node `index` to the row of its kind, which is made with the first one. Its work is that of a
 * mean call: the calls of a row may differ in which gradients are wanted. */
static edgefw__bench_row *count_node(edgefw__bench_run *run, edgefw__bench_group *group,
                                     const edgefw_graph *graph, int index, const char *pass) {
  const char *name = row_name(graph, &graph->nodes[index], run->report->arena);
  const edgefw__work work = strcmp(pass, BACKWARD) == 0
                                ? edgefw__work_backward(graph, index, group->batch)
                                : edgefw__work_forward(graph, index, group->batch);
  if (!name) return NULL;
  edgefw__bench_row *row = find_row(group, name, pass);
  const bool known = row != NULL;
  if (!known) row = edgefw__bench_add_row(group, name, pass);
  row->calls += known;
  row->flops += (work.flops - row->flops) / row->calls;
  row->bytes += (work.bytes - row->bytes) / row->calls;
  return row;
}

/* Which row each node's time goes to, in one pass through the graph. */
typedef struct pass_rows {
  edgefw__bench_row **of_node; /* NULL: none */
  double *sums;                /* per node: scratch of add_samples */
} pass_rows;

static edgefw_status make_rows(edgefw__bench_run *run, edgefw__bench_group *group,
                               const edgefw_graph *graph, const char *pass, pass_rows *out) {
  const size_t count = (size_t)graph->node_count;
  out->of_node = edgefw_arena_take(run->report->arena, count, sizeof(edgefw__bench_row *));
  out->sums = edgefw_arena_take(run->report->arena, count, sizeof *out->sums);
  if (!out->of_node || !out->sums) return edgefw_failure(run->ctx);
  for (int i = 0; i < graph->node_count; ++i) {
    const edgefw__node *node = &graph->nodes[i];
    if (strcmp(pass, BACKWARD) == 0 && !node->gradient) continue;
    if (strcmp(pass, SAVING) == 0 && !node->spec.op->saves_in_training) continue;
    out->of_node[i] = count_node(run, group, graph, i, pass);
  }
  return edgefw_failure(run->ctx);
}

/* The first node whose time goes to the same row as that of node `index`. */
static int first_of_row(const pass_rows *rows, int index) {
  int first = 0;
  while (rows->of_node[first] != rows->of_node[index]) ++first;
  return first;
}

/* One sample for each row: the mean over its nodes. */
static void add_samples(const pass_rows *rows, const double *seconds, int count) {
  memset(rows->sums, 0, (size_t)count * sizeof *rows->sums);
  for (int i = 0; i < count; ++i) rows->sums[first_of_row(rows, i)] += seconds[i];
  for (int i = 0; i < count; ++i) {
    edgefw__bench_row *row = rows->of_node[i];
    if (row && first_of_row(rows, i) == i)
      edgefw__timing_add(&row->timing, rows->sums[i] / row->calls);
  }
}

/* --- Evaluation: forward of nodes and of the decode loop --- */

static edgefw_status measure_forward(edgefw__bench_run *run, edgefw__bench_group *group,
                                     edgefw__workload *work) {
  const edgefw__policy *policy = work->policy;
  const edgefw_graph *graph = policy->graph.graph;
  pass_rows rows;
  const int first = group->row_count;
  edgefw_status status = make_rows(run, group, graph, FORWARD, &rows);
  if (status != EDGEFW_OK) return status;
  edgefw__bench_row *decode = edgefw__bench_add_row(group, "decode", FORWARD);
  decode->flops = (double)group->batch *
                  edgefw__flops_decode(group->n, policy->rollouts, policy->graph.plan.width);
  group->rollouts = policy->rollouts;
  edgefw__bench_rounds rounds = edgefw__bench_begin_rounds(run, 2);
  while (status == EDGEFW_OK && edgefw__bench_next_round(run, &rounds, group, first)) {
    double seconds = 0.0;
    status = edgefw__workload_encode(work, &seconds);
    if (status == EDGEFW_OK) status = edgefw__workload_decode(work, &seconds);
    if (status != EDGEFW_OK) break;
    add_samples(&rows, work->forward, graph->node_count);
    edgefw__timing_add(&decode->timing, seconds);
  }
  return status;
}

/* --- Training: backward of nodes, the decode loop with its backward, Adam --- */

static edgefw_status training_round(edgefw__workload *work, double *decode, double *update) {
  double seconds = 0.0;
  edgefw_status status = edgefw__workload_encode(work, &seconds);
  if (status == EDGEFW_OK) status = edgefw__workload_clear(work, &seconds);
  if (status == EDGEFW_OK) status = edgefw__workload_decode(work, decode);
  if (status == EDGEFW_OK) status = edgefw__workload_backward(work, &seconds);
  if (status == EDGEFW_OK) status = edgefw__workload_update(work, update);
  return status;
}

static edgefw_status measure_training(edgefw__bench_run *run, edgefw__bench_group *group,
                                      edgefw__workload *work) {
  const edgefw__policy *policy = work->policy;
  const edgefw_graph *graph = policy->graph.graph;
  pass_rows saving, backward;
  const int first = group->row_count;
  edgefw_status status = make_rows(run, group, graph, SAVING, &saving);
  if (status == EDGEFW_OK) status = make_rows(run, group, graph, BACKWARD, &backward);
  if (status != EDGEFW_OK) return status;
  edgefw__bench_row *decode = edgefw__bench_add_row(group, "decode", "fwd+backward");
  edgefw__bench_row *adam = edgefw__bench_add_row(group, "adam", "");
  decode->flops = 3.0 * (double)group->batch *
                  edgefw__flops_decode(group->n, policy->rollouts, policy->graph.plan.width);
  adam->bytes =
      edgefw__work_adam(work->model->parameters->total, edgefw__real_size(graph->kernels)).bytes;
  edgefw__bench_rounds rounds = edgefw__bench_begin_rounds(run, 4);
  while (status == EDGEFW_OK && edgefw__bench_next_round(run, &rounds, group, first)) {
    double decoded = 0.0, updated = 0.0;
    status = training_round(work, &decoded, &updated);
    if (status != EDGEFW_OK) break;
    add_samples(&saving, work->forward, graph->node_count);
    add_samples(&backward, work->backward, graph->node_count);
    edgefw__timing_add(&decode->timing, decoded);
    edgefw__timing_add(&adam->timing, updated);
  }
  return status;
}

/* --- Generating: shortest paths --- */

typedef struct paths_work {
  const edgefw_kernels *kernels;
  int32_t *matrices;
  int64_t n;
} paths_work;

static edgefw_status close_one(void *user, int64_t index, int thread) {
  const paths_work *work = user;
  (void)thread;
  work->kernels->shortest_paths(work->matrices + index * work->n * work->n, work->n);
  return EDGEFW_OK;
}

/* Matrices of numbers without a pattern; closing them again takes as long as the first time. */
static void fill_matrices(int32_t *matrices, int64_t count, int64_t n) {
  uint32_t state = 1;
  for (int64_t i = 0; i < count * n * n; ++i) {
    state = state * 1664525u + 1013904223u;
    const bool diagonal = i % (n * n) % (n + 1) == 0;
    matrices[i] = diagonal ? 0 : (int32_t)(state >> 12);
  }
}

static edgefw_status measure_shortest_paths(edgefw__bench_run *run, edgefw__bench_group *group) {
  const int64_t n = group->n, count = group->batch;
  int32_t *matrices =
      edgefw_allocate(run->ctx, (size_t)(count * n * n), sizeof *matrices, "matrices");
  if (!matrices) return edgefw_failure(run->ctx);
  fill_matrices(matrices, count, n);
  paths_work work = {run->engine.kernels, matrices, n};
  edgefw__bench_row *row = edgefw__bench_add_row(group, "shortest_paths", "");
  const int first = group->row_count - 1;
  row->flops = (double)count * edgefw__flops_shortest_paths(n);
  row->is_integer = true;
  edgefw_status status = EDGEFW_OK;
  edgefw__bench_rounds rounds = edgefw__bench_begin_rounds(run, 1);
  while (status == EDGEFW_OK && edgefw__bench_next_round(run, &rounds, group, first)) {
    const double begin = edgefw__seconds();
    status = edgefw_parallel(run->ctx, count, close_one, &work);
    edgefw__timing_add(&row->timing, edgefw__seconds() - begin);
  }
  edgefw_release(run->ctx, matrices);
  return status;
}

/* --- All of them --- */

/* The group, with room for three rows for each node, and the instances. */
static edgefw_status begin(edgefw__bench_run *run, int64_t n, edgefw__instances *instances,
                           edgefw__bench_group **group) {
  int64_t batch = 0;
  double seconds = 0.0;
  const edgefw__composition *full = edgefw__bench_full(run);
  edgefw_status status = edgefw__bench_batch(run, n, true, &batch);
  if (status == EDGEFW_OK && run->settings->batch == 0) {
    int64_t evaluated = 0; /* a batch that training takes and evaluation would, too */
    status = edgefw__bench_batch(run, n, false, &evaluated);
    if (evaluated < batch) batch = evaluated;
  }
  if (status == EDGEFW_OK) status = edgefw__instances_open(&run->engine, full, batch, n, instances);
  if (status == EDGEFW_OK) status = edgefw__instances_generate(instances, &seconds);
  if (status != EDGEFW_OK) return status;
  *group = edgefw__bench_add_group(run, EDGEFW__BENCH_OPS, n, batch,
                                   3 * run->report->node_count + OTHERS);
  return *group ? EDGEFW_OK : edgefw_failure(run->ctx);
}

static edgefw_status measure_pass(edgefw__bench_run *run, edgefw__bench_group *group,
                                  const edgefw__instances *instances, bool training) {
  edgefw__workload work;
  edgefw_log(run->ctx, EDGEFW_LOG_INFO, "ops n=%" PRId64 ": %s, %" PRId64 " instances", group->n,
             training ? "backward" : "forward", group->batch);
  edgefw_status status = edgefw__workload_open(&run->engine, edgefw__bench_full(run),
                                               instances->batch, training, &work);
  work.by_node = true;
  if (status == EDGEFW_OK)
    status = training ? measure_training(run, group, &work) : measure_forward(run, group, &work);
  if (status == EDGEFW_OK) status = edgefw__bench_note_memory(run, group);
  edgefw__workload_close(&work);
  return status;
}

edgefw_status edgefw__bench_ops(edgefw__bench_run *run, int64_t n) {
  edgefw__instances instances = {.engine = &run->engine};
  edgefw__bench_group *group = NULL;
  edgefw_status status = begin(run, n, &instances, &group);
  if (status == EDGEFW_OK) status = measure_pass(run, group, &instances, false);
  if (status == EDGEFW_OK) status = edgefw__bench_check_interrupt(run);
  if (status == EDGEFW_OK) status = measure_pass(run, group, &instances, true);
  if (status == EDGEFW_OK) status = measure_shortest_paths(run, group);
  if (status == EDGEFW_OK) status = edgefw__bench_note_memory(run, group);
  edgefw__instances_close(&instances);
  return status;
}
