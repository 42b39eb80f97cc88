/* A problem plugin: what an instance is, how a tour is built and what it costs. It declares; the
 * core rolls out. See docs/plugin-tutorial.md for how a plugin is built. */
#ifndef EDGEFW_PROBLEM_H
#define EDGEFW_PROBLEM_H

#include "edgefw/instance.h"
#include "edgefw/options.h"
#include "edgefw/tsplib.h"

EDGEFW_BEGIN_DECLS

/* Where the rollouts of one instance start. */
typedef enum edgefw_start_rule {
  EDGEFW_START_EACH_NODE = 1, /* rollout s starts at node s; at most n rollouts */
  /* Node 0 is a depot: rollout s starts there and goes to customer s + 1; at most n - 1 rollouts.
   */
  EDGEFW_START_EACH_CUSTOMER = 2
} edgefw_start_rule;

/* The node that closes a route: the target of the last edge and the `closing` node of look-ups. */
typedef enum edgefw_closing_rule {
  EDGEFW_CLOSE_AT_START = 1, /* the rollout's first node */
  EDGEFW_CLOSE_AT_DEPOT = 2  /* node 0 */
} edgefw_closing_rule;

/* What the decoder's query is made of besides the current node. */
enum { EDGEFW_QUERY_FIRST = 1 << 0 /* the rollout's first node */ };

/* File format of a solution. */
typedef enum edgefw_solution_format {
  EDGEFW_SOLUTION_TOUR = 1,  /* TSPLIB TOUR: 1-based nodes, -1 at the end */
  EDGEFW_SOLUTION_ROUTES = 2 /* VRPLIB: "Route #k: ...", customers from 1, then "Cost c" */
} edgefw_solution_format;

/* Something that a route carries and that visits use up, such as a load. A route starts with what
 * `capacity` says, visiting node j takes demand[j], the depot refills. A node is masked while its
 * demand exceeds what is left by more than edgefw_load_tolerance (instance.h), which is 0 where all
 * demands and the capacity are whole numbers; `check` allows as much. The decoder's query sees
 * left / capacity. A table of them ends with an entry whose name is NULL. Only for problems with a
 * depot. */
#define EDGEFW_MAX_RESOURCES 2

typedef struct edgefw_resource {
  const char *name;     /* "load" */
  const char *demand;   /* NODE field, 0 at the depot */
  const char *capacity; /* SCALAR field, above 0 */
} edgefw_resource;

/* The key `forbidden` of [problem], for the option table of a problem whose instances may come as
 * matrices: arcs that no tour is to use are known by their cost. The core reads it and marks such
 * arcs (edgefw_instance.forbidden) before it calls `accept`. */
#define EDGEFW_FORBIDDEN_OPTION                                                                    \
  {                                                                                                \
    .key = "forbidden", .type = EDGEFW_OPTION_TEXT, .fallback = "none",                            \
    .help =                                                                                        \
        "in files and datasets, an arc that costs this much or more (a value of 0 or less: "       \
        "exactly this) must not be used; none: no number means that. Infinite costs and those "    \
        "that are no numbers always do"                                                            \
  }

/* Visits
 *   Without a depot a tour is a permutation of the n nodes. With one (EACH_CUSTOMER) it begins at
 *   node 0, visits every customer once, returns to node 0 whenever it likes, never twice in a row,
 *   and is padded at its end with node 0, 2n entries in all.
 *
 * All functions may be called from several threads at once, on different instances. They return
 * OK or fail with a message that names instance, place and value. */
typedef struct edgefw_problem {
  size_t size; /* sizeof(edgefw_problem): which members this plugin knows */

  const edgefw_field *fields; /* required: the instance schema */
  const char *objective;      /* required: PAIR field whose entries a tour adds up */
  const char *coordinates;    /* POINT field, in the unit square: the problem is the same under
                                 the square's 8 symmetries (augmentation); NULL: none */
  const edgefw_resource *resources; /* what visits use up; NULL: nothing */

  edgefw_start_rule start;         /* required */
  edgefw_closing_rule closing;     /* required */
  uint32_t query;                  /* EDGEFW_QUERY_* */
  edgefw_solution_format solution; /* required */
  int64_t min_nodes;               /* smallest n that makes sense */

  /* Required. Fill out->data for instance out->id with out->n nodes. Called once per generated
   * instance; what it writes must depend on options, seed, id and n alone. */
  edgefw_status (*generate)(edgefw_generator *generator, const edgefw_options *options,
                            edgefw_instance *out);

  /* Optional (NULL: no). Do generated instances take edgefw_generate_tmat for all their nodes, with
   * these options? A device may then make the matrices of a whole batch at once. */
  bool (*takes_tmat)(const edgefw_options *options);

  /* Optional (NULL: no). With these options, is nearness of nodes (edgefw_graph_nearness) measured
   * by the distances of `coordinates`, as the networks see them, in place of the objective's
   * entries? */
  bool (*near_by_points)(const edgefw_options *options);

  /* Required. Bring an instance from a file or dataset into canonical form (zero diagonal) and
   * refuse what the problem does not admit (INFEASIBLE or FORMAT). */
  edgefw_status (*accept)(edgefw_context *ctx, const edgefw_options *options,
                          edgefw_instance *instance);

  /* Required. The independent checker: is `tour` (count nodes, in order of visit) a solution, and
   * what does it cost in the instance's units? Shares nothing with the decoder: it looks at the
   * instance and the nodes alone. CHECK_FAILED if the tour is no solution. */
  edgefw_status (*check)(edgefw_context *ctx, const edgefw_options *options,
                         const edgefw_instance *instance, const int32_t *tour, int64_t count,
                         double *cost);

  /* Optional (NULL: the problem reads no library files). Number of nodes that a parsed file has
   * for this problem; UNSUPPORTED with the reason if it cannot be read as one. */
  edgefw_status (*file_nodes)(edgefw_context *ctx, const edgefw_options *options,
                              const edgefw_tsplib *file, int64_t *nodes);

  /* Required with file_nodes. Fill out->data from the file; `accept` is called afterwards. */
  edgefw_status (*read)(edgefw_context *ctx, const edgefw_options *options,
                        const edgefw_tsplib *file, edgefw_instance *out);
} edgefw_problem;

EDGEFW_END_DECLS

#endif
