/* The variables of launchers. */
#include "group/launch.h"

#include <errno.h>
#include <stdlib.h>

#define MOST_RANKS 1000000

/* A launcher's variables. */
typedef struct variables {
  const char *launcher, *rank, *ranks;
} variables;

static const variables known[] = {{"mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                  {"mpiexec", "PMI_RANK", "PMI_SIZE"},
                                  {"srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};
static const variables torchrun = {"torchrun", "RANK", "WORLD_SIZE"};

/* A whole number in [0, most]; -1 for anything else. */
static long number_of(const char *text, long most) {
  char *end = NULL;
  errno = 0;
  const long number = strtol(text, &end, 10);
  return errno == 0 && end != text && *end == '\0' && number >= 0 && number <= most ? number : -1;
}

/* Do the variables say that there are several processes? */
static edgefw_status read_variables(edgefw_context *ctx, const variables *v, edgefw__launch *out,
                                    bool *found) {
  const char *rank = getenv(v->rank), *ranks = getenv(v->ranks);
  *found = false;
  if (!rank || !ranks) return EDGEFW_OK;
  const long count = number_of(ranks, MOST_RANKS), number = number_of(rank, MOST_RANKS);
  if (count < 1 || number < 0 || number >= count)
    return edgefw_fail(ctx, EDGEFW_CONFIG,
                       "%s = '%s' and %s = '%s', as %s sets them: expected a number of processes "
                       "and a rank below it; unset both to run one process",
                       v->ranks, ranks, v->rank, rank, v->launcher);
  *found = count > 1;
  if (*found) *out = (edgefw__launch){(int)number, (int)count, v->launcher};
  return EDGEFW_OK;
}

edgefw_status edgefw__launch_find(edgefw_context *ctx, edgefw__launch *out) {
  bool found = false;
  edgefw_status status = EDGEFW_OK;
  *out = (edgefw__launch){.ranks = 1};
  for (size_t k = 0; status == EDGEFW_OK && !found && k < sizeof known / sizeof *known; ++k)
    status = read_variables(ctx, &known[k], out, &found);
  if (status != EDGEFW_OK || found) return status;
  edgefw__launch torch;
  status = read_variables(ctx, &torchrun, &torch, &found);
  if (status != EDGEFW_OK || !found) return status;
  return edgefw_fail(ctx, EDGEFW_CONFIG,
                     "RANK = %d and WORLD_SIZE = %d are set, as torchrun sets them, which edgefw "
                     "does not know; start it with mpirun -n %d, or unset both to run one process",
                     torch.rank, torch.ranks, torch.ranks);
}
