#include "support/test.h"

#include "support/stops_case.h"

#include <math.h>
#include <string.h>

#include "support/expect.h"

const char *const stops_names[STOPS] = {"Depot", "Ada", "Bo", "Cleo", "Day, Dee", "Eve"};

const double stops_cost[STOPS][STOPS] = {
    {0, 31.5, 120.25, 77, 64, 98.5}, {29, 0, 85.5, -1, 51, 66}, {115, 90.75, 0, 42.5, 37, 88},
    {80.5, 62, 40, 0, 73, 25.5},     {70, 48, 33.5, 69, 0, 54}, {95, 71, -1, 28, 59.5, 0}};

const double stops_demand[STOPS] = {0, 4, 3, 5, 2, 6};

/* The cheapest way on from the last of `count` visited stops, through all others, back to 0. */
static double shortest(int *tour, int count, unsigned visited) {
  const double *from = stops_cost[tour[count - 1]];
  if (count == STOPS) return from[0] < 0 ? (double)INFINITY : from[0];
  double best = (double)INFINITY;
  for (int next = 1; next < STOPS; ++next) {
    if (visited & 1u << next || from[next] < 0) continue;
    tour[count] = next;
    best = fmin(best, from[next] + shortest(tour, count + 1, visited | 1u << next));
  }
  return best;
}

double stops_shortest_tour(void) {
  int tour[STOPS] = {0};
  return shortest(tour, 1, 1);
}

void stops_expect(const edgefw__stop_table *table, const char *const *names) {
  assert_int_equal(table->n, STOPS);
  assert_non_null(table->cost);
  assert_null(table->points);
  for (int i = 0; i < STOPS; ++i)
    for (int j = 0; j < STOPS; ++j) {
      const double found = table->cost[i * STOPS + j], expected = stops_cost[i][j];
      if (i == j) continue;
      if (expected < 0 ? !isinf(found) : found != expected)
        fail_msg("from %d to %d: %g, expected %g", i, j, found, expected);
    }
  assert_int_equal(table->names == NULL, names == NULL);
  for (int i = 0; names && i < STOPS; ++i) assert_string_equal(table->names[i], names[i]);
}

void stops_expect_faults(workspace *w, const char *name, stops_reader reader,
                         const stops_fault *faults) {
  for (const stops_fault *f = faults; f->text; ++f) {
    edgefw__stop_table table;
    const char *path = sandbox_write(&w->box, name, f->text);
    const edgefw_status status = reader(w->ctx, w->arena, path, &table);
    if (status == EDGEFW_OK) fail_msg("not refused: %s", f->text);
    const char *words[] = {name, f->words[0], f->words[1], f->words[2], f->words[3], NULL};
    expect_failure_at(w->ctx, status, f->status, words, __FILE__, __LINE__);
  }
}
