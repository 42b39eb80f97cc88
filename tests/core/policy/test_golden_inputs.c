/* The inputs of the packed golden policies, checked without any of the code that they check: tours
 * are feasible and have the recorded lengths, logits stand where a candidate is open, names cover
 * the arrays. labels: golden */
#include "support/test.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/golden.h"

static const char *const tsp_cases[] = {
    "radar_atsp_rank",  "radar_tsp",
    "pomo_tsp",         "pomo_tsp_terms",
    "elg_tsp_penalty",  "elg_tsp_penalty_all",
    "elg_tsp_local",    "elg_tsp_both",
    "radar_atsp_patch", "radar_atsp_patch_dynamic",
};
static const char *const vrp_cases[] = {
    "radar_acvrp",          "radar_acvrp_static", "radar_acvrp_masked", "radar_acvrp_rank",
    "radar_cvrp",           "pomo_cvrp",          "pomo_cvrp_terms",    "elg_cvrp_penalty",
    "elg_cvrp_penalty_all", "elg_cvrp_local",     "elg_cvrp_both",      "radar_acvrp_patch",
};

enum { NODES_MAX = 8 };

typedef struct golden_case {
  const char *name;
  hid_t file;
  int64_t instances, nodes, starts, steps;
  double *cost, *tours, *logits, *lengths;
  double *demand, *capacity; /* NULL without a depot */
} golden_case;

static double *read_all(hid_t file, const char *path, int64_t count) {
  double *out = malloc((size_t)count * sizeof *out);
  assert_non_null(out);
  golden_read(file, path, count, out);
  return out;
}

static golden_case begin(const char *name, bool has_depot) {
  golden_case g = {.name = name, .file = golden_open(name)};
  double dims[4];
  golden_read(g.file, "/dims", 4, dims);
  g.instances = (int64_t)dims[0];
  g.nodes = (int64_t)dims[1];
  g.starts = (int64_t)dims[2];
  g.steps = (int64_t)dims[3];
  assert_in_range(g.nodes, 2, NODES_MAX);
  assert_int_equal(g.starts, has_depot ? g.nodes - 1 : g.nodes);
  assert_int_equal(g.steps, has_depot ? 2 * g.nodes : g.nodes);
  const int64_t runs = g.instances * g.starts;
  g.cost = read_all(g.file, "/cost", g.instances * g.nodes * g.nodes);
  g.tours = read_all(g.file, "/tours", runs * g.steps);
  g.logits = read_all(g.file, "/logits", runs * g.steps * g.nodes);
  g.lengths = read_all(g.file, "/lengths", runs);
  if (has_depot) {
    g.demand = read_all(g.file, "/demand", g.instances * g.nodes);
    g.capacity = read_all(g.file, "/capacity", g.instances);
  }
  return g;
}

static void end(golden_case *g) {
  double *arrays[] = {g->cost, g->tours, g->logits, g->lengths, g->demand, g->capacity};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) free(arrays[i]);
  H5Fclose(g->file);
}

/* The closed tour has the recorded length. */
static void check_length(const golden_case *g, int64_t instance, int64_t run) {
  const double *tour = g->tours + run * g->steps;
  const double *cost = g->cost + instance * g->nodes * g->nodes;
  double length = 0.0;
  for (int64_t t = 0; t < g->steps; ++t)
    length += cost[(int64_t)tour[t] * g->nodes + (int64_t)tour[(t + 1) % g->steps]];
  if (!(fabs(length - g->lengths[run]) <= 1e-9 * fmax(1.0, length)))
    fail_msg("%s: tour %" PRId64 " has length %.17g, not %.17g", g->name, run, length,
             g->lengths[run]);
}

/* A rollout under way. */
typedef struct walk {
  bool visited[NODES_MAX];
  int64_t current, left; /* nodes, or customers, to visit */
  double load;
} walk;

static bool is_open(const golden_case *g, const walk *w, int64_t instance, int64_t j) {
  if (w->left == 0) return false;
  if (g->demand == NULL) return !w->visited[j];
  if (j == 0) return w->current != 0;
  const double demand = g->demand[instance * g->nodes + j];
  return !w->visited[j] && demand <= w->load + 1e-9 * g->capacity[instance];
}

static void visit(const golden_case *g, walk *w, int64_t instance, int64_t j) {
  const bool depot = g->demand != NULL && j == 0;
  if (depot)
    w->load = g->capacity[instance];
  else {
    w->left -= !w->visited[j];
    w->visited[j] = true;
    if (g->demand != NULL) w->load -= g->demand[instance * g->nodes + j];
  }
  w->current = j;
}

/* Feasible from first to last; logits of open candidates alone, from the first free step on. */
static void check_rollout(const golden_case *g, int64_t instance, int64_t start) {
  const int64_t run = instance * g->starts + start;
  const double *tour = g->tours + run * g->steps;
  const int64_t forced = g->demand != NULL ? 2 : 1;
  walk w = {.left = g->starts};
  assert_int_equal((int64_t)tour[forced - 1], g->demand != NULL ? start + 1 : start);
  for (int64_t t = 0; t < g->steps; ++t) {
    const int64_t next = (int64_t)tour[t];
    assert_in_range(next, 0, g->nodes - 1);
    const bool finished = w.left == 0;
    for (int64_t j = 0; j < g->nodes; ++j) {
      const bool expected = t >= forced && is_open(g, &w, instance, j);
      if ((g->logits[(run * g->steps + t) * g->nodes + j] != 0.0) != expected)
        fail_msg("%s: tour %" PRId64 ", step %" PRId64 ", node %" PRId64 ": %s", g->name, run, t, j,
                 expected ? "no logit" : "a logit, though it is closed");
    }
    const bool allowed = t == 0     ? g->demand == NULL || next == 0
                         : finished ? next == 0
                                    : is_open(g, &w, instance, next);
    if (!allowed)
      fail_msg("%s: tour %" PRId64 " may not visit %" PRId64 " at step %" PRId64, g->name, run,
               next, t);
    visit(g, &w, instance, next);
  }
  assert_int_equal(w.left, 0);
}

/* The names share out both arrays, nothing is left over, and each can be read. */
static void check_names(const golden_case *g) {
  char *names = golden_text(g->file, "parameter_names");
  int64_t total = 0;
  for (char *rest = names, *line; (line = strtok_r(rest, "\n", &rest)) != NULL;) {
    char name[256];
    int64_t count = 0;
    assert_int_equal(sscanf(line, "%255s %" SCNd64, name, &count), 2);
    double *values = malloc((size_t)count * sizeof *values);
    assert_non_null(values);
    golden_read_packed(g->file, "/parameters", name, count, values);
    for (int64_t i = 0; i < count; ++i) assert_true(isfinite(values[i]) && fabs(values[i]) < 2.0);
    golden_read_packed(g->file, "/gradients", name, count, values);
    for (int64_t i = 0; i < count; ++i) assert_true(isfinite(values[i]));
    free(values);
    total += count;
  }
  free(names);
  assert_int_equal(total, golden_count(g->file, "/parameters"));
  assert_int_equal(total, golden_count(g->file, "/gradients"));
}

static void check_case(const char *name, bool has_depot) {
  golden_case g = begin(name, has_depot);
  for (int64_t instance = 0; instance < g.instances; ++instance)
    for (int64_t start = 0; start < g.starts; ++start) {
      check_length(&g, instance, instance * g.starts + start);
      check_rollout(&g, instance, start);
    }
  check_names(&g);
  end(&g);
}

static void tours_through_all_nodes(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof tsp_cases / sizeof *tsp_cases; ++i) check_case(tsp_cases[i], false);
}

static void routes_from_a_depot(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof vrp_cases / sizeof *vrp_cases; ++i) check_case(vrp_cases[i], true);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(tours_through_all_nodes),
                                     cmocka_unit_test(routes_from_a_depot)};
  return test_run(tests, NULL, NULL);
}
