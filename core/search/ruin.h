/* Kicks of routes by ruin and recreate: strings of customers near each other are taken out of their
 * routes and put back greedily (Christiaens and Vanden Berghe 2020, "Slack induction by string
 * removals for vehicle routing problems"; here with directions of arcs, any number of resources,
 * and a new route wherever that costs least). */
#ifndef EDGEFW__RUIN_H
#define EDGEFW__RUIN_H

#include "search/route_lists.h"

/* Most customers that one ruin takes out. */
#define EDGEFW__RUIN_MOST 64

/* Nodes listed for each customer, where there are as many: those near to it, and those that arcs
 * into it come from and out of it lead to most cheaply. */
#define EDGEFW__RUIN_NEAR 48
#define EDGEFW__RUIN_ENDS 16

/* Most nodes of an instance whose costs are kept a second time. */
#define EDGEFW__RUIN_TURNED 2000

/* Neighbour lists, nearest first, of equal ones the lower number first. */
typedef struct edgefw__ruin_near {
  int64_t each;   /* as many as said above, or n - 2 if that is less */
  int64_t ends;   /* the same, or n - 1 */
  int32_t *near;  /* (n,each) customers, by the cheaper of the two arcs between them */
  int32_t *tails; /* (n,ends) nodes, the depot among them, by their arcs to the customer */
  int32_t *heads; /* (n,ends) by the arcs from it */
  double
      *turned; /* (n,n) costs, row = to, for reading arcs to a customer in a row; NULL: too many */
} edgefw__ruin_near;

/* Bytes of the lists for n nodes, or fewer. */
size_t edgefw__ruin_near_bytes(int64_t n);

/* Fill the lists of an instance, in `memory` of that size. */
void edgefw__ruin_near_find(const edgefw_route_plan *plan, void *memory, edgefw__ruin_near *out);

/* Random numbers of one ruin and its repair (splitmix64: Steele, Lea and Flood 2014). */
typedef struct edgefw__ruin_random {
  uint64_t state;
} edgefw__ruin_random;

/* What was taken out, and the routes that it was taken out of or put into. */
typedef struct edgefw__ruined {
  int32_t customers[EDGEFW__RUIN_MOST];
  int count;
  int32_t routes[2 * EDGEFW__RUIN_MOST];
  int touched;
  int strings; /* of them the first, which have lost a string */
} edgefw__ruined;

/* Take strings of customers out, near to one that is drawn. Returns what the routes cost less. */
double edgefw__ruin(edgefw__route_lists *lists, const edgefw__ruin_near *near,
                    edgefw__ruin_random *random, edgefw__ruined *ruined);

/* Put all customers of `ruined` back, one after the other, where each costs least: beside the nodes
 * that its arcs lead to and come from most cheaply, or, where none of these routes has room, in
 * any, or in a new one; now and then a place is passed over. Returns what the routes cost more. */
double edgefw__recreate(edgefw__route_lists *lists, const edgefw__ruin_near *near,
                        edgefw__ruin_random *random, edgefw__ruined *ruined);

/* A number in [0, 1), and a whole one in [0, bound). */
double edgefw__ruin_unit(edgefw__ruin_random *random);
int64_t edgefw__ruin_below(edgefw__ruin_random *random, int64_t bound);

#endif
