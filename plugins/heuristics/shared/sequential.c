/* A tour and the rest of its cycle form one cycle; all others are those of the assignment. So an
 * exit's price is known beforehand, except at the one node of each merged cycle whose successor has
 * changed, and a merger only concerns the nodes whose cheapest exit led into the cycle merged. */
#include "sequential.h"

#include <math.h>
#include <string.h>

#include "edgefw/assignment.h"

/* --- The assignment and its exits --- */

static double arc(const sequential *s, int64_t from, int64_t to) {
  return s->cost[from * s->stride + to];
}

/* What leaving the cycle of x for j's adds, if x is followed by `next` now. */
static double exit_price(const sequential *s, int64_t x, int64_t next, int64_t j) {
  const int64_t before = s->before[j];
  return (arc(s, x, j) - arc(s, before, j)) + (arc(s, before, next) - arc(s, x, next));
}

/* Exits at equal prices are many where costs are lengths of shortest paths; which of them a sum's
 * rounding prefers would be chance, and tours are shorter if they leave early. */
static void find_rounding(sequential *s) {
  double largest = 0.0;
  for (int64_t i = 0; i < s->n; ++i)
    if (s->successor[i] != i) largest = fmax(largest, fabs(arc(s, i, s->successor[i])));
  s->rounding = 1e-12 * largest;
}

static void number_cycles(sequential *s) {
  for (int64_t i = 0; i < s->n; ++i) s->cycle[i] = -1;
  for (int32_t i = 0; i < s->n; ++i) {
    if (s->cycle[i] >= 0) continue;
    for (int32_t x = i; s->cycle[x] < 0; x = s->successor[x]) s->cycle[x] = (int32_t)s->cycles;
    ++s->cycles;
  }
}

/* The cheapest exits of one node into every cycle; of equal ones that to the lower node. */
static void find_exits(const sequential *s, int64_t x, double *price) {
  int32_t *exits = s->exits + x * s->cycles;
  for (int64_t c = 0; c < s->cycles; ++c) {
    price[c] = (double)INFINITY;
    exits[c] = -1;
  }
  for (int32_t j = 0; j < s->n; ++j) {
    const int32_t c = s->cycle[j];
    if (c == s->cycle[x]) continue;
    const double of_j = exit_price(s, x, s->successor[x], j);
    if (exits[c] < 0 || of_j < price[c] - s->rounding) {
      price[c] = of_j;
      exits[c] = j;
    }
  }
}

static edgefw_status price_exits(edgefw_context *ctx, sequential *s) {
  s->exits = edgefw_allocate(ctx, (size_t)(s->n * s->cycles), sizeof *s->exits, "exits of cycles");
  double *price = edgefw_allocate(ctx, (size_t)s->cycles, sizeof *price, "exits of cycles");
  if (s->exits && price)
    for (int64_t x = 0; x < s->n; ++x) find_exits(s, x, price);
  edgefw_release(ctx, price);
  return s->exits && price ? EDGEFW_OK : edgefw_failure(ctx);
}

/* The solver wants rows that lie close together. */
static edgefw_status solve(edgefw_context *ctx, sequential *s) {
  const size_t n = (size_t)s->n;
  if (s->stride == s->n)
    return edgefw_assignment_solve(ctx, s->n, s->cost, s->successor, NULL, NULL);
  double *rows = edgefw_allocate(ctx, n * n, sizeof *rows, "costs of an assignment");
  if (!rows) return edgefw_failure(ctx);
  for (size_t i = 0; i < n; ++i)
    memcpy(rows + i * n, s->cost + i * (size_t)s->stride, n * sizeof *rows);
  const edgefw_status status = edgefw_assignment_solve(ctx, s->n, rows, s->successor, NULL, NULL);
  edgefw_release(ctx, rows);
  return status;
}

edgefw_status sequential_prepare(edgefw_context *ctx, int64_t n, int64_t stride, const double *cost,
                                 sequential *out) {
  *out = (sequential){.n = n, .stride = stride, .cost = cost};
  out->successor = edgefw_allocate(ctx, (size_t)(3 * n), sizeof *out->successor, "an assignment");
  if (!out->successor) return edgefw_failure(ctx);
  out->before = out->successor + n;
  out->cycle = out->before + n;
  const edgefw_status status = solve(ctx, out);
  if (status != EDGEFW_OK) return status;
  for (int32_t i = 0; i < n; ++i) out->before[out->successor[i]] = i;
  find_rounding(out);
  number_cycles(out);
  return price_exits(ctx, out);
}

void sequential_release(edgefw_context *ctx, sequential *s) {
  edgefw_release(ctx, s->exits);
  edgefw_release(ctx, s->successor);
  *s = (sequential){.n = 0};
}

/* --- One tour --- */

typedef struct walk {
  const sequential *s;
  int32_t *next;  /* (n) */
  double *price;  /* (n) of the cheapest exit of a node of the tour's cycle */
  int32_t *leads; /* (n) where to; -1: not known yet */
  bool *merged;   /* (cycles) */
} walk;

/* Take j for the exit of x if it is the cheaper one. */
static void consider(walk *w, int32_t x, int32_t j) {
  const double price = exit_price(w->s, x, w->next[x], j);
  const double rounding = w->s->rounding;
  if (w->leads[x] >= 0 &&
      (price > w->price[x] + rounding || (price >= w->price[x] - rounding && j > w->leads[x])))
    return;
  w->price[x] = price;
  w->leads[x] = j;
}

/* The cheapest exit of x to a cycle that is not merged yet; of equal ones that to the lower node.
 */
static void find_exit(walk *w, int32_t x) {
  const sequential *s = w->s;
  w->leads[x] = -1;
  if (w->next[x] != s->successor[x]) {
    for (int32_t j = 0; j < s->n; ++j)
      if (!w->merged[s->cycle[j]]) consider(w, x, j);
    return;
  }
  const int32_t *exits = s->exits + x * s->cycles;
  for (int64_t c = 0; c < s->cycles; ++c)
    if (!w->merged[c]) consider(w, x, exits[c]);
}

/* The node with the cheapest exit from `from` on, along the rest of the cycle up to the tour's
 * first node; of equal ones the first that the tour comes to. */
static int32_t leave_at(walk *w, int32_t from, int32_t first) {
  int32_t best = from;
  find_exit(w, from);
  for (int32_t x = w->next[from]; x != first; x = w->next[x]) {
    /* Prices only rise as cycles are merged: one that was too high still is. */
    if (w->leads[x] >= 0 && !(w->price[x] < w->price[best] - w->s->rounding)) continue;
    if (w->leads[x] < 0 || w->merged[w->s->cycle[w->leads[x]]]) find_exit(w, x);
    if (w->price[x] < w->price[best] - w->s->rounding) best = x;
  }
  return best;
}

/* Leave for the next cycle at x, and come back behind it. */
static void merge(walk *w, int32_t x) {
  const int32_t j = w->leads[x], last = w->s->before[j];
  w->next[last] = w->next[x];
  w->next[x] = j;
  w->merged[w->s->cycle[j]] = true;
}

static edgefw_status follow(edgefw_context *ctx, walk *w, int32_t start) {
  int32_t from = start;
  w->merged[w->s->cycle[start]] = true;
  for (int64_t left = w->s->cycles - 1; left > 0; --left) {
    if (edgefw_interrupted(ctx))
      return edgefw_fail(ctx, EDGEFW_INTERRUPTED, "interrupted while patching cycles");
    const int32_t x = leave_at(w, from, start);
    merge(w, x);
    from = w->next[x];
  }
  return EDGEFW_OK;
}

edgefw_status sequential_tour(edgefw_context *ctx, const sequential *s, int32_t start,
                              int32_t *order) {
  const size_t n = (size_t)s->n;
  walk w = {.s = s};
  char *memory = edgefw_allocate(
      ctx, n * (sizeof *w.price + 2 * sizeof *w.next) + (size_t)s->cycles, 1, "a patched tour");
  if (!memory) return edgefw_failure(ctx);
  w.price = (double *)(void *)memory;
  w.next = (int32_t *)(void *)(w.price + n);
  w.leads = w.next + n;
  w.merged = (bool *)(void *)(w.leads + n);
  memcpy(w.next, s->successor, n * sizeof *w.next);
  for (size_t i = 0; i < n; ++i) w.leads[i] = -1;
  const edgefw_status status = follow(ctx, &w, start);
  int32_t x = start;
  for (size_t k = 0; k < n; ++k, x = w.next[x]) order[k] = x;
  edgefw_release(ctx, memory);
  return status;
}
