/* The longest stretch is where it was; the others are written behind it in their new order. */
#include "search/ring_edit.h"

/* The place behind another one, or before it. */
static int64_t behind(const edgefw__routes *routes, int64_t place) {
  return place + 1 == routes->count ? 0 : place + 1;
}

static int64_t before(const edgefw__routes *routes, int64_t place) {
  return place == 0 ? routes->count - 1 : place - 1;
}

static void put(edgefw__routes *routes, int64_t place, int32_t visit) {
  routes->ring[place] = visit;
  routes->place[visit] = (int32_t)place;
}

edgefw__ring_places edgefw__ring_arrange(edgefw__routes *routes, const edgefw__stretch *stretches,
                                         int count) {
  int longest = 0;
  for (int s = 1; s < count; ++s)
    if (stretches[s].count > stretches[longest].count) longest = s;
  int64_t filled = 0;
  for (int s = 1; s < count; ++s) {
    const edgefw__stretch *stretch = &stretches[(longest + s) % count];
    int64_t place = stretch->first;
    for (int64_t k = 0; k < stretch->count; ++k, place = behind(routes, place))
      routes->scratch[filled++] = routes->ring[place];
  }
  const edgefw__stretch *kept = &stretches[longest];
  const edgefw__ring_places places = {edgefw__routes_wrap(routes, kept->first + kept->count),
                                      filled};
  int64_t place = places.first;
  for (int64_t k = 0; k < filled; ++k, place = behind(routes, place))
    put(routes, place, routes->scratch[k]);
  return places;
}

edgefw__ring_places edgefw__ring_reverse(edgefw__routes *routes, int64_t first, int64_t count) {
  if (2 * count <= routes->count) return edgefw__ring_turn(routes, first, count);
  return edgefw__ring_turn(routes, edgefw__routes_wrap(routes, first + count),
                           routes->count - count);
}

edgefw__ring_places edgefw__ring_turn(edgefw__routes *routes, int64_t first, int64_t count) {
  int64_t low = first, high = edgefw__routes_wrap(routes, first + count - 1);
  for (int64_t k = 0; k < count / 2; ++k, low = behind(routes, low), high = before(routes, high)) {
    const int32_t kept = routes->ring[low];
    put(routes, low, routes->ring[high]);
    put(routes, high, kept);
  }
  return (edgefw__ring_places){first, count};
}
