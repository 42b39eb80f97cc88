/* Matrices of `road`: times between stops on a street network. */
#include <inttypes.h>

#include "data/generate.h"
#include "data/road_network.h"

/* Times are whole numbers below TIME_UNITS, and one unit is 1 / TIME_UNITS. */
#define TIME_UNITS 1000000

/* No street becomes free. */
static void halve_times(edgefw__road_arcs *arcs) {
  for (int32_t a = 0; a < arcs->first[arcs->junctions]; ++a)
    arcs->taken[a] = (arcs->taken[a] + 1) / 2;
}

/* Fill cost (n,n); false as soon as a time is too large. */
static bool fill(edgefw__road_network *network, int64_t n, int32_t bound, double *cost) {
  for (int64_t i = 0; i < n; ++i) {
    edgefw__road_shortest(&network->arcs, (int32_t)i, network->least, network->heap);
    for (int64_t j = 0; j < n; ++j) {
      if (network->least[j] >= bound) return false;
      cost[i * n + j] = network->least[j];
    }
  }
  return true;
}

void edgefw__road_network_matrix(edgefw__road_network *network, int64_t n, int32_t bound,
                                 double *cost) {
  while (!fill(network, n, bound, cost)) halve_times(&network->arcs);
}

edgefw_status edgefw_generate_road(edgefw_generator *generator, int64_t n, double *cost) {
  if (n < 1 || n > EDGEFW_MAX_NODES)
    return edgefw_fail(generator->ctx, EDGEFW_INVALID_ARGUMENT,
                       "road matrices have 1 to %d nodes, asked for %" PRId64, EDGEFW_MAX_NODES, n);
  const int64_t numbers = (int64_t)(edgefw__road_network_bytes(n) / sizeof(int32_t));
  const edgefw_status status = edgefw__generator_reserve(generator, numbers);
  if (status != EDGEFW_OK) return status;
  edgefw__road_network network;
  edgefw__road_network_place(generator, n, generator->scratch, &network);
  edgefw__road_network_connect(&network);
  edgefw__road_network_time(generator, &network);
  edgefw__road_network_matrix(&network, n, TIME_UNITS, cost);
  for (int64_t k = 0; k < n * n; ++k) cost[k] /= (double)TIME_UNITS;
  return EDGEFW_OK;
}
