/* What every move of local search must do: lower the cost, keep the solution one, and leave nothing
 * of its kind undone. */
#ifndef EDGEFW_TESTS_SUPPORT_MOVE_CASE_H
#define EDGEFW_TESTS_SUPPORT_MOVE_CASE_H

#include "search/moves.h"
#include "support/routing_case.h"

typedef bool (*move_function)(edgefw__routes *routes, const edgefw__nearby *nearby, int32_t visit,
                              edgefw__move *made);

/* Make moves at all visits of random cases until none is left; each must lower the cost of a
 * solution that stays one. `improves`, where it is given, looks for a further such change of the
 * ring by trying all: there must be none. Returns the number of moves. */
int move_try_all(move_function move, bool depot, bool symmetric,
                 bool (*improves)(const routing_case *c));

/* Is an exchange of two neighbouring stretches left that improves? All of them are tried. */
bool move_stretch_is_left(const routing_case *c);

/* Make moves where costs are the same in both directions but for those of one node's arcs, which
 * the lists know (nearby.h, odd); each must lower the cost. Returns the number of moves. */
int move_try_odd(move_function move);

#endif
