/* Solutions to begin with: [search] start, solve --start. */
#ifndef EDGEFW__START_TOUR_H
#define EDGEFW__START_TOUR_H

#include "eval/evaluate.h"
#include "search/rollouts.h"

/* Give sets the solution file that their instance begins with (set->start). `path` is a file, which
 * serves a single set alone, or a folder: there a set takes the file that is called like its own
 * (known_solution.h: NAME.tour, NAME.sol), of several the first by name, or none. `option` names
 * where `path` was said, for messages. Texts are in `arena`. CONFIG if there are more sets than one
 * file serves, if the set is not one instance of a file, or if the folder has a solution for none;
 * OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__start_assign(edgefw_context *ctx, edgefw_arena *arena,
                                                    const edgefw_problem *problem,
                                                    const char *option, const char *path,
                                                    edgefw__instance_set *const *sets,
                                                    int64_t count);

/* Read set->start, a solution of the set's only instance, which is the first one of the batch,
 * check it, and go on from it by local search if search->improve says so; times are added to
 * `best`, and it begins with what is fixed there. `name` is the instance's own, for messages.
 * Without set->start *out holds no tour. Release it, also after a failure. As
 * edgefw__known_solution_read; CHECK_FAILED if it does not begin with what is fixed; INTERRUPTED:
 * then *out holds it, improved as far as there was time. */
EDGEFW_NODISCARD edgefw_status edgefw__start_read(edgefw_context *ctx,
                                                  const edgefw__composition *composition,
                                                  const edgefw__instance_set *set, const char *name,
                                                  const edgefw__batch *batch,
                                                  const edgefw__search *search,
                                                  edgefw__incumbents *best, edgefw__tours *out);

/* Let it take the place of the incumbent, its maker being EDGEFW__MAKER_START, if it costs less. */
void edgefw__start_take(const edgefw__tours *start, edgefw__incumbents *best);

void edgefw__start_release(edgefw_context *ctx, edgefw__tours *start);

#endif
