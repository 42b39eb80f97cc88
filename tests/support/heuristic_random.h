/* What every heuristic must do, whatever the instance. */
#ifndef EDGEFW_TESTS_SUPPORT_HEURISTIC_RANDOM_H
#define EDGEFW_TESTS_SUPPORT_HEURISTIC_RANDOM_H

#include "support/heuristic_case.h"

/* Give the heuristic other options: one key. */
void heuristic_set(heuristic_case *h, const char *key, const char *value);

/* All starts of random instances of every kind (support/routing_case.h), with a depot or without:
 * each tour is a solution, the same when it is made again, and costs no less than the best one. */
void heuristic_check_random(const heuristic_case *h, bool depot, uint64_t cases);

#endif
