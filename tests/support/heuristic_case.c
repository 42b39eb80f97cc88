/* See heuristic_case.h. */
#include "support/test.h"

#include "support/heuristic_case.h"

#include <stdlib.h>
#include <string.h>

#include "plugin/options.h"
#include "support/expect.h"
#include "support/out_of_memory.h"

void heuristic_open(heuristic_case *h, const char *name) {
  const char *folder = EDGEFW_BUILD_DIR "/lib/edgefw";
  *h = (heuristic_case){0};
  assert_int_equal(edgefw_context_create(&h->ctx, NULL), EDGEFW_OK);
  expect_ok(h->ctx, edgefw__registry_create_from(h->ctx, &folder, 1, &h->registry));
  expect_ok(h->ctx, edgefw__registry_find(h->registry, EDGEFW_KIND_HEURISTIC, name, &h->plugin));
  expect_ok(h->ctx, edgefw_arena_create(h->ctx, &h->arena, "test", 0, true));
  h->heuristic = &h->plugin->vtable.heuristic;
  expect_ok(h->ctx, edgefw__options_defaults(h->ctx, h->arena, h->plugin->descriptor->options,
                                             &h->options));
}

void heuristic_close(heuristic_case *h) {
  edgefw_arena_destroy(h->arena);
  edgefw__registry_destroy(h->registry);
  edgefw_context_destroy(h->ctx);
}

int64_t heuristic_starts(const heuristic_case *h, edgefw_route_plan *plan) {
  plan->size = sizeof *plan;
  plan->ctx = h->ctx;
  if (h->heuristic->starts) return h->heuristic->starts(plan, h->options);
  return plan->depot && plan->n > 1 ? plan->n - 1 : plan->n;
}

static edgefw_status tour_of(const heuristic_case *h, const edgefw_route_plan *plan, int64_t start,
                             int32_t *tour) {
  const edgefw_heuristic *heuristic = h->heuristic;
  void *shared = NULL;
  edgefw_status status = EDGEFW_OK;
  memset(tour, 0, (size_t)(plan->depot ? 2 * plan->n : plan->n) * sizeof *tour);
  if (heuristic->prepare) status = heuristic->prepare(plan, h->options, &shared);
  if (status == EDGEFW_OK) status = heuristic->construct(plan, h->options, shared, start, tour);
  if (heuristic->prepare) heuristic->release(plan, shared);
  return status;
}

edgefw_status heuristic_tour(const heuristic_case *h, edgefw_route_plan *plan, int64_t start,
                             int32_t *tour) {
  plan->size = sizeof *plan;
  plan->ctx = h->ctx;
  return tour_of(h, plan, start, tour);
}

/* --- Memory --- */

typedef struct sweep {
  const heuristic_case *h;
  const edgefw_route_plan *plan;
  int64_t start;
} sweep;

static edgefw_status try_tour(edgefw_context *ctx, void *user) {
  const sweep *s = user;
  edgefw_route_plan plan = *s->plan;
  int32_t *tour = malloc(2 * (size_t)plan.n * sizeof *tour);
  assert_non_null(tour);
  plan.size = sizeof plan;
  plan.ctx = ctx;
  const edgefw_status status = tour_of(s->h, &plan, s->start, tour);
  free(tour);
  return status;
}

void heuristic_sweep_memory(const heuristic_case *h, const edgefw_route_plan *plan, int64_t start) {
  sweep s = {h, plan, start};
  out_of_memory_sweep(try_tour, &s);
}

/* --- Problems --- */

static bool fits(const heuristic_case *h, const char *problem, char *why, size_t why_size) {
  const edgefw__plugin *plugin = NULL;
  expect_ok(h->ctx, edgefw__registry_find(h->registry, EDGEFW_KIND_PROBLEM, problem, &plugin));
  return edgefw__plugin_fits(h->plugin, h->options, &plugin->vtable.problem, why, why_size);
}

void heuristic_fits(const heuristic_case *h, const char *problem) {
  char why[256] = "";
  if (!fits(h, problem, why, sizeof why)) fail_msg("%s does not fit: %s", problem, why);
}

void heuristic_does_not_fit(const heuristic_case *h, const char *problem, const char *part) {
  char why[256] = "";
  assert_false(fits(h, problem, why, sizeof why));
  if (!strstr(why, part)) fail_msg("\"%s\" lacks \"%s\"", why, part);
}
