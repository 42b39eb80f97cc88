/* edgefw report merge: the shards of a run joined. */
#include <unistd.h>

#include "base/path.h"
#include "cli/cli.h"
#include "experiment/run.h"

static const edgefw__argument options[] = {
    {"--set", NULL, "SECTION.KEY=VALUE",
     "override a key that says how the work is done, such as experiment.device; may be repeated"},
    {0}};

/* The configuration as the first run has it, or, where only shards have been made, the first shard.
 */
static edgefw_status load(edgefw__cli *cli, const edgefw__arguments *arguments,
                          const edgefw__shards *shards, edgefw__config **out) {
  const char *const *sets = NULL;
  int count = 0;
  const char *of_run = edgefw__path_join(cli->arena, arguments->words[0], "config.ini");
  const char *of_shard = edgefw__path_join(cli->arena, shards->items[0].folder, "config.ini");
  if (!of_run || !of_shard) return edgefw_failure(cli->ctx);
  const char *path = access(of_run, R_OK) == 0 ? of_run : of_shard;
  const edgefw_status status =
      edgefw__arguments_values(arguments, cli->arena, "--set", &sets, &count);
  if (status != EDGEFW_OK) return status;
  return edgefw__cli_blame_input(
      cli, edgefw__config_load(cli->ctx, cli->registry, path, sets, count, out));
}

static edgefw_status merge(edgefw__cli *cli, const edgefw__arguments *arguments,
                           const edgefw__config *config, const edgefw__shards *shards) {
  edgefw__text table = {.ctx = cli->ctx};
  const edgefw__run_request request = {.registry = cli->registry,
                                       .config = config,
                                       .folder = arguments->words[0],
                                       .steps = EDGEFW__RUN_EVAL,
                                       .shards = shards,
                                       .sink = edgefw__live_log,
                                       .sink_user = &cli->live};
  const edgefw_status status = edgefw__experiment_run(cli->ctx, &request, &table);
  if (status == EDGEFW_OK) return edgefw__cli_print(cli, &table);
  edgefw__text_release(&table);
  return status;
}

static edgefw_status command(edgefw__cli *cli, const edgefw__arguments *arguments) {
  edgefw__shards shards;
  edgefw__config *config = NULL;
  if (arguments->word_count == 0)
    return edgefw_fail(cli->ctx, EDGEFW_CONFIG, "RUN is missing; see 'edgefw help report merge'");
  edgefw_status status = edgefw__cli_open(cli, arguments);
  if (status == EDGEFW_OK)
    status =
        edgefw__shards_open(cli->ctx, cli->arena, arguments->words, arguments->word_count, &shards);
  if (status == EDGEFW_OK) status = load(cli, arguments, &shards, &config);
  if (status == EDGEFW_OK) status = merge(cli, arguments, config, &shards);
  edgefw__config_destroy(config);
  return status;
}

const edgefw__command edgefw__command_report_merge = {
    .name = "report merge",
    .summary = "the shards of a run (run --shard) joined",
    .usage = "RUN... [--set SECTION.KEY=VALUE]...",
    .details =
        "A RUN is a run directory that 'edgefw run CONFIG.ini --shard I/N' has worked in. All its\n"
        "shards, and those of further ones where the shards were computed on machines without a\n"
        "common file system, are joined in the first RUN: results, tables, figures and page are\n"
        "those of a run that was never split, but for times. Each of the N shards must be there\n"
        "once and finished, and all of one configuration, or nothing is written; a set whose "
        "model\n"
        "or files are others than the run has now is refused when it is reached. 'edgefw run' "
        "goes\n"
        "on from there, for instance with diagnostics.\n",
    .options = options,
    .run = command};
