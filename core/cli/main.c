/* edgefw: the program. */
#include <hdf5.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/cli.h"
#include "plugin/blas_core.h"

/* Waiting OpenMP threads spin by default, which makes everything several times slower as soon as
 * another program wants a core; threads that sleep at once are late for each of the many short
 * loops of a small model. So let them spin for some 20 microseconds. */
static bool spin_briefly(void) {
  if (getenv("OMP_WAIT_POLICY") || setenv("OMP_WAIT_POLICY", "passive", 0) != 0) return false;
  setenv("GOMP_SPINCOUNT", "1000", 0);
  return true;
}

/* OpenBLAS takes a processor that is newer than itself for an old one. */
static bool choose_blas_kernels(void) {
  const char *core = edgefw__blas_core_missed();
  return core && setenv("OPENBLAS_CORETYPE", core, 0) == 0;
}

/* Libraries read their settings when they are loaded, before main: set them and start over. What is
 * set is not set again, so this happens once. */
static void set_up_libraries(char **argv) {
  const bool spins = spin_briefly(), chosen = choose_blas_kernels();
  if (spins || chosen)
    execv("/proc/self/exe", argv); /* returns only if it fails: slow, but right */
}

static const edgefw__command *const commands[] = {&edgefw__command_run,
                                                  &edgefw__command_solve,
                                                  &edgefw__command_serve,
                                                  &edgefw__command_eval,
                                                  &edgefw__command_check,
                                                  &edgefw__command_plot_tour,
                                                  &edgefw__command_report_merge,
                                                  &edgefw__command_report,
                                                  &edgefw__command_bench,
                                                  &edgefw__command_data_generate,
                                                  &edgefw__command_data_import,
                                                  &edgefw__command_data_info,
                                                  &edgefw__command_data_reference,
                                                  &edgefw__command_data_label,
                                                  &edgefw__command_plugins_list,
                                                  &edgefw__command_plugins_info,
                                                  &edgefw__command_plugins_check,
                                                  &edgefw__command_plugins_matrix,
                                                  &edgefw__command_model_info,
                                                  &edgefw__command_model_import,
                                                  &edgefw__command_model_export,
                                                  &edgefw__command_help,
                                                  &edgefw__command_version,
                                                  NULL};

int main(int argc, char **argv) {
  set_up_libraries(argv);
  H5dont_atexit(); /* after a damaged file HDF5 would complain while closing */
  return edgefw__cli_main(commands, argc, argv);
}
