/* A training on several ranks: rank 0 trains as one process does, and asks the others for their
 * share of each step (train/stepper.h). */
#ifndef EDGEFW__TEAM_H
#define EDGEFW__TEAM_H

#include "train/stepper.h"

/* On one process all of these do nothing, and succeed. --- Rank 0 --- */

/* Call the others to the training whose steps `stepper`, which has its memory, is going to do, and
 * give them its state: what fails there is recorded here, and nobody waits any more. MISMATCH if a
 * rank has another dataset; IO. */
EDGEFW_NODISCARD edgefw_status edgefw__team_begin(edgefw__stepper *stepper);

/* Do a step together. As edgefw__stepper_run. */
EDGEFW_NODISCARD edgefw_status edgefw__team_step(edgefw__stepper *stepper,
                                                 const edgefw__step_order *order);

/* Have all moments on rank 0, to be saved. IO. */
EDGEFW_NODISCARD edgefw_status edgefw__team_collect(edgefw__stepper *stepper);

/* The training is over: the others wait for another call. */
void edgefw__team_end(edgefw__stepper *stepper);

/* --- The others --- */

/* Answer rank 0's call to train `composition`, whose name it has, until rank 0 ends it. What fails
 * on any rank has been told to all then and is none of this one's: OK, but where this rank is out
 * of step. `composition` is NULL where this rank knows no such variant. */
EDGEFW_NODISCARD edgefw_status edgefw__team_serve(const edgefw__engine *engine,
                                                  const edgefw__composition *composition,
                                                  const edgefw__call *call);

#endif
