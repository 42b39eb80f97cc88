/* What the sections of a bench share. */
#ifndef EDGEFW__BENCH_INTERNAL_H
#define EDGEFW__BENCH_INTERNAL_H

#include "bench/bench_setup.h"
#include "bench/workload.h"

/* Training is measured up to this many nodes: beyond, a step takes minutes and much memory. */
#define EDGEFW__BENCH_TRAIN_NODES 200

typedef struct edgefw__bench_run {
  edgefw_context *ctx;
  const edgefw__registry *registry;
  const edgefw__bench_settings *settings;
  edgefw__engine engine;
  edgefw__bench_setup setup;
  edgefw__bench_report *report;
} edgefw__bench_run;

/* The composition with all terms as configured. */
const edgefw__composition *edgefw__bench_full(const edgefw__bench_run *run);

/* Instances at once for evaluation (or operations) on n nodes: --batch, else enough to keep
 * `threads` busy for about a second; no more than fit into memory. OUT_OF_MEMORY if none do. */
EDGEFW_NODISCARD edgefw_status edgefw__bench_batch(const edgefw__bench_run *run, int64_t n,
                                                   bool training, int64_t *batch);

/* Begin a group with room for `rows` rows; NULL if there is no memory. Groups and rows stay where
 * they are. */
edgefw__bench_group *edgefw__bench_add_group(edgefw__bench_run *run, uint32_t section, int64_t n,
                                             int64_t batch, int rows);

/* Add a row called `name`, of all instances of the group, one call per step. The group has room. */
edgefw__bench_row *edgefw__bench_add_row(edgefw__bench_group *group, const char *name,
                                         const char *pass);

/* Note the most memory that the group's measurements took so far; of a device's own what is taken
 * now, if that is more. */
EDGEFW_NODISCARD edgefw_status edgefw__bench_note_memory(const edgefw__bench_run *run,
                                                         edgefw__bench_group *group);

/* Rounds of measurements of `rows` things each: how many and how long, by --repeat or within about
 * two seconds for each thing. */
typedef struct edgefw__bench_rounds {
  edgefw__timing_rule rule;
  int count;
  double started;
} edgefw__bench_rounds;
edgefw__bench_rounds edgefw__bench_begin_rounds(const edgefw__bench_run *run, int rows);

/* Call before each round; returns whether there is time for it, and counts it. The first round is a
 * warm-up: when a second one begins, the samples of the first are dropped from the group's rows
 * first .. row_count - 1. After an interruption there is no further round. */
bool edgefw__bench_next_round(const edgefw__bench_run *run, edgefw__bench_rounds *rounds,
                              edgefw__bench_group *group, int first);

/* INTERRUPTED with a message if the context was interrupted, else OK. */
EDGEFW_NODISCARD edgefw_status edgefw__bench_check_interrupt(const edgefw__bench_run *run);

/* The sections; each adds one group. */
EDGEFW_NODISCARD edgefw_status edgefw__bench_ops(edgefw__bench_run *run, int64_t n);
EDGEFW_NODISCARD edgefw_status edgefw__bench_eval(edgefw__bench_run *run, int64_t n);
EDGEFW_NODISCARD edgefw_status edgefw__bench_train(edgefw__bench_run *run, int64_t n);

/* The same of a training that the ranks of settings->group share, who all call this: a step, what
 * of it is work and what exchange, and the bytes that rank 0 sends. */
EDGEFW_NODISCARD edgefw_status edgefw__bench_ranks(edgefw__bench_run *run, int64_t n);

#endif
