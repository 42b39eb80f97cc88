/* Training: a whole step and its phases. */
#include <inttypes.h>

#include "bench/bench_internal.h"
#include "bench/flops.h"

/* The phases in their order. SVD is a part of ENCODE, STEP the sum of the others. */
enum { GENERATE, ENCODE, SVD, CLEAR, DECODE, BACKWARD, UPDATE, STEP, ROWS };

static const char *const names[ROWS] = {
    [GENERATE] = "generate", [ENCODE] = "encode",     [SVD] = "svd",       [CLEAR] = "clear",
    [DECODE] = "decode",     [BACKWARD] = "backward", [UPDATE] = "update", [STEP] = "step"};

typedef struct training {
  edgefw__instances instances;
  edgefw__workload workload;
} training;

static double svd_seconds(const edgefw__workload *workload) {
  const edgefw_graph *graph = workload->policy->graph.graph;
  double sum = 0.0;
  for (int i = 0; i < graph->node_count; ++i)
    if (graph->nodes[i].spec.op->timed_apart) sum += workload->forward[i];
  return sum;
}

static edgefw_status round_once(training *t, double seconds[ROWS]) {
  edgefw_status status = edgefw__instances_generate(&t->instances, &seconds[GENERATE]);
  if (status == EDGEFW_OK) status = edgefw__workload_encode(&t->workload, &seconds[ENCODE]);
  if (status == EDGEFW_OK) status = edgefw__workload_clear(&t->workload, &seconds[CLEAR]);
  if (status == EDGEFW_OK) status = edgefw__workload_decode(&t->workload, &seconds[DECODE]);
  if (status == EDGEFW_OK) status = edgefw__workload_backward(&t->workload, &seconds[BACKWARD]);
  if (status == EDGEFW_OK) status = edgefw__workload_update(&t->workload, &seconds[UPDATE]);
  seconds[STEP] = seconds[GENERATE] + seconds[ENCODE] + seconds[CLEAR] + seconds[DECODE] +
                  seconds[BACKWARD] + seconds[UPDATE];
  seconds[SVD] = svd_seconds(&t->workload);
  return status;
}

static void count_work(const training *t, edgefw__bench_group *group) {
  const edgefw__policy *policy = t->workload.policy;
  const edgefw_graph *graph = policy->graph.graph;
  edgefw__bench_row *rows = group->rows;
  rows[ENCODE].flops = edgefw__flops_graph(graph, group->batch, false);
  rows[BACKWARD].flops = edgefw__flops_graph(graph, group->batch, true);
  rows[DECODE].flops = 3.0 * (double)group->batch *
                       edgefw__flops_decode(group->n, policy->rollouts, policy->graph.plan.width);
  rows[UPDATE].bytes =
      edgefw__work_adam(t->workload.model->parameters->total, edgefw__real_size(graph->kernels))
          .bytes;
  rows[STEP].flops = rows[ENCODE].flops + rows[DECODE].flops + rows[BACKWARD].flops;
  group->rollouts = policy->rollouts;
}

static edgefw_status measure(edgefw__bench_run *run, training *t, edgefw__bench_group *group) {
  double seconds[ROWS] = {0};
  edgefw_status status = EDGEFW_OK;
  for (int r = 0; r < ROWS; ++r) (void)edgefw__bench_add_row(group, names[r], "");
  count_work(t, group);
  edgefw__bench_rounds rounds = edgefw__bench_begin_rounds(run, ROWS);
  while (status == EDGEFW_OK && edgefw__bench_next_round(run, &rounds, group, 0)) {
    status = round_once(t, seconds);
    for (int r = 0; r < ROWS && status == EDGEFW_OK; ++r)
      edgefw__timing_add(&group->rows[r].timing, seconds[r]);
  }
  for (int r = 0; r < ROWS; ++r)
    group->rows[r].ratio = edgefw__timing_ratio(&group->rows[r].timing, &group->rows[STEP].timing);
  return status == EDGEFW_OK ? edgefw__bench_note_memory(run, group) : status;
}

edgefw_status edgefw__bench_train(edgefw__bench_run *run, int64_t n) {
  training t = {.instances = {.engine = &run->engine}};
  const edgefw__composition *full = edgefw__bench_full(run);
  int64_t batch = 0;
  edgefw_status status = edgefw__bench_batch(run, n, true, &batch);
  if (status != EDGEFW_OK) return status;
  edgefw__bench_group *group = edgefw__bench_add_group(run, EDGEFW__BENCH_TRAIN, n, batch, ROWS);
  if (!group) return edgefw_failure(run->ctx);
  edgefw_log(run->ctx, EDGEFW_LOG_INFO, "train n=%" PRId64 ": steps of %" PRId64 " instances", n,
             batch);
  status = edgefw__instances_open(&run->engine, full, batch, n, &t.instances);
  if (status == EDGEFW_OK)
    status = edgefw__workload_open(&run->engine, full, t.instances.batch, true, &t.workload);
  if (status == EDGEFW_OK) status = measure(run, &t, group);
  edgefw__workload_close(&t.workload);
  edgefw__instances_close(&t.instances);
  return status;
}
