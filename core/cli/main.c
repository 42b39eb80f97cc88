/* edgefw: the program. */
#include <hdf5.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/cli.h"

/* Waiting OpenMP threads spin by default, which makes everything several times slower as soon as
 * another program wants a core; threads that sleep at once are late for each of the many short
 * loops of a small model. So let them spin for some 20 microseconds. The library reads its settings
 * when it is loaded, before main: set them and start over, once. */
static void spin_briefly(char **argv) {
  if (getenv("OMP_WAIT_POLICY") || setenv("OMP_WAIT_POLICY", "passive", 0) != 0) return;
  setenv("GOMP_SPINCOUNT", "1000", 0);
  execv("/proc/self/exe", argv); /* returns only if it fails: then we spin */
}

static const edgefw__command *const commands[] = {
    &edgefw__command_run,          &edgefw__command_solve,          &edgefw__command_eval,
    &edgefw__command_check,        &edgefw__command_plot_tour,      &edgefw__command_report,
    &edgefw__command_bench,        &edgefw__command_data_generate,  &edgefw__command_data_import,
    &edgefw__command_data_info,    &edgefw__command_data_reference, &edgefw__command_plugins_list,
    &edgefw__command_plugins_info, &edgefw__command_plugins_check,  &edgefw__command_plugins_matrix,
    &edgefw__command_model_info,   &edgefw__command_model_import,   &edgefw__command_model_export,
    &edgefw__command_help,         &edgefw__command_version,        NULL};

int main(int argc, char **argv) {
  spin_briefly(argv);
  H5dont_atexit(); /* after a damaged file HDF5 would complain while closing */
  return edgefw__cli_main(commands, argc, argv);
}
