/* Loads: a problem of more nodes than any instance of a configuration has that says nothing. */
#include "good_problem.h"

static const edgefw_problem problem = {.size = sizeof problem,
                                       .fields = good_fields,
                                       .objective = "cost",
                                       .start = EDGEFW_START_EACH_NODE,
                                       .closing = EDGEFW_CLOSE_AT_START,
                                       .query = EDGEFW_QUERY_FIRST,
                                       .solution = EDGEFW_SOLUTION_TOUR,
                                       .min_nodes = 5000,
                                       .generate = good_generate,
                                       .accept = good_accept,
                                       .check = good_check};

EDGEFW_PLUGIN(EDGEFW_KIND_PROBLEM, "large", "1.0", "a problem for tests", &problem, NULL);
