/* The search for a tour without forbidden arcs: backtracking. */
#include "search/free_tour.h"

#include <string.h>

#include "edgefw/rng.h"

/* The first attempt may look so many times at each pair of nodes. */
enum { FIRST_ATTEMPT = 10 };

/* Where the search stands. Node 0 is home: a tour begins there and ends with an arc into it. With a
 * depot it may be passed in between. */
typedef struct walk {
  const edgefw_route_plan *plan;
  int64_t *looks;
  int64_t n, unvisited;
  int32_t *path; /* (2 n) nodes so far */
  int64_t count; /* of them */
  bool *visited; /* (n) home is */
  /* (n) of nodes not visited: allowed arcs into them from others, from where the walk stands, and
   * from a depot; and out of them to others and home. */
  int32_t *ways_in, *ways_out;
  double *left;   /* (2 n, resources) at each place of the path */
  int32_t *stack; /* (n n + 4 n) candidates of each place of the path, the next one last */
  int64_t *base;  /* (2 n + 1) where the candidates of a place begin */
  int64_t top;    /* of the stack */
  int attempt;
} walk;

static bool is_allowed(const walk *w, int32_t from, int32_t to) {
  return edgefw__route_cost(w->plan, from, to) < w->plan->limit;
}

static int32_t standing(const walk *w) {
  return w->path[w->count - 1];
}

static double *left_at(const walk *w, int64_t place) {
  return w->left + place * w->plan->resources;
}

/* --- Going on and back --- */

/* Arcs that are lost (-1) or won again (+1) as the walk leaves `from` for `to`. A depot can be left
 * again and is never used up. False if a node has none left. */
static bool count_ways(walk *w, int32_t from, int32_t to, int32_t change) {
  const bool leaves = !(w->plan->depot && from == 0), arrives = to != 0;
  bool alive = true;
  for (int32_t u = 1; u < w->n; ++u) {
    if (w->visited[u]) continue;
    if (leaves && u != to && is_allowed(w, from, u)) w->ways_in[u] += change;
    if (arrives && u != to && is_allowed(w, u, to)) w->ways_out[u] += change;
    alive = alive && (u == to || (w->ways_in[u] > 0 && w->ways_out[u] > 0));
  }
  *w->looks -= w->n;
  return alive;
}

static bool enter(walk *w, int32_t node) {
  const edgefw_route_plan *plan = w->plan;
  const bool alive = count_ways(w, standing(w), node, -1);
  const double *before = left_at(w, w->count - 1);
  for (int r = 0; r < plan->resources; ++r)
    left_at(w, w->count)[r] = node == 0 ? plan->most[r] : before[r] - plan->demand[r][node];
  if (node != 0) {
    w->visited[node] = true;
    --w->unvisited;
  }
  w->path[w->count++] = node;
  return alive;
}

static void leave(walk *w) {
  const int32_t node = w->path[--w->count];
  if (node != 0) {
    w->visited[node] = false;
    ++w->unvisited;
  }
  (void)count_ways(w, standing(w), node, 1);
}

/* --- Candidates --- */

static bool is_candidate(const walk *w, int32_t node) {
  const edgefw_route_plan *plan = w->plan;
  if (w->visited[node] || !is_allowed(w, standing(w), node)) return false;
  for (int r = 0; r < plan->resources; ++r)
    if (plan->demand[r][node] > left_at(w, w->count - 1)[r]) return false;
  return true;
}

/* How urgent a visit of a node is, the smaller the more: by the arcs that are left into it and out
 * of it. Attempts after the first one mix in a number of their own. */
static uint32_t urgency(const walk *w, int32_t node) {
  const uint32_t ways = (uint32_t)(w->ways_in[node] + w->ways_out[node]);
  if (w->attempt == 0) return ways;
  const uint32_t word = edgefw_random_word((uint64_t)w->attempt, EDGEFW_STREAM_ROLLOUT,
                                           (uint64_t)standing(w), (uint64_t)node);
  return ways + edgefw_random_below(word, 4);
}

/* Is `a` to be tried later than `b`? */
static bool is_later(const walk *w, int32_t a, int32_t b) {
  const uint32_t of_a = urgency(w, a), of_b = urgency(w, b);
  if (of_a != of_b) return of_a > of_b;
  const double to_a = edgefw__route_cost(w->plan, standing(w), a);
  const double to_b = edgefw__route_cost(w->plan, standing(w), b);
  return to_a != to_b ? to_a > to_b : a > b;
}

/* Sort the candidates of a place, those to be tried last in front. */
static void sort_candidates(const walk *w, int32_t *nodes, int64_t count) {
  for (int64_t gap = count / 2; gap > 0; gap /= 2)
    for (int64_t i = gap; i < count; ++i) {
      const int32_t node = nodes[i];
      int64_t k = i;
      for (; k >= gap && is_later(w, node, nodes[k - gap]); k -= gap) nodes[k] = nodes[k - gap];
      nodes[k] = node;
    }
}

/* Push what may follow where the walk stands. A node that only the walk's own node leads to must
 * come at once; two of them cannot both. */
static void push_candidates(walk *w) {
  const int32_t current = standing(w);
  const bool depot = w->plan->depot, at_depot = depot && current == 0;
  int32_t *nodes = w->stack + w->top;
  int64_t count = 0, last_chances = 0;
  int32_t last_chance = -1;
  w->base[w->count] = w->top;
  for (int32_t u = 1; u < w->n; ++u) {
    if (!at_depot && !w->visited[u] && w->ways_in[u] == 1 && is_allowed(w, current, u)) {
      ++last_chances;
      last_chance = u;
    }
    if (is_candidate(w, u)) nodes[count++] = u;
  }
  *w->looks -= w->n;
  if (last_chances > 0) {
    const bool possible = last_chances == 1 && is_candidate(w, last_chance);
    nodes[0] = last_chance;
    w->top += possible;
    return;
  }
  *w->looks -= 8 * count;
  sort_candidates(w, nodes, count);
  if (depot && !at_depot && is_allowed(w, current, 0)) { /* tried last */
    memmove(nodes + 1, nodes, (size_t)count * sizeof *nodes);
    nodes[0] = 0;
    ++count;
  }
  w->top += count;
}

/* --- The search --- */

static void begin(walk *w) {
  const edgefw_route_plan *plan = w->plan;
  w->path[0] = 0;
  w->count = 1;
  w->unvisited = w->n - 1;
  memset(w->visited, 0, (size_t)w->n * sizeof *w->visited);
  memset(w->ways_in, 0, (size_t)w->n * sizeof *w->ways_in);
  memset(w->ways_out, 0, (size_t)w->n * sizeof *w->ways_out);
  w->visited[0] = true;
  for (int r = 0; r < plan->resources; ++r) left_at(w, 0)[r] = plan->most[r];
  for (int32_t u = 1; u < w->n; ++u)
    for (int32_t v = 0; v < w->n; ++v) {
      if (v == u) continue;
      w->ways_in[u] += is_allowed(w, v, u);
      w->ways_out[u] += is_allowed(w, u, v);
    }
  w->top = 0;
  *w->looks -= w->n * w->n;
}

static bool has_ways(const walk *w) {
  for (int32_t u = 1; u < w->n; ++u)
    if (w->ways_in[u] == 0 || w->ways_out[u] == 0) return false;
  return true;
}

/* One attempt, as long as more than `spared` looks are left. */
static edgefw__free_tour_end attempt(walk *w, int64_t spared) {
  begin(w);
  if (!has_ways(w)) return EDGEFW__FREE_TOUR_NONE;
  push_candidates(w);
  while (*w->looks > spared && !edgefw__route_stops(w->plan, w->looks)) {
    if (w->unvisited == 0 && is_allowed(w, standing(w), 0)) return EDGEFW__FREE_TOUR_FOUND;
    if (w->top == w->base[w->count]) { /* nothing is left to try here */
      if (w->count == 1) return EDGEFW__FREE_TOUR_NONE;
      leave(w);
      continue;
    }
    if (enter(w, w->stack[--w->top]))
      push_candidates(w);
    else
      w->base[w->count] = w->top;
  }
  return EDGEFW__FREE_TOUR_STOPPED;
}

/* A wrong choice made early is undone last, so a search may be lost in what follows it: it begins
 * anew, in another order, again and again and each time for longer. */
static edgefw__free_tour_end search(walk *w) {
  edgefw__free_tour_end end = EDGEFW__FREE_TOUR_STOPPED;
  for (int64_t looks = FIRST_ATTEMPT * w->n * w->n;
       end == EDGEFW__FREE_TOUR_STOPPED && *w->looks > 0; looks += looks / 8, ++w->attempt)
    end = attempt(w, *w->looks > looks ? *w->looks - looks : 0);
  return end;
}

edgefw_status edgefw__free_tour(edgefw_context *ctx, const edgefw_route_plan *plan, int64_t *looks,
                                edgefw__ring *ring, edgefw__free_tour_end *end) {
  const size_t n = (size_t)plan->n, resources = (size_t)plan->resources;
  *end = EDGEFW__FREE_TOUR_STOPPED;
  if (*looks < FIRST_ATTEMPT * plan->n * plan->n) return EDGEFW_OK; /* not even one attempt */
  walk w = {.plan = plan, .looks = looks, .n = plan->n, .path = ring->nodes};
  w.visited = edgefw_allocate(ctx, n, sizeof *w.visited, "a search for tours");
  w.ways_in = edgefw_allocate(ctx, 2 * n, sizeof *w.ways_in, "a search for tours");
  w.left = edgefw_allocate(ctx, 2 * n * resources + 1, sizeof *w.left, "a search for tours");
  w.stack = edgefw_allocate(ctx, n * n + 4 * n, sizeof *w.stack, "a search for tours");
  w.base = edgefw_allocate(ctx, 2 * n + 1, sizeof *w.base, "a search for tours");
  const bool complete = w.visited && w.ways_in && w.left && w.stack && w.base;
  if (complete) {
    w.ways_out = w.ways_in + n;
    *end = search(&w);
    ring->count = w.count;
  }
  edgefw_release(ctx, w.visited);
  edgefw_release(ctx, w.ways_in);
  edgefw_release(ctx, w.left);
  edgefw_release(ctx, w.stack);
  edgefw_release(ctx, w.base);
  return complete ? EDGEFW_OK : edgefw_failure(ctx);
}
