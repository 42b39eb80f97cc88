/* See term_fixture.h. */
#include "support/term_fixture.h"

#include "support/test.h"

#include <stdlib.h>

static const edgefw_field fields[] = {{.name = "cost", .shape = EDGEFW_FIELD_PAIR},
                                      {.name = "coords", .shape = EDGEFW_FIELD_POINT},
                                      {.name = NULL}};
static const edgefw_problem problem = {.size = sizeof problem, .fields = fields};

int term_fixture_open(void **state) {
  term_fixture *f = calloc(1, sizeof *f);
  tiny_begin(&f->tiny, NULL, TINY_PLAIN, "reference64");
  *state = f;
  return 0;
}

int term_fixture_close(void **state) {
  term_fixture *f = *state;
  tiny_close(&f->tiny);
  free(f);
  return 0;
}

int term_fixture_begin(void **state) {
  term_fixture *f = *state;
  tiny_ok(&f->tiny, edgefw__parameters_create(f->tiny.ctx, f->tiny.engine.kernels,
                                              f->tiny.engine.device, &f->parameters));
  tiny_ok(&f->tiny, edgefw__graph_create(f->parameters, &problem, NULL, 5, &f->graph));
  f->plan = (edgefw_decode_plan){0};
  f->builder = (edgefw_term_builder){.graph = f->graph, .plan = &f->plan};
  f->cost = edgefw_graph_zscore(f->graph, edgefw_graph_field(f->graph, "cost"));
  f->points = edgefw_graph_input(f->graph, "coords", EDGEFW_INPUT_RAW, NULL);
  return 0;
}

int term_fixture_end(void **state) {
  term_fixture *f = *state;
  edgefw__graph_destroy(f->graph);
  edgefw__parameters_destroy(f->parameters);
  edgefw_clear(f->tiny.ctx);
  return 0;
}
