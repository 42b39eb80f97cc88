/* Training on several processes: a step, and how much of it is talk. */
#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "bench/bench_internal.h"
#include "train/ema.h"
#include "train/stepper.h"

/* The parts of a step on rank 0. EXCHANGE has the wait for slower ranks in it. */
enum { WORK, EXCHANGE, STEP, ROWS };

static const char *const names[ROWS] = {[WORK] = "work", [EXCHANGE] = "exchange", [STEP] = "step"};

typedef struct ranked {
  edgefw__bench_setup setup; /* of this size and batch */
  edgefw__model *model;
  edgefw__stepper stepper;
  uint64_t sent; /* bytes of the last step */
} ranked;

static edgefw__group *group_of(const edgefw__bench_run *run) {
  return run->settings->group;
}

/* Keys that follow from the size, the batch and the ranks; a slice that is asked for stays. */
enum { SIZE, BATCH, EPOCH, SLICE, KEYS };
static const char *const keys[KEYS] = {"train.size", "train.batch", "train.instances_per_epoch",
                                       "train.slice"};

static bool is_replaced(const char *assignment) {
  for (int k = 0; k < KEYS; ++k) {
    const size_t length = strlen(keys[k]);
    if (strncmp(assignment, keys[k], length) == 0 && strchr("= ", assignment[length])) return true;
  }
  return false;
}

/* The bench's composition with these keys; without [train] slice one that has work for all ranks.
 */
static edgefw_status compose(const edgefw__bench_run *run, int64_t n, int64_t batch,
                             edgefw__bench_setup *out) {
  const edgefw__composition *full = edgefw__bench_full(run);
  const int64_t ranks = group_of(run)->ranks, asked = edgefw_options_int(full->train, "slice");
  const int64_t values[KEYS] = {[SIZE] =
                                    n - edgefw__problem_nodes(&full->problem->vtable.problem, 0),
                                [BATCH] = batch,
                                [EPOCH] = batch,
                                [SLICE] = asked > 0 ? asked : (batch + ranks - 1) / ranks};
  edgefw_arena *arena = run->report->arena;
  edgefw__bench_settings settings = *run->settings;
  const char **sets = edgefw_arena_take(arena, (size_t)settings.set_count + KEYS, sizeof *sets);
  if (!sets) return edgefw_failure(run->ctx);
  int count = 0;
  for (int s = 0; s < settings.set_count; ++s)
    if (!is_replaced(settings.sets[s])) sets[count++] = settings.sets[s];
  for (int k = 0; k < KEYS; ++k) {
    sets[count] = edgefw_arena_format(arena, "%s=%" PRId64, keys[k], values[k]);
    if (!sets[count++]) return edgefw_failure(run->ctx);
  }
  settings.sets = sets;
  settings.set_count = count;
  return edgefw__bench_setup_open(run->ctx, run->registry, &settings, arena, out);
}

static edgefw_status prepare(edgefw__bench_run *run, int64_t n, int64_t batch, ranked *r) {
  edgefw_status status = compose(run, n, batch, &r->setup);
  if (status == EDGEFW_OK)
    status = edgefw__model_create(&run->engine, &r->setup.config->variants[r->setup.full], 0, true,
                                  &r->model);
  if (status == EDGEFW_OK) status = edgefw__ema_begin(r->model);
  if (status != EDGEFW_OK) return status;
  edgefw__stepper_begin(r->model, &r->stepper);
  status = edgefw__stepper_open(&r->stepper);
  return status == EDGEFW_OK ? edgefw__stepper_allocate(&r->stepper) : status;
}

static edgefw_status step_once(const edgefw__bench_run *run, ranked *r, int64_t step,
                               double seconds[ROWS]) {
  const edgefw__group *group = group_of(run);
  const int64_t count = r->stepper.batch;
  const edgefw__step_order order = {
      .step = step, .epoch = 1, .first = (uint64_t)(step * count), .count = count};
  const double begin = edgefw__seconds(), waited = group->waited;
  const uint64_t sent = group->sent;
  const edgefw_status status = edgefw__stepper_run(&r->stepper, &order);
  seconds[STEP] = edgefw__seconds() - begin;
  seconds[EXCHANGE] = group->waited - waited;
  seconds[WORK] = seconds[STEP] - seconds[EXCHANGE];
  r->sent = group->sent - sent;
  return status;
}

/* Rank 0 says how often; the others have rows of their own, which nobody sees. */
static edgefw_status measure(edgefw__bench_run *run, ranked *r, edgefw__bench_group *group) {
  double seconds[ROWS] = {0};
  edgefw_status status = EDGEFW_OK;
  for (int i = 0; i < ROWS; ++i) (void)edgefw__bench_add_row(group, names[i], "");
  edgefw__bench_rounds rounds = edgefw__bench_begin_rounds(run, ROWS);
  for (int64_t step = 0; status == EDGEFW_OK; ++step) {
    int64_t go = 0;
    if (edgefw__group_leads(group_of(run))) go = edgefw__bench_next_round(run, &rounds, group, 0);
    status = edgefw__group_broadcast(group_of(run), &go, sizeof go);
    if (status != EDGEFW_OK || !go) break;
    status = step_once(run, r, step, seconds);
    for (int i = 0; i < ROWS && status == EDGEFW_OK; ++i)
      edgefw__timing_add(&group->rows[i].timing, seconds[i]);
  }
  for (int i = 0; i < ROWS; ++i)
    group->rows[i].ratio = edgefw__timing_ratio(&group->rows[i].timing, &group->rows[STEP].timing);
  group->rows[EXCHANGE].bytes = (double)r->sent;
  group->sent = (double)r->sent;
  return status == EDGEFW_OK ? edgefw__bench_note_memory(run, group) : status;
}

edgefw_status edgefw__bench_ranks(edgefw__bench_run *run, int64_t n) {
  ranked r = {.sent = 0};
  const int64_t asked = run->settings->batch;
  const int64_t batch =
      asked > 0 ? asked : edgefw_options_int(edgefw__bench_full(run)->train, "batch");
  edgefw__bench_group *group = edgefw__bench_add_group(run, EDGEFW__BENCH_TRAIN, n, batch, ROWS);
  edgefw_log(run->ctx, EDGEFW_LOG_INFO,
             "train n=%" PRId64 ": steps of %" PRId64 " instances on %d ranks", n, batch,
             group_of(run)->ranks);
  edgefw_status status = group ? prepare(run, n, batch, &r) : edgefw_failure(run->ctx);
  status = edgefw__group_agree(group_of(run), status);
  if (status == EDGEFW_OK) status = edgefw__share_spread(&r.stepper.share);
  if (status == EDGEFW_OK) group->rollouts = r.stepper.policy->rollouts;
  if (status == EDGEFW_OK) status = measure(run, &r, group);
  edgefw__stepper_end(&r.stepper);
  edgefw__model_destroy(r.model);
  edgefw__bench_setup_close(&r.setup);
  return status;
}
