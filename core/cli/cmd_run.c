/* edgefw run: an experiment from its configuration to its table. */
#include <string.h>

#include "base/hash.h"
#include "cli/cli.h"
#include "edgefw/version.h"
#include "experiment/estimate.h"
#include "experiment/follow.h"
#include "experiment/run.h"

static const edgefw__argument options[] = {
    {"--set", NULL, "SECTION.KEY=VALUE", "override a key for all variants; may be repeated"},
    {"--only", NULL, "STEP[,STEP]", "do only these steps: train, eval, diagnostics"},
    {"--variant", NULL, "NAME", "do only this variant"},
    {"--shard", NULL, "I/N",
     "evaluate the I-th of N parts of the test sets alone, of what is trained"},
    {"--out", "-o", "DIR", "run directory (default: runs/NAME)"},
    {"--fresh", NULL, NULL, "discard what an earlier run left in the run directory"},
    {"--dry-run", NULL, NULL,
     "print the resolved configuration, parameters, memory and time, and stop"},
    {0}};

/* "train", "eval", "diagnostics", "train,eval", ... */
static edgefw_status parse_steps(edgefw__cli *cli, const char *text, unsigned *steps) {
  static const struct {
    const char *name;
    unsigned step;
  } known[] = {{"train", EDGEFW__RUN_TRAIN},
               {"eval", EDGEFW__RUN_EVAL},
               {"diagnostics", EDGEFW__RUN_DIAGNOSE}};
  for (const char *at = text; text; ++at) {
    const size_t length = strcspn(at, ",");
    unsigned step = 0;
    for (size_t k = 0; k < sizeof known / sizeof *known; ++k)
      if (strlen(known[k].name) == length && strncmp(at, known[k].name, length) == 0)
        step = known[k].step;
    if (!step)
      return edgefw_fail(cli->ctx, EDGEFW_CONFIG,
                         "--only '%s': the steps are train, eval and diagnostics", text);
    *steps |= step;
    at += length;
    if (!*at) break;
  }
  return EDGEFW_OK;
}

static edgefw_status dry_run(edgefw__cli *cli, const edgefw__arguments *arguments,
                             const edgefw__config *config) {
  edgefw__text text = {.ctx = cli->ctx};
  if (edgefw__arguments_has(arguments, "--shard"))
    return edgefw_fail(cli->ctx, EDGEFW_CONFIG,
                       "--dry-run tells what the whole run would take: leave out --shard");
  if (!edgefw__group_leads(cli->group)) return EDGEFW_OK;
  const edgefw_status status = edgefw__estimate(cli->ctx, cli->registry, cli->group, config, &text);
  if (status == EDGEFW_OK) return edgefw__cli_print(cli, &text);
  edgefw__text_release(&text);
  return status;
}

/* A shard evaluates, as one process, and nothing else. */
static edgefw_status read_shard(edgefw__cli *cli, const edgefw__arguments *arguments,
                                unsigned steps, edgefw__shard *out) {
  const char *text = edgefw__arguments_value(arguments, "--shard", NULL);
  if (!text) return EDGEFW_OK;
  const edgefw_status status = edgefw__shard_parse(cli->ctx, text, out);
  if (status != EDGEFW_OK) return status;
  if (steps & ~(unsigned)EDGEFW__RUN_EVAL)
    return edgefw_fail(cli->ctx, EDGEFW_CONFIG,
                       "--shard %s evaluates: leave out --only, and train without --shard before",
                       text);
  if (edgefw__group_is_shared(cli->group))
    return edgefw_fail(cli->ctx, EDGEFW_CONFIG,
                       "--shard %s is one process, and %s started %d: start one for each shard",
                       text, cli->group->launcher, cli->group->ranks);
  return EDGEFW_OK;
}

static edgefw_status run(edgefw__cli *cli, const edgefw__arguments *arguments,
                         const edgefw__config *config) {
  edgefw__run_request request = {.registry = cli->registry,
                                 .config = config,
                                 .group = cli->group,
                                 .folder = edgefw__arguments_value(arguments, "--out", NULL),
                                 .fresh = edgefw__arguments_has(arguments, "--fresh"),
                                 .variant = edgefw__arguments_value(arguments, "--variant", NULL),
                                 .observer = edgefw__live_show,
                                 .user = &cli->live,
                                 .sink = edgefw__live_log,
                                 .sink_user = &cli->live};
  edgefw_status status =
      parse_steps(cli, edgefw__arguments_value(arguments, "--only", NULL), &request.steps);
  edgefw__shard shard = {0};
  if (status == EDGEFW_OK) status = read_shard(cli, arguments, request.steps, &shard);
  if (status != EDGEFW_OK) return status;
  if (shard.count > 0) {
    request.shard = &shard;
    request.steps = EDGEFW__RUN_EVAL;
  }
  if (!edgefw__group_leads(cli->group))
    return edgefw__experiment_follow(cli->ctx, cli->registry, config, cli->group);
  edgefw__text table = {.ctx = cli->ctx};
  status = edgefw__experiment_run(cli->ctx, &request, &table);
  edgefw__group_dismiss(cli->group);
  edgefw__live_clear(&cli->live);
  if (status == EDGEFW_OK) return edgefw__cli_print(cli, &table);
  edgefw__text_release(&table);
  cli->resumable = status == EDGEFW_INTERRUPTED;
  return status;
}

/* Ranks of other programs or configurations would train each its own model in part. */
static edgefw_status compare_ranks(const edgefw__cli *cli, const edgefw__config *config) {
  uint64_t hash = edgefw__hash_add(EDGEFW__HASH_EMPTY, EDGEFW_VERSION, sizeof EDGEFW_VERSION);
  edgefw_status status = edgefw__group_compare(cli->group, hash, "version of edgefw");
  hash = edgefw__hash_add(EDGEFW__HASH_EMPTY, config->text, strlen(config->text));
  if (status == EDGEFW_OK) status = edgefw__group_compare(cli->group, hash, "configuration");
  return status;
}

static edgefw_status command(edgefw__cli *cli, const edgefw__arguments *arguments) {
  static const char *const words[] = {"CONFIG.ini", NULL};
  const char *const *sets = NULL;
  int count = 0;
  edgefw__config *config = NULL;
  edgefw_status status = edgefw__arguments_words(arguments, words);
  if (status == EDGEFW_OK)
    status = edgefw__arguments_values(arguments, cli->arena, "--set", &sets, &count);
  if (status == EDGEFW_OK) status = edgefw__cli_open(cli, arguments);
  if (status == EDGEFW_OK)
    status = edgefw__cli_blame_input(
        cli,
        edgefw__config_load(cli->ctx, cli->registry, arguments->words[0], sets, count, &config));
  /* One rank's configuration may be out of its reach, or another. */
  status = edgefw__group_agree(cli->group, status);
  if (status == EDGEFW_OK) status = compare_ranks(cli, config);
  if (status == EDGEFW_OK)
    status = edgefw__arguments_has(arguments, "--dry-run") ? dry_run(cli, arguments, config)
                                                           : run(cli, arguments, config);
  edgefw__config_destroy(config);
  return status;
}

const edgefw__command edgefw__command_run = {
    .name = "run",
    .summary = "train and evaluate the variants of an experiment",
    .usage = "CONFIG.ini [--set SECTION.KEY=VALUE]... [--only STEP[,STEP]] [--variant NAME]\n"
             "[--shard I/N] [--out DIR] [--fresh] [--dry-run]",
    .details =
        "The run directory (runs/NAME, NAME being [experiment] name) gets the resolved\n"
        "configuration, checkpoints, metrics, results, the table, the figures, and report.html, a\n"
        "page with all of it (see 'edgefw help report'). Running again goes on where it stopped:\n"
        "finished training, test sets and diagnostics are skipped, and the\n"
        "result is the same as without interruption. Ctrl-C, SIGTERM and SIGHUP save the state\n"
        "first. Test sets are evaluated again when their files have changed; a checkpoint of\n"
        "another configuration, reference costs of other instances and a folder that another\n"
        "process works in are refused.\n"
        "\n"
        "--shard 2/8 evaluates an eighth of the instances, for job arrays and machines that do "
        "not\n"
        "know of each other: variants with a model must be trained before (--only train), and the\n"
        "results go to shards/2-of-8 in the run directory, where 'edgefw report merge' finds "
        "them.\n"
        "\n"
        "Started by mpirun or srun as several processes it shares out training and test sets, "
        "with\n"
        "the same results (docs/distributed.md).\n",
    .options = options,
    .shares = true,
    .run = command};
