/* The figure of one solution: a closed tour, or routes from a depot. */
#ifndef EDGEFW__TOUR_FIGURE_H
#define EDGEFW__TOUR_FIGURE_H

#include "files/reference_kind.h"
#include "report/figure.h"
#include "report/placement.h"

typedef struct edgefw__tour_figure {
  const char *name;  /* of the files, without an ending */
  const char *title; /* any text: what cannot be shown becomes '?' */
  const edgefw_problem *problem;
  const edgefw_instance *instance;
  const int32_t *tour; /* (count) nodes in order of visit, closed; depots may repeat at the end */
  int64_t count;
  edgefw__placement place;
} edgefw__tour_figure;

/* Write the figure: NAME.csv (a row for each arc: route,from,to,cost and the positions of both
 * ends, nodes from 0), NAME.gp, and the drawings (`kinds`). Routes have a colour each and the depot
 * a square. Where costs are directed, an arrowhead on each arc shows its direction; positions by
 * classical scaling are said to be such below the figure. */
EDGEFW_NODISCARD edgefw_status edgefw__tour_figure_write(edgefw__figures *figures,
                                                         const edgefw__tour_figure *figure,
                                                         unsigned kinds);

/* What a title says of a solution: "NAME: n = 17, cost 39, gap 0.00 %". */
typedef struct edgefw__tour_facts {
  const char *name; /* a long one is cut */
  int64_t n;        /* nodes, a depot included */
  int64_t routes;   /* 0 where there is no depot */
  double cost;
  double gap_percent;                    /* NaN: no reference cost is at hand */
  edgefw__reference_kind reference_kind; /* what the gap is to */
  int64_t forbidden_arcs;                /* that the solution uses */
} edgefw__tour_facts;

/* A name as titles show it: a long one is cut, what cannot be shown is '?'. NULL when out of memory
 * (recorded). */
const char *edgefw__tour_short_name(edgefw_arena *arena, const char *name);

/* NULL when out of memory (recorded). */
const char *edgefw__tour_title(edgefw_arena *arena, const edgefw__tour_facts *facts);

/* Routes of a solution that begins at the depot: those with customers. */
int64_t edgefw__tour_routes(const int32_t *tour, int64_t count);

#endif
