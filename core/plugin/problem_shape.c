/* What follows from a problem's declarations. */
#include "plugin/problem_shape.h"

bool edgefw__problem_has_depot(const edgefw_problem *problem) {
  return problem->start == EDGEFW_START_EACH_CUSTOMER;
}

int64_t edgefw__problem_nodes(const edgefw_problem *problem, int64_t size) {
  return size + (edgefw__problem_has_depot(problem) ? 1 : 0);
}

int64_t edgefw__problem_steps(const edgefw_problem *problem, int64_t n) {
  return edgefw__problem_has_depot(problem) ? 2 * n : n;
}

int edgefw__problem_resources(const edgefw_problem *problem) {
  int count = 0;
  while (problem->resources && count < EDGEFW_MAX_RESOURCES && problem->resources[count].name)
    ++count;
  return count;
}
