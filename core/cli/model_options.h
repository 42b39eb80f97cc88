/* The options by which commands take a trained model and say how it decodes. */
#ifndef EDGEFW__CLI_MODEL_OPTIONS_H
#define EDGEFW__CLI_MODEL_OPTIONS_H

#include "cli/cli.h"
#include "eval/inputs.h"
#include "eval/trained.h"

/* The entries for a command's table. */
/* clang-format off */
#define EDGEFW__MODEL_ARGUMENTS                                                                    \
    {"--model", "-m", "CHECKPOINT.h5", "trained model (default of solve: the shipped one)"},             \
    {"--starts", NULL, "N", "solutions from N starts (default: as the model's evaluation, or all)"}, \
    {"--sample", NULL, "N", "sample N times from every start, in place of greedy decoding"},       \
    {"--augment", NULL, "8", "try the symmetries of the square too (coordinate problems)"},        \
    {"--improve", NULL, "none|local",                                                              \
     "improve every rollout by local search, or not (default: local in solve, none in eval)"},     \
    {"--beam", NULL, "W", "search with beams of W tours from every start, beside the rollouts"},      \
    {"--reconstruct", NULL, "N",                                                                   \
     "have the policy decode stretches of the best tour again, in N rounds of all rollouts"},      \
    {"--kicks", NULL, "N",                                                                         \
     "then exchange random stretches of the best tour N times and improve it again"},              \
    {"--fixed", NULL, "LIST",                                                                      \
     "nodes that the tour begins with, as solutions count them: 5,3,8 (0: back to the depot); stops " \
     "of a matrix as its file counts them"},    \
    {"--start", NULL, "FILE|FOLDER",                                                               \
     "begin with this solution of the input: the answer is no worse; a folder has one of each"},   \
    {"--forbidden", NULL, "VALUE",                                                                 \
     "arcs of this cost or more (0 or less: of exactly this) are forbidden, or none"},             \
    {"--batch", NULL, "N", "instances of a set at once (default: what suits the device)"},         \
    {"--reference", NULL, "FILE.csv",                                                              \
     "costs to compare with: instance,cost of a set, or set,name,n,optimum of library files"},     \
    {"--device", NULL, "NAME", "device that computes (default: auto)"},                            \
    {"--precision", NULL, "NAME", "of its products: auto (the default), fp32, tf32 or bf16"},      \
    {"--threads", NULL, "N", "number of threads (default: all usable cores)"}
/* clang-format on */

/* Find the plugins and open the model of --model on the device asked for. Close `out` with
 * edgefw__trained_close, also after a failure. CONFIG, and as edgefw__trained_open. */
EDGEFW_NODISCARD edgefw_status edgefw__cli_trained(edgefw__cli *cli,
                                                   const edgefw__arguments *arguments,
                                                   edgefw__trained *out);

/* The same without --model, for the problem of --problem, else that of the files which the words
 * name (eval/file_problem.h): with `shipped` the model that is shipped for it (eval/shipped.h), if
 * there is one, else heuristics: those of --construct, else all that fit. CONFIG also for options
 * that need a model where there is none. As edgefw__words_problem, edgefw__shipped_open and
 * edgefw__untrained_open. */
EDGEFW_NODISCARD edgefw_status edgefw__cli_unnamed(edgefw__cli *cli,
                                                   const edgefw__arguments *arguments, bool shipped,
                                                   edgefw__trained *out);

/* Change *out, which holds the command's defaults, by the options above and by --seed, where the
 * command has it. CONFIG. */
EDGEFW_NODISCARD edgefw_status edgefw__cli_settings(edgefw__cli *cli,
                                                    const edgefw__arguments *arguments,
                                                    const edgefw__model *model,
                                                    edgefw__eval_settings *out);

/* Have the input begin with the solution of --start, or each with its own of such a folder, if the
 * option is given. As edgefw__start_assign. */
EDGEFW_NODISCARD edgefw_status edgefw__cli_start(edgefw__cli *cli,
                                                 const edgefw__arguments *arguments,
                                                 const edgefw_problem *problem,
                                                 edgefw__inputs *inputs);

/* Have the inputs that are files follow --forbidden, if it is given. CONFIG. */
EDGEFW_NODISCARD edgefw_status edgefw__cli_forbidden(edgefw__cli *cli,
                                                     const edgefw__arguments *arguments,
                                                     edgefw__inputs *inputs);

#endif
