/* A graph of five nodes for a problem with costs and coordinates, and a builder to declare terms.
 */
#ifndef EDGEFW_TESTS_SUPPORT_TERM_FIXTURE_H
#define EDGEFW_TESTS_SUPPORT_TERM_FIXTURE_H

#include "nn/graph.h"
#include "policy/term_builder.h"
#include "support/tiny_model.h"

typedef struct term_fixture {
  tiny_model tiny;
  edgefw__parameters *parameters;
  edgefw_graph *graph;
  edgefw_decode_plan plan;
  edgefw_term_builder builder;
  edgefw_value cost;   /* a pair table */
  edgefw_value points; /* a node table of width 2 */
} term_fixture;

/* CMocka's set-up and tear-down of a group, whose state is a term_fixture: device and context. */
int term_fixture_open(void **state);
int term_fixture_close(void **state);

/* Those of each test: an empty graph and plan. */
int term_fixture_begin(void **state);
int term_fixture_end(void **state);

#endif
