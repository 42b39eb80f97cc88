/* The options by which commands name a problem: --problem NAME and --set problem.KEY=VALUE. */
#ifndef EDGEFW__CLI_PROBLEM_OPTIONS_H
#define EDGEFW__CLI_PROBLEM_OPTIONS_H

#include "cli/cli.h"
#include "plugin/options.h"

/* The entries for a command's table. */
#define EDGEFW__PROBLEM_ARGUMENTS                                                                  \
  {"--problem", NULL, "NAME", "problem plugin (required)"}, {                                      \
    "--set", NULL, "problem.KEY=VALUE", "set a key of the problem; may be repeated"                \
  }

/* Find the problem called `name` and read all "--set problem.KEY=VALUE" as its options; plugins are
 * open (edgefw__cli_open). PLUGIN_FIND, CONFIG. */
EDGEFW_NODISCARD edgefw_status edgefw__cli_problem(edgefw__cli *cli,
                                                   const edgefw__arguments *arguments,
                                                   const char *name, const edgefw__plugin **problem,
                                                   edgefw_options **options);

/* What the problem's key `key` says as text; "" if there is no such key. */
const char *edgefw__cli_problem_text(const edgefw_options *options, const char *key);

/* What it says as a number above 0; false if it says none. */
bool edgefw__cli_problem_number(const edgefw_options *options, const char *key, double *out);

#endif
