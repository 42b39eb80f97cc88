/* TSPLIB's tours. */
#include "files/tour.h"
#include "fuzz.h"

const char fuzz_file_name[] = "input.tour";

enum { NODES = 12 }; /* of the instance that the tours in tests/fuzz/tour are of */

void fuzz_set_up(edgefw_context *ctx) {
  (void)ctx;
}

edgefw_status fuzz_read(edgefw_context *ctx, const char *path) {
  int32_t tour[NODES] = {0};
  const edgefw_status status = edgefw__tour_read(ctx, path, NODES, tour);
  bool seen[NODES] = {false};
  for (int i = 0; i < NODES && status == EDGEFW_OK; ++i) {
    if (tour[i] < 0 || tour[i] >= NODES || seen[tour[i]]) fuzz_fault("no tour was taken for one");
    seen[tour[i]] = true;
  }
  return status;
}
