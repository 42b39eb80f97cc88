/* edgefw serve: requests on stdin, answers on stdout, a line each. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/context.h"
#include "cli/cli.h"
#include "cli/signals.h"
#include "serve/server.h"

/* Defaults. */
#define MEBIBYTE   ((int64_t)1 << 20)
#define QUEUE      64
#define MEBIBYTES  256
#define NODES      5000
#define SECONDS    60.0
#define MOST_TERMS 64 /* of threads, and of models */

static const edgefw__argument options[] = {
    {"--model", "-m", "CHECKPOINT.h5",
     "in place of the model shipped for its problem; may be repeated"},
    {"--no-model", NULL, NULL, "heuristics alone, not the shipped models"},
    {"--model-path", NULL, "DIR", "look for shipped models in DIR first; may be repeated"},
    {"--workers", NULL, "N", "requests that are worked on at once (default: all usable cores)"},
    {"--threads", NULL, "N", "threads of each of them (default: 1)"},
    {"--queue", NULL, "N", "requests that are read ahead at most (default: 64)"},
    {"--most-mib", NULL, "N", "size of a request, and of all in the queue, in MiB (default: 256)"},
    {"--most-nodes", NULL, "N", "nodes of an instance (default: 5000)"},
    {"--time-limit", NULL, "SECONDS", "of a request at most (default: 60)"},
    {"--starts", NULL, "N", "tours of each side where a request says nothing; 0: all (default: 1)"},
    {"--device", NULL, "NAME", "device that computes (default: auto)"},
    {"--precision", NULL, "NAME", "of its products: auto (the default), fp32, tf32 or bf16"},
    {0}};

/* The models of all problems; closed by close_models. */
typedef struct models {
  edgefw_model *items[MOST_TERMS];
  int64_t count;
} models;

static void close_models(models *all) {
  for (int64_t m = 0; m < all->count; ++m) edgefw_model_destroy(all->items[m]);
}

static const char *problem_of(const edgefw_model *model) {
  edgefw_model_info info = {.size = sizeof info};
  edgefw_model_describe(model, &info);
  return info.problem;
}

static bool is_served(const models *all, const char *problem) {
  for (int64_t m = 0; m < all->count; ++m)
    if (strcmp(problem_of(all->items[m]), problem) == 0) return true;
  return false;
}

static void tell(edgefw__cli *cli, const edgefw_model *model) {
  edgefw_model_info info = {.size = sizeof info};
  edgefw_model_describe(model, &info);
  edgefw_log(cli->ctx, EDGEFW_LOG_INFO, "%s: %s%s%s, on %s", info.problem,
             info.path ? info.path : "", info.path && *info.heuristics ? " and " : "",
             info.heuristics, info.device);
}

static edgefw_status open_one(edgefw__cli *cli, const edgefw_model_request *request, models *all) {
  if (all->count == MOST_TERMS)
    return edgefw_fail(cli->ctx, EDGEFW_CONFIG, "more than %d models", MOST_TERMS);
  const edgefw_status status = edgefw_model_open(cli->ctx, request, &all->items[all->count]);
  if (status != EDGEFW_OK) return status;
  const char *problem = problem_of(all->items[all->count]);
  if (is_served(all, problem)) {
    edgefw_model_destroy(all->items[all->count]);
    return edgefw_fail(cli->ctx, EDGEFW_CONFIG, "two models of the problem %s: give each once",
                       problem);
  }
  tell(cli, all->items[all->count++]);
  return EDGEFW_OK;
}

/* What there is for the problems of which no model was named. One of which there is nothing,
 * neither a model nor a heuristic that fits, keeps nobody from being served: it takes another to
 * fail. */
static edgefw_status open_others(edgefw__cli *cli, edgefw_model_request *request, models *all) {
  char first[EDGEFW__MESSAGE_SIZE] = "no problem is installed";
  bool any = false;
  for (size_t p = 0; p < edgefw__registry_count(cli->registry); ++p) {
    const edgefw__plugin *plugin = edgefw__registry_at(cli->registry, p);
    request->problem = plugin->descriptor->name;
    if (plugin->kind != EDGEFW_KIND_PROBLEM || is_served(all, request->problem)) continue;
    const edgefw_status status = open_one(cli, request, all);
    if (status == EDGEFW_OK) continue;
    if (status == EDGEFW_OUT_OF_MEMORY) return status;
    edgefw_log(cli->ctx, EDGEFW_LOG_WARNING, "the problem %s is not served: %s", request->problem,
               edgefw_message(cli->ctx));
    if (!any) snprintf(first, sizeof first, "%s", edgefw_message(cli->ctx));
    any = true;
    edgefw_clear(cli->ctx);
  }
  if (all->count > 0) return EDGEFW_OK;
  return edgefw_fail(cli->ctx, EDGEFW_CONFIG, "there is no problem to serve: %s", first);
}

/* Those that are named, then what there is for every other problem. */
static edgefw_status open_models(edgefw__cli *cli, const edgefw__arguments *arguments,
                                 models *all) {
  edgefw_model_request request = {.size = sizeof request};
  const char *path = NULL;
  request.device = edgefw__arguments_value(arguments, "--device", NULL);
  request.precision = edgefw__arguments_value(arguments, "--precision", NULL);
  edgefw_status status = edgefw__cli_folders(cli, arguments, "--plugin-path", &request.plugin_path);
  if (status == EDGEFW_OK)
    status = edgefw__cli_folders(cli, arguments, "--model-path", &request.model_path);
  for (int i = 0;
       status == EDGEFW_OK && (path = edgefw__arguments_value_at(arguments, "--model", i)) != NULL;
       ++i) {
    /* A file of this folder is a file, too. */
    request.model = strchr(path, '/') ? path : edgefw_arena_format(cli->arena, "./%s", path);
    status = request.model ? open_one(cli, &request, all) : edgefw_failure(cli->ctx);
  }
  request.model = edgefw__arguments_has(arguments, "--no-model") ? "none" : NULL;
  return status == EDGEFW_OK ? open_others(cli, &request, all) : status;
}

static edgefw_status read_settings(const edgefw__arguments *arguments, edgefw_context *ctx,
                                   edgefw__server_settings *out) {
  int64_t mebibytes = MEBIBYTES;
  out->workers = edgefw_threads(ctx);
  out->threads = 1;
  out->queue = QUEUE;
  out->most_nodes = NODES;
  out->most_seconds = SECONDS;
  out->solve = (edgefw_solve_settings){.size = sizeof out->solve, .starts = 1};
  edgefw_status status = edgefw__arguments_integer(arguments, "--workers", 1, 1024, &out->workers);
  if (status == EDGEFW_OK)
    status = edgefw__arguments_integer(arguments, "--threads", 1, 1024, &out->threads);
  if (status == EDGEFW_OK)
    status = edgefw__arguments_integer(arguments, "--queue", 1, 1000000, &out->queue);
  if (status == EDGEFW_OK)
    status = edgefw__arguments_integer(arguments, "--most-mib", 1, 1 << 20, &mebibytes);
  if (status == EDGEFW_OK)
    status =
        edgefw__arguments_integer(arguments, "--most-nodes", 2, EDGEFW_MAX_NODES, &out->most_nodes);
  if (status == EDGEFW_OK)
    status = edgefw__arguments_integer(arguments, "--starts", 0, INT32_MAX, &out->solve.starts);
  if (status == EDGEFW_OK)
    status = edgefw__arguments_positive(arguments, "--time-limit", &out->most_seconds);
  out->most_bytes = (size_t)(mebibytes * MEBIBYTE);
  return status;
}

static edgefw_status command(edgefw__cli *cli, const edgefw__arguments *arguments) {
  static const char *const no_words[] = {NULL};
  edgefw__server_settings settings = {.input = STDIN_FILENO, .output = STDOUT_FILENO};
  models all = {.count = 0};
  edgefw_status status = edgefw__arguments_words(arguments, no_words);
  if (status == EDGEFW_OK) status = read_settings(arguments, cli->ctx, &settings);
  if (status == EDGEFW_OK && edgefw__arguments_has(arguments, "--no-model") &&
      edgefw__arguments_has(arguments, "--model"))
    status =
        edgefw_fail(cli->ctx, EDGEFW_CONFIG, "--no-model beside --model: leave one of them out");
  if (status == EDGEFW_OK) status = edgefw__cli_open(cli, arguments);
  if (status == EDGEFW_OK) status = open_models(cli, arguments, &all);
  settings.models = all.items;
  settings.model_count = all.count;
  settings.stop = edgefw__signals_catch();
  if (status == EDGEFW_OK) {
    (void)signal(SIGPIPE, SIG_IGN); /* a write tells it */
    status = edgefw__serve(cli->ctx, &settings);
  }
  close_models(&all);
  return status;
}

const edgefw__command edgefw__command_serve = {
    .name = "serve",
    .summary = "answer requests on stdin, a line of JSON each",
    .usage = "[--model CHECKPOINT.h5]... [--no-model] [--model-path DIR] [--workers N]\n"
             "[--threads N] [--queue N] [--most-mib N] [--most-nodes N] [--time-limit SECONDS]\n"
             "[--starts N] [--device NAME] [--precision NAME]",
    .details =
        "Reads a request a line from stdin and writes an answer a line to stdout, in the same\n"
        "order; models stay in memory in between. Made to sit behind a web server, inetd, systemd\n"
        "or a pipe:\n"
        "\n"
        "  {\"id\": 7, \"matrix\": [[0, 3, 9], [4, 0, 2], [8, 5, 0]]}\n"
        "  {\"id\":7,\"status\":\"OK\",\"problem\":\"atsp\",\"cost\":13,\"tour\":[0,1,2],...}\n"
        "\n"
        "A request has a \"matrix\" (row = from, column = to, null: no such way) or \"points\", "
        "and\n"
        "with vehicles \"demands\", a \"capacity\" and a \"depot\"; nodes count from 0. What is "
        "wrong\n"
        "with a request is its answer, {\"id\":7,\"status\":\"FORMAT\",...}, and ends nothing. "
        "All\n"
        "members, answers and limits: docs/serving.md.\n"
        "\n"
        "Every problem has the model that is shipped for it, or --model, and all heuristics that "
        "fit;\n"
        "one with neither is not served, which the log says.\n"
        "A request that says nothing else gets one tour of each side, improved by local search:\n"
        "\"starts\": 0, \"kicks\" and \"time_limit\" take more time and find better ones. When as "
        "many\n"
        "requests wait as --queue says, no more are read until one is answered. The end of stdin\n"
        "ends it behind the last answer, and so do SIGTERM, SIGHUP and Ctrl-C.\n",
    .options = options,
    .run = command};
