/* Solutions of a call. */
#include "solver/solutions.h"

#include <math.h>
#include <string.h>

/* Room for what a small call comes to, so that it takes memory once. */
#define FIRST_BYTES 4096

static bool take_arrays(edgefw_solutions *s, edgefw_arena *arena) {
  const size_t count = (size_t)s->count;
  s->costs = edgefw_arena_take(arena, count, sizeof *s->costs);
  s->bounds = edgefw_arena_take(arena, count, sizeof *s->bounds);
  s->seconds = edgefw_arena_take(arena, count, sizeof *s->seconds);
  s->nodes = edgefw_arena_take(arena, count * (size_t)s->stride, sizeof *s->nodes);
  s->lengths = edgefw_arena_take(arena, count, sizeof *s->lengths);
  s->makers = edgefw_arena_take(arena, count, sizeof *s->makers);
  return s->costs && s->bounds && s->seconds && s->nodes && s->lengths && s->makers;
}

edgefw_status edgefw__solutions_create(edgefw_context *ctx, int64_t count, int64_t stride,
                                       edgefw_solutions **out) {
  edgefw_arena *arena = NULL;
  *out = NULL;
  const edgefw_status status = edgefw_arena_create(ctx, &arena, "solutions", FIRST_BYTES, true);
  if (status != EDGEFW_OK) return status;
  edgefw_solutions *s = edgefw_arena_take(arena, 1, sizeof *s);
  if (s) *s = (edgefw_solutions){.arena = arena, .count = count, .stride = stride};
  if (!s || !take_arrays(s, arena)) {
    edgefw_arena_destroy(arena);
    return edgefw_failure(ctx);
  }
  for (int64_t b = 0; b < count; ++b) s->costs[b] = s->bounds[b] = (double)NAN;
  memset(s->nodes, 0xff, (size_t)(count * stride) * sizeof *s->nodes);
  *out = s;
  return EDGEFW_OK;
}

const char *edgefw__solutions_maker(edgefw_solutions *s, const char *name) {
  for (int i = 0; i < s->name_count; ++i)
    if (strcmp(s->names[i], name) == 0) return s->names[i];
  const char *copy = edgefw_arena_text(s->arena, name);
  if (copy && s->name_count < EDGEFW__MAKERS) s->names[s->name_count++] = copy;
  return copy;
}

int64_t edgefw_solutions_count(const edgefw_solutions *solutions) {
  return solutions->count;
}

edgefw_status edgefw_solutions_get(const edgefw_solutions *s, int64_t index, edgefw_solution *out) {
  if (index < 0 || index >= s->count) return EDGEFW_INVALID_ARGUMENT;
  const edgefw_solution solution = {.size = sizeof solution,
                                    .nodes = s->nodes + index * s->stride,
                                    .count = s->lengths[index],
                                    .cost = s->costs[index],
                                    .bound = s->bounds[index],
                                    .seconds = s->seconds[index],
                                    .maker = s->makers[index]};
  const size_t size = out->size < sizeof solution ? out->size : sizeof solution;
  if (size < sizeof size) return EDGEFW_INVALID_ARGUMENT;
  memcpy(out, &solution, size);
  out->size = size;
  return EDGEFW_OK;
}

const double *edgefw_solutions_costs(const edgefw_solutions *solutions) {
  return solutions->costs;
}

const int32_t *edgefw_solutions_nodes(const edgefw_solutions *solutions, int64_t *stride) {
  *stride = solutions->stride;
  return solutions->nodes;
}

bool edgefw_solutions_stopped(const edgefw_solutions *solutions) {
  return solutions->stopped;
}

double edgefw_solutions_seconds(const edgefw_solutions *solutions) {
  return solutions->total;
}

void edgefw_solutions_destroy(edgefw_solutions *solutions) {
  if (solutions) edgefw_arena_destroy(solutions->arena);
}
