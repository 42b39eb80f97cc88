/* Evaluation end to end: generating, encoding, and decoding with several sets of terms. */
#include <inttypes.h>

#include "bench/bench_internal.h"
#include "bench/flops.h"

typedef struct evaluation {
  edgefw__bench_run *run;
  edgefw__bench_group *group;
  edgefw__instances instances;
  edgefw__workload *workloads; /* one per variant */
} evaluation;

/* --- The whole, with all terms --- */

static edgefw_status whole_round(evaluation *e, edgefw__bench_row *const rows[3]) {
  edgefw__workload *full = &e->workloads[e->run->setup.full];
  double generate = 0.0, encode = 0.0, decode = 0.0;
  edgefw_status status = edgefw__instances_generate(&e->instances, &generate);
  if (status == EDGEFW_OK) status = edgefw__workload_encode(full, &encode);
  if (status == EDGEFW_OK) status = edgefw__workload_decode(full, &decode);
  edgefw__timing_add(&rows[0]->timing, generate);
  edgefw__timing_add(&rows[1]->timing, encode);
  edgefw__timing_add(&rows[2]->timing, encode + decode);
  return status;
}

static edgefw_status measure_whole(evaluation *e) {
  edgefw__bench_run *run = e->run;
  edgefw__bench_group *group = e->group;
  const int full = run->setup.full, first = group->row_count;
  edgefw_status status = edgefw__workload_open(&run->engine, edgefw__bench_full(run),
                                               e->instances.batch, false, &e->workloads[full]);
  if (status != EDGEFW_OK) return status;
  const edgefw__policy *policy = e->workloads[full].policy;
  group->rollouts = policy->rollouts;
  edgefw__bench_row *const rows[3] = {edgefw__bench_add_row(group, "generate", ""),
                                      edgefw__bench_add_row(group, "encode", ""),
                                      edgefw__bench_add_row(group, "evaluate", "")};
  rows[2]->terms = run->setup.variants[full].terms;
  rows[1]->flops = edgefw__flops_graph(policy->graph.graph, group->batch, false);
  rows[2]->flops =
      rows[1]->flops + (double)group->batch * edgefw__flops_decode(group->n, policy->rollouts,
                                                                   policy->graph.plan.width);
  edgefw_log(run->ctx, EDGEFW_LOG_INFO,
             "eval n=%" PRId64 ": %" PRId64 " instances: generate, encode, evaluate", group->n,
             group->batch);
  edgefw__bench_rounds rounds = edgefw__bench_begin_rounds(run, 3);
  while (status == EDGEFW_OK && edgefw__bench_next_round(run, &rounds, group, first))
    status = whole_round(e, rows);
  return status == EDGEFW_OK ? edgefw__bench_note_memory(run, group) : status;
}

/* --- Decoding, the variants in turns --- */

static edgefw_status open_variant(evaluation *e, int v) {
  edgefw__workload *workload = &e->workloads[v];
  double seconds = 0.0;
  edgefw_status status = EDGEFW_OK;
  if (v != e->run->setup.full)
    status = edgefw__workload_open(&e->run->engine, &e->run->setup.config->variants[v],
                                   e->instances.batch, false, workload);
  if (status == EDGEFW_OK) status = edgefw__workload_encode(workload, &seconds);
  if (status != EDGEFW_OK) return status;
  edgefw__bench_row *row = edgefw__bench_add_row(e->group, "decode", "");
  row->terms = e->run->setup.variants[v].terms;
  row->changed = e->run->setup.variants[v].changed;
  row->flops =
      (double)e->group->batch * edgefw__flops_decode(e->group->n, workload->policy->rollouts,
                                                     workload->policy->graph.plan.width);
  return EDGEFW_OK;
}

static edgefw_status decode_round(evaluation *e, edgefw__bench_row *rows) {
  edgefw_status status = EDGEFW_OK;
  for (int v = 0; status == EDGEFW_OK && v < e->run->setup.count; ++v) {
    double seconds = 0.0;
    status = edgefw__workload_decode(&e->workloads[v], &seconds);
    edgefw__timing_add(&rows[v].timing, seconds);
    if (edgefw_interrupted(e->run->ctx)) break;
  }
  return status;
}

static edgefw_status measure_decode(evaluation *e) {
  edgefw__bench_run *run = e->run;
  const int first = e->group->row_count, count = run->setup.count;
  edgefw_status status = EDGEFW_OK;
  edgefw_log(run->ctx, EDGEFW_LOG_INFO, "eval n=%" PRId64 ": decode, %d sets of terms in turns",
             e->group->n, count);
  for (int v = 0; v < count && status == EDGEFW_OK; ++v) status = open_variant(e, v);
  edgefw__bench_row *rows = e->group->rows + first;
  edgefw__bench_rounds rounds = edgefw__bench_begin_rounds(run, count);
  while (status == EDGEFW_OK && edgefw__bench_next_round(run, &rounds, e->group, first))
    status = decode_round(e, rows);
  for (int v = 0; v < count && status == EDGEFW_OK; ++v)
    rows[v].ratio = edgefw__timing_ratio(&rows[v].timing, &rows[0].timing);
  return status;
}

edgefw_status edgefw__bench_eval(edgefw__bench_run *run, int64_t n) {
  evaluation e = {.run = run, .instances = {.engine = &run->engine}};
  int64_t batch = 0;
  const size_t count = (size_t)run->setup.count;
  edgefw_status status = edgefw__bench_batch(run, n, false, &batch);
  if (status != EDGEFW_OK) return status;
  e.group = edgefw__bench_add_group(run, EDGEFW__BENCH_EVAL, n, batch, 3 + run->setup.count);
  e.workloads = edgefw_allocate(run->ctx, count, sizeof *e.workloads, "workloads");
  if (!e.group || !e.workloads) status = edgefw_failure(run->ctx);
  if (status == EDGEFW_OK)
    status = edgefw__instances_open(&run->engine, edgefw__bench_full(run), batch, n, &e.instances);
  if (status == EDGEFW_OK) status = measure_whole(&e);
  if (status == EDGEFW_OK) status = edgefw__bench_check_interrupt(run);
  if (status == EDGEFW_OK) status = measure_decode(&e);
  for (size_t v = 0; e.workloads && v < count; ++v) edgefw__workload_close(&e.workloads[v]);
  edgefw_release(run->ctx, e.workloads);
  edgefw__instances_close(&e.instances);
  return status;
}
