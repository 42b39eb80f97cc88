/* Stage member: the objective is no field. */
#include "good_problem.h"

static const edgefw_problem problem = {.size = sizeof problem,
                                       .fields = good_fields,
                                       .objective = "length",
                                       .start = EDGEFW_START_EACH_NODE,
                                       .closing = EDGEFW_CLOSE_AT_START,
                                       .solution = EDGEFW_SOLUTION_TOUR,
                                       .generate = good_generate,
                                       .accept = good_accept,
                                       .check = good_check};

EDGEFW_PLUGIN(EDGEFW_KIND_PROBLEM, "bad_objective", "1.0", "a fixture", &problem, NULL);
