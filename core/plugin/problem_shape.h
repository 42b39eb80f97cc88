/* What follows from a problem's declarations: depot, sizes, resources. */
#ifndef EDGEFW__PROBLEM_SHAPE_H
#define EDGEFW__PROBLEM_SHAPE_H

#include "edgefw/problem.h"

/* Has the problem a depot (node 0)? */
bool edgefw__problem_has_depot(const edgefw_problem *problem);

/* Nodes of an instance of `size`, which is what configurations count: customers, where there is a
 * depot. */
int64_t edgefw__problem_nodes(const edgefw_problem *problem, int64_t size);

/* Entries of a tour for n nodes: n, with a depot 2n (problem.h). */
int64_t edgefw__problem_steps(const edgefw_problem *problem, int64_t n);

/* Resources that a visit uses up. */
int edgefw__problem_resources(const edgefw_problem *problem);

#endif
