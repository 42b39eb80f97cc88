/* Near sets (edgefw/term.h): the open customers nearest to where a rollout stands. Arcs are sorted
 * once per task; a set is what a walk along the current node's arcs meets first. */
#pragma once

#include "decode.h"
#include "path_remaining_min.c"

/* Logits by what they call near. */
static void plan_near(const edgefw_decode_args *args, near_plan *near) {
  const edgefw_decode_plan *plan = args->plan;
  const int64_t depot = plan->start == EDGEFW_START_EACH_CUSTOMER;
  memset(near, 0, sizeof *near);
  for (int l = 0; l < plan->logit_count; ++l) {
    const int64_t asked = plan->logits[l].near;
    near_set set = {.table = plan->logits[l].table,
                    .most = asked < args->nodes ? asked : args->nodes};
    set.width = lanes_padded(set.most + depot);
    int s = 0;
    while (s < near->count && (near->sets[s].table != set.table || near->sets[s].most != set.most))
      ++s;
    near->sets[s] = set;
    near->set_of[l] = s;
    if (s == near->count) ++near->count;
  }
}

static void begin_near(const decode_task *task) {
  const int64_t n = task->n;
  for (int s = 0; s < task->job->near.count; ++s) {
    const float *table = task->tables.table[task->job->near.sets[s].table];
    for (int64_t i = 0; i < n; ++i) {
      int32_t *nodes = task->at.near_order[s] + i * n;
      int64_t count;
      const uint64_t *arcs = sort_arcs(task, table + i * task->stride, i, &count);
      for (int64_t r = 0; r < count; ++r) nodes[r] = (int32_t)sort_index(arcs[r]);
      nodes[count] = -1;
    }
  }
}

/* One rollout's members on node `current`, -1 after them; returns how many. */
static int32_t find_near(const near_set *set, const int32_t *arcs, const int32_t *open,
                         int32_t depot, int32_t *nodes) {
  int64_t count = 0;
  if (depot >= 0) nodes[count++] = depot;
  for (const int64_t end = count + set->most; count < end && *arcs >= 0; ++arcs)
    if (open[*arcs]) nodes[count++] = *arcs;
  for (int64_t r = count; r < set->width; ++r) nodes[r] = -1;
  return (int32_t)count;
}

static const int32_t *near_nodes(const decode_task *task, int set, int64_t row) {
  return task->at.near_nodes[set] + row * task->job->near.sets[set].width;
}

/* The step's near sets of all rollouts. */
static void update_near(const decode_task *task) {
  for (int s = 0; s < task->job->near.count; ++s) {
    const near_set *set = &task->job->near.sets[s];
    for (int64_t k = 0; k < task->live; ++k) {
      const int64_t row = task->row + k;
      const int32_t *arcs = task->at.near_order[s] + current_node(task, k) * task->n;
      task->at.near_count[s * task->rows + row] =
          find_near(set, arcs, task->at.open + k * task->stride, task->depot,
                    task->at.near_nodes[s] + row * set->width);
    }
  }
}

/* The first member that is a customer. */
static int64_t first_customer(const decode_task *task) {
  return task->depot >= 0;
}

/* 1 / (the largest distance to a customer of the set + epsilon); 0 instead of 1 / 0. */
static float near_inverse(const decode_task *task, int logit, const float *distances,
                          const int32_t *nodes, int64_t count) {
  const float largest = count > first_customer(task) ? distances[nodes[count - 1]] : 0.0f;
  const float scale = largest + (float)task->args->plan->logits[logit].epsilon;
  return scale > 0.0f ? 1.0f / scale : 0.0f;
}

/* Far ones get `far` with the rest of `bias_row`: add to the near ones what they have instead. */
static void add_near_penalty(const decode_task *task, int logit, float *scores) {
  const int set = task->job->near.set_of[logit];
  const float far = (float)task->args->plan->logits[logit].far;
  for (int64_t k = 0; k < task->live; ++k) {
    const int64_t row = task->row + k, count = task->at.near_count[set * task->rows + row];
    const int32_t *nodes = near_nodes(task, set, row);
    const float *distances =
        task->tables.table[task->job->near.sets[set].table] + current_node(task, k) * task->stride;
    const float inverse = near_inverse(task, logit, distances, nodes, count);
    float *row_scores = scores + k * task->stride;
    if (task->depot >= 0) row_scores[task->depot] -= far;
    for (int64_t r = first_customer(task); r < count; ++r)
      row_scores[nodes[r]] -= distances[nodes[r]] * inverse + far;
  }
}
