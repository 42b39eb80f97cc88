/* Was this process started by a launcher, beside others of the same run? */
#ifndef EDGEFW__LAUNCH_H
#define EDGEFW__LAUNCH_H

#include "edgefw/context.h"

typedef struct edgefw__launch {
  int rank, ranks;      /* of this process, and of all; 0 and 1 where it was started alone */
  const char *launcher; /* who set the variables: "mpirun", "srun", ...; NULL: nobody */
} edgefw__launch;

/* Read the variables by which launchers tell processes apart: those of Open MPI
 * (OMPI_COMM_WORLD_RANK and _SIZE), of PMI (PMI_RANK, PMI_SIZE), and of a step of Slurm
 * (SLURM_PROCID, SLURM_STEP_NUM_TASKS: in a batch script outside of steps there are several tasks
 * but one process). CONFIG for numbers that cannot be, and where torchrun started several processes
 * (RANK, WORLD_SIZE), with the command that would do. */
EDGEFW_NODISCARD edgefw_status edgefw__launch_find(edgefw_context *ctx, edgefw__launch *out);

#endif
