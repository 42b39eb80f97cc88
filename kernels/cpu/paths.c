/* All numbers that follow the path, slot by slot. */
#pragma once

#include "decode.h"
#include "path_cycle_cover.c"
#include "path_remaining_min.c"

#define PATH_ENTRIES(NAME, name) [EDGEFW_PATH_##NAME] = &path_##name##_entries,
static const path_entries *const all_path_entries[] = {EDGEFW_PATHS(PATH_ENTRIES)};
#undef PATH_ENTRIES

static const path_entries *entries_of(const feature_plan *plan, int slot) {
  return all_path_entries[plan->sources[plan->paths[slot]].path];
}

/* Has a slot a state of its own? */
static bool owns_path(const feature_plan *plan, int slot) {
  return plan->owner[slot] == slot;
}

static void take_paths(cpu_layout *layout, const edgefw_decode_args *args, const feature_plan *plan,
                       int64_t rollouts, int64_t rows, decode_scratch_arrays *at) {
  const int64_t slots = plan->path_count;
  for (int slot = 0; slot < slots; ++slot)
    if (owns_path(plan, slot))
      entries_of(plan, slot)->take(layout, args->nodes, rollouts, &at->paths[slot]);
  at->path_rows = cpu_take(layout, rows * slots, sizeof *at->path_rows);
  at->path_copies =
      cpu_take_floats(layout, args->train ? slots * rows * lanes_padded(args->nodes) : 0);
}

static void begin_paths(const decode_task *task) {
  const feature_plan *plan = &task->job->mlp.plan;
  for (int slot = 0; slot < plan->path_count; ++slot)
    if (owns_path(plan, slot)) entries_of(plan, slot)->begin_instance(task, slot);
}

static void begin_paths_of(const decode_task *task, int64_t k) {
  const feature_plan *plan = &task->job->mlp.plan;
  for (int slot = 0; slot < plan->path_count; ++slot)
    if (owns_path(plan, slot)) entries_of(plan, slot)->begin_rollout(task, slot, k);
}

static void visit_paths(const decode_task *task, int64_t k, int32_t node) {
  const feature_plan *plan = &task->job->mlp.plan;
  for (int slot = 0; slot < plan->path_count; ++slot)
    if (owns_path(plan, slot)) entries_of(plan, slot)->visit(task, slot, k, node);
}

static void move_paths(const decode_task *task, int64_t from, int64_t to) {
  const feature_plan *plan = &task->job->mlp.plan;
  for (int slot = 0; slot < plan->path_count; ++slot)
    if (owns_path(plan, slot)) entries_of(plan, slot)->move(task, slot, from, to);
}

/* The step's rows of all rollouts. In training they are copied, for the backward reads them when
 * the rollouts have gone on. */
static void enter_paths(const decode_task *task) {
  const feature_plan *plan = &task->job->mlp.plan;
  const int64_t slots = plan->path_count, stride = task->stride;
  for (int slot = 0; slot < slots; ++slot)
    for (int64_t k = 0; k < task->live; ++k) {
      const int64_t at = task->row + k;
      const float *row = entries_of(plan, slot)->row(task, slot, k);
      if (task->args->train) {
        float *copy = task->at.path_copies + (slot * task->rows + at) * stride;
        memcpy(copy, row, (size_t)stride * sizeof *copy);
        row = copy;
      }
      task->at.path_rows[at * slots + slot] = row;
    }
}
