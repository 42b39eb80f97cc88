/* The state of rollouts: what they may visit, what they have left, and which of them are finished.
 */
#pragma once

#include "decode.h"
#include "paths.c"

/* Rollout `rollout` of the task cannot go on at entry `step` of its tour. */
static edgefw_status refuse(const decode_task *task, int64_t rollout, int64_t step,
                            edgefw_refusal why) {
  return edgefw_refuse_rollout(task->job->device->ctx, task->args, task->b, task->first + rollout,
                               why, task->tours + rollout * task->steps, step);
}

/* Close the customers that a slot's rollout has not enough left for. */
static void close_unaffordable(const decode_task *task, int64_t slot) {
  const edgefw_decode_args *args = task->args;
  int32_t *open = task->at.open + slot * task->stride;
  for (int r = 0; r < task->resources; ++r) {
    const double *demand = args->resources.demand[r] + task->b * task->n;
    const double most =
        task->at.left[slot * task->resources + r] + args->resources.slack[r][task->b];
    if (task->largest_demand[r] <= most) continue;
    for (int64_t j = 0; j < task->n; ++j) open[j] &= -(demand[j] <= most);
  }
}

static bool any_open(const int32_t *open, int64_t count) {
  int32_t any = 0;
  for (int64_t j = 0; j < count; ++j) any |= open[j];
  return any != 0;
}

/* What a slot's rollout may visit from `current`, forbidden arcs or not. */
static void open_unvisited(const decode_task *task, int64_t slot, int32_t current) {
  int32_t *open = task->at.open + slot * task->stride;
  memcpy(open, task->at.unvisited + slot * task->stride, (size_t)task->stride * sizeof *open);
  if (task->depot < 0) return;
  close_unaffordable(task, slot);
  open[task->depot] = -(current != task->depot);
}

/* Close the nodes behind forbidden arcs, unless nothing would stay open. */
static void close_forbidden(const decode_task *task, int64_t slot, int32_t current) {
  const int64_t n = task->n;
  const double limit = task->args->forbidden[task->b];
  const double *cost = task->args->cost + (task->b * n + current) * n;
  int32_t *open = task->at.open + slot * task->stride;
  int32_t any = 0;
  if (!(limit < (double)INFINITY)) return;
  for (int64_t j = 0; j < n; ++j) any |= open[j] & -(cost[j] < limit);
  for (int64_t j = 0; any && j < n; ++j) open[j] &= -(cost[j] < limit);
}

/* Open nodes of every rollout. A vehicle away from its depot can always return; one that
 * stands there and cannot serve anybody is stuck. */
static edgefw_status open_nodes(const decode_task *task) {
  if (!open_apart(task->args)) return EDGEFW_OK; /* whatever is not visited */
  for (int64_t k = 0; k < task->live; ++k) {
    const int32_t current = current_node(task, k);
    open_unvisited(task, k, current);
    if (current == task->depot && !any_open(task->at.open + k * task->stride, task->stride))
      return refuse(task, task->at.rollout[k], task->at.step[k], EDGEFW_REFUSAL_NO_NODE);
    if (task->args->forbidden) close_forbidden(task, k, current);
  }
  return EDGEFW_OK;
}

static uint8_t *block_left(const decode_task *task, int64_t slot) {
  return task->at.block_left + slot * task->stride / LANES;
}

/* Update a slot's state: its rollout has gone to `node`, the next entry of its tour. */
static void visit(const decode_task *task, int64_t slot, int32_t node) {
  double *left = task->at.left + slot * task->resources;
  for (int r = 0; r < task->resources; ++r)
    left[r] = node == task->depot
                  ? task->args->resources.capacity[r][task->b]
                  : left[r] - task->args->resources.demand[r][task->b * task->n + node];
  ++task->at.step[slot];
  if (node != task->depot) {
    task->at.unvisited[slot * task->stride + node] = 0;
    --block_left(task, slot)[node / LANES];
    --task->at.remaining[slot];
  }
  visit_paths(task, slot, node);
}

/* Write what the start rule gives. */
static void write_start(const decode_task *task, int64_t slot) {
  const int64_t entries = start_entries(task->args);
  const int32_t start = (int32_t)(task->args->selection.first_start + task->first + slot);
  int32_t *tour = slot_tour(task, slot);
  tour[0] = 0;
  tour[entries - 1] = task->depot < 0 ? start : start + 1;
}

/* Go to the given nodes of a slot's tour, as long as customers are left. */
static edgefw_status begin_tour(const decode_task *task, int64_t slot) {
  const bool forced = task->args->selection.select == EDGEFW_SELECT_FORCED;
  const bool known = forced || task->args->given;
  const int64_t given = given_entries(task, slot);
  int32_t *tour = slot_tour(task, slot), *open = task->at.open + slot * task->stride;
  if (!known) write_start(task, slot);
  if (!forced) memset(tour + given, 0, (size_t)(task->steps - given) * sizeof *tour);
  for (int64_t t = 0; t < given && task->at.remaining[slot] > 0; ++t) {
    const bool at_depot = task->depot >= 0 && t == 0;
    if (open_apart(task->args) && !at_depot) open_unvisited(task, slot, t > 0 ? tour[t - 1] : -1);
    const int32_t node = tour[t];
    if (node < 0 || node >= task->n || (at_depot ? node != task->depot : !open[node]))
      return refuse(task, slot, t, known ? EDGEFW_REFUSAL_NOT_OPEN : EDGEFW_REFUSAL_NO_NODE);
    visit(task, slot, node);
  }
  return EDGEFW_OK;
}

/* Every rollout with its given nodes. */
static edgefw_status start_rollouts(decode_task *task) {
  const int64_t stride = task->stride;
  edgefw_status status = EDGEFW_OK;
  task->live = task->rollouts;
  for (int64_t s = 0; status == EDGEFW_OK && s < task->rollouts; ++s) {
    int32_t *unvisited = task->at.unvisited + s * stride;
    for (int64_t j = 0; j < stride; ++j) unvisited[j] = -(j < task->n && j != task->depot);
    for (int64_t j = 0; j < stride; j += LANES)
      block_left(task, s)[j / LANES] = (uint8_t)(task->n - j < LANES ? task->n - j : LANES);
    task->at.rollout[s] = (int32_t)s;
    task->at.step[s] = 0;
    task->at.remaining[s] = (int32_t)(task->depot < 0 ? task->n : task->n - 1);
    task->at.log_probability[s] = 0.0;
    for (int r = 0; r < task->resources; ++r)
      task->at.left[s * task->resources + r] = task->args->resources.capacity[r][task->b];
    begin_paths_of(task, s);
    status = begin_tour(task, s);
  }
  return status;
}

/* What is open to a slot's rollout, for its row: every head reads it, in training twice. */
static void enter_open(const decode_task *task, int64_t slot) {
  const int32_t *open = task->at.open + slot * task->stride;
  lane_bits *bits = task->at.open_bits + (task->row + slot) * (task->stride / LANES);
  for (int64_t j = 0; j < task->stride; j += LANES)
    bits[j / LANES] = lanes_bits(lanes_load_mask(open + j));
}

/* Enter the decisions of a step. */
static void enter_rows(const decode_task *task) {
  for (int64_t k = 0; k < task->live; ++k) {
    enter_open(task, k);
    task->at.row[task->row + k] = (decode_row){.rollout = task->at.rollout[k],
                                               .step = task->at.step[k],
                                               .visited = (int32_t)task->n - task->at.remaining[k]};
    for (int r = 0; r < task->resources; ++r)
      task->at.left_share[(task->row + k) * task->resources + r] =
          (float)(task->at.left[k * task->resources + r] /
                  task->args->resources.capacity[r][task->b]);
  }
}

static void move_slot(const decode_task *task, int64_t from, int64_t to) {
  const size_t row = (size_t)task->stride * sizeof(int32_t);
  const int resources = task->resources;
  task->at.rollout[to] = task->at.rollout[from];
  task->at.remaining[to] = task->at.remaining[from];
  task->at.step[to] = task->at.step[from];
  memcpy(task->at.unvisited + to * task->stride, task->at.unvisited + from * task->stride, row);
  memcpy(block_left(task, to), block_left(task, from), (size_t)(task->stride / LANES));
  for (int r = 0; r < resources; ++r)
    task->at.left[to * resources + r] = task->at.left[from * resources + r];
  move_paths(task, from, to);
}

/* Give up the slots of rollouts that have visited everything; the rest of their tours is the depot.
 */
static edgefw_status retire_finished(decode_task *task) {
  int64_t kept = 0;
  for (int64_t k = 0; k < task->live; ++k) {
    if (task->at.remaining[k] > 0) {
      if (kept < k) move_slot(task, k, kept);
      ++kept;
      continue;
    }
    const int32_t *tour = slot_tour(task, k);
    for (int64_t later = task->at.step[k]; later < task->steps; ++later)
      if (tour[later] != task->depot)
        return refuse(task, task->at.rollout[k], later, EDGEFW_REFUSAL_NOT_OPEN);
    task->at.entries[task->at.rollout[k]] = (int32_t)task->steps;
  }
  task->live = kept;
  return EDGEFW_OK;
}

/* Closed tours under the raw cost; staying at the depot costs nothing. Rollouts that stopped early
 * have not come back. */
static void measure_tours(const decode_task *task) {
  const int64_t n = task->n;
  const double *cost = task->args->cost + task->b * n * n;
  for (int64_t s = 0; s < task->rollouts; ++s) {
    const int32_t *tour = task->tours + s * task->steps;
    const int64_t entries = task->at.entries[s];
    double length = 0.0;
    for (int64_t t = 1; t < entries; ++t)
      if (tour[t] != tour[t - 1]) length += cost[tour[t - 1] * n + tour[t]];
    const int32_t last = tour[entries - 1], closing = closing_node(task, tour);
    const bool returns = entries == task->steps && last != closing;
    task->lengths[s] = returns ? length + cost[last * n + closing] : length;
  }
}
