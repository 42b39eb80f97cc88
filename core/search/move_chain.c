/* Exchanges of three or five arcs of a closed tour that turn no stretch round, as chains (after Lin
 * and Kernighan 1973; the moves are those of Kanellakis and Papadimitriou 1980, at most five deep):
 * an arc out of `visit` is taken away and its tail led to another head, which takes away the arc
 * into that head, and so forth, until the last tail leads to the first head. In some turn of any
 * improving exchange all partial sums gain, so a chain goes on only while its sum does. An even
 * number of arcs always leaves several cycles. */
#include "search/moves.h"

enum { LONGEST = 5 };

/* Heads that are looked at for the second and each further arc. */
static const int wide[LONGEST] = {0, 10, 10, 7, 5}, narrow[LONGEST] = {0, 8, 5, 3, 1};

/* Arcs (tail[i], head[i]) give way; tail[i] leads to head[i + 1], the last tail to head[0]. */
typedef struct chain {
  int32_t tail[LONGEST], head[LONGEST];
  int64_t at[LONGEST]; /* steps on the ring from head[0] to head[i] */
  int count;
} chain;

typedef struct search {
  edgefw__routes *routes;
  const edgefw__nearby *nearby;
  const int *breadth;
  int64_t begin; /* place of head[0] */
  chain now, found;
  double best; /* gain of `found` */
} search;

static double reduced(const search *s, int32_t from, int32_t to) {
  return edgefw__nearby_reduced(s->nearby, edgefw__routes_cost(s->routes, from, to), from, to);
}

/* --- The ring after a chain --- */

/* Which head is the next one on the ring behind head i? 0, the first, behind the last. */
static int next_on_ring(const chain *c, int i) {
  int next = 0;
  for (int j = 1; j < c->count; ++j)
    if (c->at[j] > c->at[i] && (next == 0 || c->at[j] < c->at[next])) next = j;
  return next;
}

/* Which head follows the stretch that begins with head i? */
static int next_in_chain(const chain *c, int i) {
  const int next = next_on_ring(c, i) + 1;
  return next == c->count ? 0 : next;
}

static bool is_one_cycle(const chain *c) {
  int stretches = 1;
  for (int i = next_in_chain(c, 0); i != 0; i = next_in_chain(c, i)) ++stretches;
  return stretches == c->count;
}

/* --- The search --- */

/* Append the arc into `head`. False if it is there already, or leads to where the tail leads now.
 */
static bool append(search *s, int32_t head) {
  const edgefw__routes *routes = s->routes;
  chain *c = &s->now;
  const int64_t at = edgefw__routes_wrap(routes, routes->place[head] - s->begin);
  const int32_t tail = edgefw__routes_previous(routes, head);
  if (tail == c->tail[c->count - 1]) return false;
  for (int i = 0; i < c->count; ++i)
    if (c->at[i] == at) return false;
  c->tail[c->count] = tail;
  c->head[c->count] = head;
  c->at[c->count++] = at;
  return true;
}

/* Lead the last tail to the first head. */
static void finish(search *s, double removed, double added) {
  const chain *c = &s->now;
  added += reduced(s, c->tail[c->count - 1], c->head[0]);
  if (!edgefw__move_gains(removed, added) || !(removed - added > s->best)) return;
  if (!is_one_cycle(c)) return;
  s->best = removed - added;
  s->found = *c;
}

/* Chains that begin as the one at hand, whose last tail leads nowhere yet. */
static void extend(search *s, double removed, double added) {
  chain *c = &s->now;
  const int count = c->count;
  const int32_t from = c->tail[count - 1];
  const int32_t *near = edgefw__nearby_of(s->nearby, from);
  const int64_t each = s->breadth[count] < s->nearby->each ? s->breadth[count] : s->nearby->each;
  for (int64_t k = 0; k < each; ++k, c->count = count) {
    const double all_added = added + reduced(s, from, near[k]);
    if (!edgefw__move_gains(removed, all_added)) return;
    if (!append(s, near[k])) continue;
    const double all_removed = removed + reduced(s, c->tail[count], c->head[count]);
    if (c->count % 2 == 1) finish(s, all_removed, all_added);
    if (c->count < LONGEST) extend(s, all_removed, all_added);
  }
}

/* What the chain gains in costs as they are, which reduced ones may be rounded away from. */
static double gain_of(const search *s) {
  const chain *c = &s->found;
  double removed = 0.0, added = 0.0;
  for (int i = 0; i < c->count; ++i) {
    removed += edgefw__routes_cost(s->routes, c->tail[i], c->head[i]);
    added += edgefw__routes_cost(s->routes, c->tail[i], c->head[(i + 1) % c->count]);
  }
  return edgefw__move_gains(removed, added) ? removed - added : 0.0;
}

static void make(search *s, double gain, edgefw__move *made) {
  const chain *c = &s->found;
  edgefw__stretch stretches[LONGEST];
  *made = (edgefw__move){.gain = gain};
  for (int k = 0, i = 0; k < c->count; ++k, i = next_in_chain(c, i)) {
    const int next = next_on_ring(c, i);
    const int64_t end = next == 0 ? s->routes->count : c->at[next];
    stretches[k] = (edgefw__stretch){.first = edgefw__routes_wrap(s->routes, s->begin + c->at[i]),
                                     .count = end - c->at[i]};
    made->ends[made->count++] = c->tail[k];
    made->ends[made->count++] = c->head[k];
  }
  made->places = edgefw__ring_arrange(s->routes, stretches, c->count);
}

bool edgefw__move_chain(edgefw__routes *routes, const edgefw__nearby *nearby, int32_t visit,
                        bool is_wide, edgefw__move *made) {
  if (routes->count < 3) return false;
  const int32_t head = edgefw__routes_next(routes, visit);
  search s = {.routes = routes,
              .nearby = nearby,
              .breadth = is_wide ? wide : narrow,
              .begin = routes->place[head],
              .now = {.tail = {visit}, .head = {head}, .count = 1}};
  extend(&s, reduced(&s, visit, head), 0.0);
  const double gain = s.best > 0.0 ? gain_of(&s) : 0.0;
  if (gain > 0.0) make(&s, gain, made);
  return gain > 0.0;
}
