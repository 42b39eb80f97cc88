/* VRPLIB's solutions. */
#include "files/vrp_solution.h"
#include "fuzz.h"

const char fuzz_file_name[] = "input.sol";

enum { CUSTOMERS = 9 }; /* of the instance that the solutions in tests/fuzz/solution are of */

void fuzz_set_up(edgefw_context *ctx) {
  (void)ctx;
}

static void check(const edgefw__vrp_solution *solution) {
  bool seen[CUSTOMERS + 1] = {false};
  int64_t customers = 0;
  for (int64_t i = 0; i < solution->count; ++i) {
    const int32_t node = solution->tour[i];
    if (node < 0 || node > CUSTOMERS || (node > 0 && seen[node]))
      fuzz_fault("bad routes were taken");
    seen[node] = true;
    customers += node > 0;
  }
  if (customers != CUSTOMERS) fuzz_fault("routes that leave out customers were taken");
}

edgefw_status fuzz_read(edgefw_context *ctx, const char *path) {
  edgefw_arena *arena = NULL;
  edgefw__vrp_solution solution = {0};
  edgefw_status status = edgefw_arena_create(ctx, &arena, "a solution", 0, true);
  if (status == EDGEFW_OK)
    status = edgefw__vrp_solution_read(ctx, arena, path, CUSTOMERS, &solution);
  if (status == EDGEFW_OK) check(&solution);
  edgefw_arena_destroy(arena);
  return status;
}
