/* On what a run was worked on: machine.csv in the run directory, one row for each machine, device
 * and setting, in the order of their first work. */
#ifndef EDGEFW__RUN_MACHINE_H
#define EDGEFW__RUN_MACHINE_H

#include "base/text.h"
#include "device/engine.h"
#include "edgefw/arena.h"

/* Add this process's row to FOLDER/machine.csv unless it is there. The file appears whole or not at
 * all; *changed becomes true if it was written. IO. A file that is damaged is begun anew. */
EDGEFW_NODISCARD edgefw_status edgefw__run_machine_note(const edgefw__engine *engine,
                                                        edgefw_arena *scratch, const char *folder,
                                                        bool *changed);

/* Add the rows of FROM/machine.csv that FOLDER/machine.csv lacks, in their order; likewise. */
EDGEFW_NODISCARD edgefw_status edgefw__run_machine_join(edgefw_context *ctx, edgefw_arena *scratch,
                                                        const char *from, const char *folder,
                                                        bool *changed);

#endif
