/* A problem with one key, for tests of configurations. */
#include "good_problem.h"

static const edgefw_option options[] = {
    {"scale", EDGEFW_OPTION_REAL, "1.5", NULL, "factor of all costs", 0.5, 100}, {0}};

static const edgefw_problem problem = {.size = sizeof problem, GOOD_PROBLEM, .check = good_check};

EDGEFW_PLUGIN(EDGEFW_KIND_PROBLEM, "toy", "1.0", "a problem for tests", &problem, options);
