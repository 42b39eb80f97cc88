/* Ranks that are threads of one process: a group for tests, without any launcher. */
#ifndef EDGEFW_TESTS_SUPPORT_TOY_RANKS_H
#define EDGEFW_TESTS_SUPPORT_TOY_RANKS_H

#include "group/group.h"

/* What one rank does. cmocka's assertions jump, which only the first thread may do: ranks report by
 * what they return, which is OK or names a fault in the context of their group. */
typedef edgefw_status (*toy_rank)(edgefw__group *group, void *user);

/* Run `rank` on so many threads at once, each with a context of its own, and end the test if one of
 * them fails. `user` is (ranks) of `size` bytes each. */
void toy_ranks_run(int ranks, toy_rank rank, void *user, size_t size);

/* The same where ranks may fail: their statuses and messages (may be NULL) are kept. One that ends
 * out of step ends the others' waiting, as MPI_Abort does; the test ends if a rank waits for one
 * that has gone without, or that is at another exchange. */
void toy_ranks_try(int ranks, toy_rank rank, void *user, size_t size, edgefw_status *statuses,
                   char (*messages)[512]);

#endif
