/* What is drawn in a decoding state: where it lies in a tour, which candidate is examined, and
 * which two are compared. Everything is a word of EDGEFW_STREAM_STATE of (seed, number of the
 * state), so that a state depends on nothing but the model, the seed and its number. */
#ifndef EDGEFW__STATE_H
#define EDGEFW__STATE_H

#include "diagnostics/verdict.h"
#include "edgefw/problem.h"

/* Words of a state. */
enum {
  EDGEFW__WORD_START = 0,
  EDGEFW__WORD_STEP = 1,
  EDGEFW__WORD_CANDIDATE = 2,
  EDGEFW__WORD_PAIR = 3
};

/* A number in [0, bound) for a state. */
int64_t edgefw__state_below(uint64_t seed, int64_t number, int word, int64_t bound);

/* Where states lie in a tour: before its entries least .. last there may be a choice. */
typedef struct edgefw__state_range {
  int64_t least, last;
} edgefw__state_range;

/* Of a whole tour of `steps` entries (problem.h). The last node of a closed tour is no choice. */
edgefw__state_range edgefw__state_range_of(const edgefw_problem *problem, const int32_t *tour,
                                           int64_t steps);

/* Entries that are visited in state `number` of `states`: state m lies at the fraction (m + u) / M
 * of the range, u in [0, 1). */
int64_t edgefw__state_entries(uint64_t seed, int64_t number, int64_t states,
                              edgefw__state_range range);

/* Nodes that are open, by their logits: those that are numbers. */
int64_t edgefw__state_open(const double *logits, int64_t n);

/* What a state is drawn in. */
typedef struct edgefw__state_view {
  const double *cost;   /* (n,n) */
  const double *logits; /* (n): NaN for nodes that are not open; at least 2 are */
  int64_t n;
  bool depot;      /* node 0 is one: it is compared with no customer */
  double *scratch; /* (2,n) */
} edgefw__state_view;

/* Draw candidate and pair, and fill the rest of a state whose number, tour, entries and closing
 * node are set. The candidate is any of the open nodes, all alike likely. The pair is any of the
 * pairs of open customers whose costs to the closing node, least costs out (over all nodes) and
 * least costs in differ by at most rules->closeness units each, and whose costs from the current
 * node are not the same. */
void edgefw__state_draw(const edgefw__state_view *view, uint64_t seed,
                        const edgefw__diagnostic_rules *rules, edgefw__diagnosed_state *state);

#endif
