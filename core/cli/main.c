/* edgefw: the program. */
#include "cli/cli.h"

static const edgefw__command *const commands[] = {&edgefw__command_run,
                                                  &edgefw__command_solve,
                                                  &edgefw__command_data_generate,
                                                  &edgefw__command_data_info,
                                                  &edgefw__command_plugins_list,
                                                  &edgefw__command_plugins_info,
                                                  &edgefw__command_plugins_check,
                                                  &edgefw__command_model_info,
                                                  &edgefw__command_help,
                                                  &edgefw__command_version,
                                                  NULL};

int main(int argc, char **argv) {
  return edgefw__cli_main(commands, argc, argv);
}
