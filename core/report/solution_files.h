/* Where solutions are written: one file, or a folder that gets a file for each instance. */
#ifndef EDGEFW__SOLUTION_FILES_H
#define EDGEFW__SOLUTION_FILES_H

#include "eval/inputs.h"
#include "report/solution_text.h"

typedef struct edgefw__solution_files {
  const edgefw_problem *problem;
  const edgefw__inputs *inputs;
  const char *target;         /* the file or the folder; NULL: nothing is written */
  edgefw__solution_form form; /* the problem's own, unless the caller changes it after planning */
  const char **names; /* (inputs->count) files below the folder, without ending; NULL: one file */
} edgefw__solution_files;

/* Decide where the solutions of `inputs` go, and make the folder. `target` is a folder if there is
 * more than one instance, if there is a folder of that name, or if it ends in '/'; else it is the
 * file. In a folder an input NAME.vrp becomes NAME.sol or NAME.tour, instance 7 of the dataset
 * NAME.h5, or of another file of several, NAME/7.sol; where inputs share a NAME, more of their
 * paths takes part in it. Texts are in `arena`; problem and inputs outlive *out. CONFIG: `target`
 * is a file and there are several instances, or one and the same input twice; IO. */
EDGEFW_NODISCARD edgefw_status edgefw__solution_files_plan(edgefw_context *ctx, edgefw_arena *arena,
                                                           const char *target,
                                                           const edgefw_problem *problem,
                                                           const edgefw__inputs *inputs,
                                                           edgefw__solution_files *out);

/* Write the solution of an instance of `input`, one of the inputs. It appears whole or not at all.
 * `scratch` takes its path. IO, OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__solution_files_write(edgefw_context *ctx,
                                                            edgefw_arena *scratch,
                                                            const edgefw__solution_files *files,
                                                            const edgefw__input *input,
                                                            const edgefw__eval_answer *answer);

#endif
