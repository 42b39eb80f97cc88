/* Loads: a problem whose vtable ends before the members about library files. */
#include "good_problem.h"

typedef struct older_problem {
  size_t size;
  const edgefw_field *fields;
  const char *objective, *coordinates;
  const edgefw_resource *resources;
  edgefw_start_rule start;
  edgefw_closing_rule closing;
  uint32_t query;
  edgefw_solution_format solution;
  int64_t min_nodes;
  edgefw_status (*generate)(edgefw_generator *, const edgefw_options *, edgefw_instance *);
  bool (*takes_tmat)(const edgefw_options *);
  bool (*near_by_points)(const edgefw_options *);
  edgefw_status (*accept)(edgefw_context *, const edgefw_options *, edgefw_instance *);
  edgefw_status (*check)(edgefw_context *, const edgefw_options *, const edgefw_instance *,
                         const int32_t *, int64_t, double *);
} older_problem;

/* What follows the vtable in memory must not be taken for its members. */
static const struct {
  older_problem vtable;
  void *garbage[4];
} old = {{.size = sizeof(older_problem), GOOD_PROBLEM, .check = good_check},
         {(void *)8, (void *)8, (void *)8, (void *)8}};

EDGEFW_PLUGIN(EDGEFW_KIND_PROBLEM, "older_problem", "1.0", "a fixture", &old.vtable, NULL);
