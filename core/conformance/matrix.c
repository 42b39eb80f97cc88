/* Combinations of plugins. */
#include "conformance/matrix.h"

#include <stdio.h>

#include "plugin/options.h"

#define WHY_SIZE 400

typedef struct matrix {
  edgefw_context *ctx;
  edgefw_arena *arena;
  const edgefw__registry *registry;
  edgefw__matrix_cell *cells;
  size_t count;
} matrix;

static size_t count_kind(const edgefw__registry *registry, edgefw_kind kind) {
  size_t count = 0;
  for (size_t p = 0; p < edgefw__registry_count(registry); ++p)
    count += edgefw__registry_at(registry, p)->kind == kind;
  return count;
}

/* *why: NULL if the backbone, term or heuristic takes the problem, else what it says. */
static edgefw_status ask(const matrix *m, const edgefw__plugin *plugin,
                         const edgefw_problem *problem, const char **why) {
  edgefw_options *options = NULL;
  char text[WHY_SIZE];
  *why = NULL;
  const edgefw_status status =
      edgefw__options_defaults(m->ctx, m->arena, plugin->options, &options);
  if (status != EDGEFW_OK)
    return edgefw_note(m->ctx, status, "defaults of %s", plugin->descriptor->name);
  if (edgefw__plugin_fits(plugin, options, problem, text, sizeof text)) return EDGEFW_OK;
  *why = edgefw_arena_format(m->arena, "%s: %s", plugin->descriptor->name, text);
  return *why ? EDGEFW_OK : edgefw_failure(m->ctx);
}

/* A backbone on a problem, without and with each term. */
static edgefw_status add_pair(matrix *m, const edgefw__plugin *problem,
                              const edgefw__plugin *backbone) {
  const char *refused = NULL;
  const edgefw_problem *declared = &problem->vtable.problem;
  edgefw_status status = ask(m, backbone, declared, &refused);
  m->cells[m->count++] =
      (edgefw__matrix_cell){.problem = problem, .backbone = backbone, .why = refused};
  for (size_t p = 0; status == EDGEFW_OK && p < edgefw__registry_count(m->registry); ++p) {
    const edgefw__plugin *term = edgefw__registry_at(m->registry, p);
    if (term->kind != EDGEFW_KIND_TERM) continue;
    edgefw__matrix_cell cell = {
        .problem = problem, .backbone = backbone, .term = term, .why = refused};
    if (!refused) status = ask(m, term, declared, &cell.why);
    m->cells[m->count++] = cell;
  }
  return status;
}

/* All heuristics on a problem. */
static edgefw_status add_heuristics(matrix *m, const edgefw__plugin *problem) {
  edgefw_status status = EDGEFW_OK;
  for (size_t p = 0; status == EDGEFW_OK && p < edgefw__registry_count(m->registry); ++p) {
    const edgefw__plugin *heuristic = edgefw__registry_at(m->registry, p);
    if (heuristic->kind != EDGEFW_KIND_HEURISTIC) continue;
    edgefw__matrix_cell cell = {.problem = problem, .heuristic = heuristic};
    status = ask(m, heuristic, &problem->vtable.problem, &cell.why);
    m->cells[m->count++] = cell;
  }
  return status;
}

edgefw_status edgefw__matrix(edgefw_context *ctx, edgefw_arena *arena,
                             const edgefw__registry *registry, const edgefw__matrix_cell **out,
                             size_t *count) {
  const size_t cells =
      count_kind(registry, EDGEFW_KIND_PROBLEM) *
      (count_kind(registry, EDGEFW_KIND_HEURISTIC) +
       count_kind(registry, EDGEFW_KIND_BACKBONE) * (1 + count_kind(registry, EDGEFW_KIND_TERM)));
  matrix m = {.ctx = ctx, .arena = arena, .registry = registry};
  m.cells = edgefw_arena_take(arena, cells, sizeof *m.cells);
  if (!m.cells) return edgefw_failure(ctx);
  edgefw_status status = EDGEFW_OK;
  for (size_t p = 0; p < edgefw__registry_count(registry); ++p) {
    const edgefw__plugin *problem = edgefw__registry_at(registry, p);
    if (problem->kind != EDGEFW_KIND_PROBLEM) continue;
    for (size_t b = 0; status == EDGEFW_OK && b < edgefw__registry_count(registry); ++b) {
      const edgefw__plugin *backbone = edgefw__registry_at(registry, b);
      if (backbone->kind == EDGEFW_KIND_BACKBONE) status = add_pair(&m, problem, backbone);
    }
    if (status == EDGEFW_OK) status = add_heuristics(&m, problem);
  }
  *out = m.cells;
  *count = m.count;
  return status;
}
