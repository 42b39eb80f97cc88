/* Solutions that lie beside library files: X-n101-k25.sol beside X-n101-k25.vrp, br17.tour or
 * br17.opt.tour beside br17.atsp. */
#ifndef EDGEFW__KNOWN_SOLUTION_H
#define EDGEFW__KNOWN_SOLUTION_H

#include "edgefw/arena.h"
#include "edgefw/problem.h"

/* The best known solution of an instance, as far as its folder knows one. */
typedef struct edgefw__known_solution {
  const char *path; /* of the file; NULL: there is none that checks */
  int32_t *tour;    /* (count) as the problem's `check` takes it; no depot at the end */
  int64_t count;
  double cost; /* as `check` prices it on the instance */
  bool stated; /* does the file state its cost? */
  double stated_cost;
} edgefw__known_solution;

/* Read the solution in `path`, a tour or routes as those of `problem` are, and let the problem,
 * whose options are `options`, price it on `instance`, which it has accepted. Its tour is taken
 * from `arena`; what the file states is not compared. IO, FORMAT (with line), MISMATCH (nodes are
 * missing), CHECK_FAILED with node and place, OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__known_solution_read(edgefw_context *ctx, edgefw_arena *arena,
                                                           const edgefw_problem *problem,
                                                           const edgefw_options *options,
                                                           const edgefw_instance *instance,
                                                           const char *path,
                                                           edgefw__known_solution *out);

/* Paths, in the order of their names. */
typedef struct edgefw__known_paths {
  const char **paths;
  int64_t count;
} edgefw__known_paths;

/* The files beside library file `path` that are called like solutions of it, in `arena`; they are
 * not looked into. None if the folder cannot be read. OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__known_solution_list(edgefw_context *ctx, edgefw_arena *arena,
                                                           edgefw_solution_format format,
                                                           const char *path,
                                                           edgefw__known_paths *out);

/* Look for solutions of `instance`, read from library file `path` and accepted by `problem`, whose
 * options are `options`: files in the same folder that are called as it is, but for their extension
 * (.sol where solutions are routes, .tour and .opt.tour where they are tours; any case, also with
 * .gz). One that is damaged, that is no solution, or whose cost is not what it states, rounded to
 * the digits that it states, is passed over with a warning. Of the others the cheapest is *out, of
 * equals the first by name; its texts and numbers are taken from `arena`. Only OUT_OF_MEMORY fails.
 */
EDGEFW_NODISCARD edgefw_status edgefw__known_solution_find(edgefw_context *ctx, edgefw_arena *arena,
                                                           const edgefw_problem *problem,
                                                           const edgefw_options *options,
                                                           const edgefw_instance *instance,
                                                           const char *path,
                                                           edgefw__known_solution *out);

/* Is `price` the cost that a file states, rounded to the digits that it states? */
bool edgefw__known_solution_prices_to(double price, double stated);

#endif
