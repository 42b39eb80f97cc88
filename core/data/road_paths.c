/* Ways over a street network: shortest ones, and whether there are any. */
#include "data/road_paths.h"

#include <string.h>

static void add_arc(const edgefw__road_arcs *out, int32_t *next, int32_t from, int32_t to,
                    int32_t taken) {
  if (taken == 0) return;
  const int32_t at = next[from]++;
  out->head[at] = to;
  out->taken[at] = taken;
}

void edgefw__road_arcs_fill(const edgefw__street *streets, int64_t count, edgefw__road_arcs *out) {
  int32_t *first = out->first;
  int32_t begin = 0;
  memset(first, 0, ((size_t)out->junctions + 1) * sizeof *first);
  for (int64_t s = 0; s < count; ++s) {
    first[streets[s].low + 1] += streets[s].forth > 0;
    first[streets[s].high + 1] += streets[s].back > 0;
  }
  /* first[j + 1] goes from the beginning of junction j's arcs to their end as these are added. */
  for (int32_t j = 0; j < out->junctions; ++j) {
    const int32_t own = first[j + 1];
    first[j + 1] = begin;
    begin += own;
  }
  for (int64_t s = 0; s < count; ++s) {
    add_arc(out, first + 1, streets[s].low, streets[s].high, streets[s].forth);
    add_arc(out, first + 1, streets[s].high, streets[s].low, streets[s].back);
  }
}

/* --- Shortest ways --- */

/* Entries of the heap are what a way takes, times 2^32, plus the junction where it ends. */

static void push(uint64_t *heap, int64_t *size, uint64_t entry) {
  int64_t at = (*size)++;
  for (int64_t up; at > 0 && heap[up = (at - 1) / 2] > entry; at = up) heap[at] = heap[up];
  heap[at] = entry;
}

static uint64_t pop(uint64_t *heap, int64_t *size) {
  const uint64_t least = heap[0], last = heap[--*size];
  int64_t at = 0;
  for (int64_t down; (down = 2 * at + 1) < *size; at = down) {
    if (down + 1 < *size && heap[down + 1] < heap[down]) ++down;
    if (heap[down] >= last) break;
    heap[at] = heap[down];
  }
  heap[at] = last;
  return least;
}

void edgefw__road_shortest(const edgefw__road_arcs *arcs, int32_t source, int32_t *least,
                           uint64_t *heap) {
  int64_t size = 0;
  for (int32_t j = 0; j < arcs->junctions; ++j) least[j] = INT32_MAX;
  least[source] = 0;
  push(heap, &size, (uint64_t)source);
  while (size > 0) {
    const uint64_t entry = pop(heap, &size);
    const int32_t from = (int32_t)(entry & UINT32_MAX), taken = (int32_t)(entry >> 32);
    if (taken > least[from]) continue; /* a shorter way was found since */
    for (int32_t a = arcs->first[from]; a < arcs->first[from + 1]; ++a) {
      const int32_t to = arcs->head[a], way = taken + arcs->taken[a];
      if (way >= least[to]) continue;
      least[to] = way;
      push(heap, &size, (uint64_t)way << 32 | (uint64_t)to);
    }
  }
}

/* --- Strongly connected parts --- */

typedef struct search {
  const edgefw__road_arcs *arcs;
  int32_t *part;  /* -1: not known yet */
  int32_t *order; /* when a junction was met, from 1; 0: not yet */
  int32_t *low;   /* the earliest junction without a part that is known to be reached from it */
  int32_t *next;  /* arc to look at */
  int32_t *open;  /* junctions that were met and have no part, in that order */
  int32_t met, open_count, parts;
} search;

static void meet(search *s, int32_t junction) {
  s->order[junction] = s->low[junction] = ++s->met;
  s->next[junction] = s->arcs->first[junction];
  s->open[s->open_count++] = junction;
}

/* All that was met since the junction, and has no part, is one with it. */
static void close_part(search *s, int32_t junction) {
  int32_t last;
  do {
    last = s->open[--s->open_count];
    s->part[last] = s->parts;
  } while (last != junction);
  ++s->parts;
}

static void lower(int32_t *low, int32_t to) {
  if (to < *low) *low = to;
}

/* Depth first; the way to the junction at hand is linked through part[], as -2 - (junction before).
 */
static void search_from(search *s, int32_t root) {
  int32_t at = root;
  meet(s, root);
  for (;;) {
    if (s->next[at] < s->arcs->first[at + 1]) {
      const int32_t to = s->arcs->head[s->next[at]++];
      if (s->order[to] == 0) {
        meet(s, to);
        s->part[to] = -2 - at;
        at = to;
      } else if (s->part[to] < 0) {
        lower(&s->low[at], s->order[to]);
      }
      continue;
    }
    const int32_t before = at == root ? -1 : -2 - s->part[at], low = s->low[at];
    if (low == s->order[at]) close_part(s, at);
    if (before < 0) return;
    lower(&s->low[before], low);
    at = before;
  }
}

void edgefw__road_parts(const edgefw__road_arcs *arcs, int32_t *part, int32_t *scratch) {
  const int32_t count = arcs->junctions;
  search s = {.arcs = arcs,
              .part = part,
              .order = scratch,
              .low = scratch + count,
              .next = scratch + 2 * (int64_t)count,
              .open = scratch + 3 * (int64_t)count};
  for (int32_t j = 0; j < count; ++j) {
    part[j] = -1;
    s.order[j] = 0;
  }
  for (int32_t j = 0; j < count; ++j)
    if (s.order[j] == 0) search_from(&s, j);
}
