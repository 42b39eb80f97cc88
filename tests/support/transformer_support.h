/* What the tests of the transformer backbones have in common. */
#ifndef EDGEFW_TESTS_SUPPORT_TRANSFORMER_SUPPORT_H
#define EDGEFW_TESTS_SUPPORT_TRANSFORMER_SUPPORT_H

/* Test the backbone of this name: its defaults, the published names of its parameters with and
 * without a depot, and what it refuses. Needs the plugins atsp, tsp and cvrp. Returns the number of
 * failures. */
int transformer_run_tests(char *backbone);

#endif
