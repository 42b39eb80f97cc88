/* edgefw data: making datasets and looking at them. */
#include <inttypes.h>

#include "base/json.h"
#include "cli/cli.h"
#include "cli/problem_options.h"
#include "data/dataset.h"
#include "data/generate.h"
#include "device/memory.h"
#include "plugin/problem_shape.h"

/* --- generate --- */

static const edgefw__argument generate_options[] = {
    EDGEFW__PROBLEM_ARGUMENTS,
    {"--size", NULL, "N", "nodes of an instance; customers, where there is a depot (required)"},
    {"--count", NULL, "K", "number of instances (default: 1000)"},
    {"--seed", NULL, "S", "seed of the sequence (default: 2026)"},
    {"--threads", NULL, "N", "number of threads (default: all usable cores)"},
    {"--output", "-o", "FILE.h5", "the file to write (required)"},
    {0}};

/* Instances that are in memory at once: about this many numbers. */
#define BATCH_NUMBERS 4000000

typedef struct generation {
  const edgefw__plugin *problem;
  edgefw_options *options;
  int64_t n, count, seed;
  const char *path;
} generation;

static edgefw_status read_generation(edgefw__cli *cli, const edgefw__arguments *arguments,
                                     generation *g) {
  const char *name = edgefw__arguments_value(arguments, "--problem", NULL);
  static const char *const words[] = {NULL};
  *g = (generation){
      .count = 1000, .seed = 2026, .path = edgefw__arguments_value(arguments, "--output", NULL)};
  int64_t threads = 0;
  edgefw_status status = edgefw__arguments_words(arguments, words);
  if (status == EDGEFW_OK)
    status = edgefw__arguments_integer(arguments, "--size", 1, EDGEFW_MAX_NODES, &g->n);
  if (status == EDGEFW_OK)
    status = edgefw__arguments_integer(arguments, "--count", 1, INT32_MAX, &g->count);
  if (status == EDGEFW_OK)
    status = edgefw__arguments_integer(arguments, "--seed", 0, INT64_MAX, &g->seed);
  if (status == EDGEFW_OK)
    status = edgefw__arguments_integer(arguments, "--threads", 0, 1024, &threads);
  if (status == EDGEFW_OK && (!name || !g->n || !g->path))
    status = edgefw_fail(cli->ctx, EDGEFW_CONFIG, "%s is missing",
                         !name   ? "--problem"
                         : !g->n ? "--size"
                                 : "--output");
  if (status == EDGEFW_OK) status = edgefw__cli_open(cli, arguments);
  if (status == EDGEFW_OK)
    status = edgefw__cli_problem(cli, arguments, name, &g->problem, &g->options);
  if (status == EDGEFW_OK) g->n = edgefw__problem_nodes(&g->problem->vtable.problem, g->n);
  if (status == EDGEFW_OK && g->n < g->problem->vtable.problem.min_nodes)
    status = edgefw_fail(cli->ctx, EDGEFW_CONFIG,
                         "--size: %" PRId64 " nodes; %s needs at least %" PRId64 " nodes", g->n,
                         name, g->problem->vtable.problem.min_nodes);
  edgefw_set_threads(cli->ctx, (int)threads);
  return status;
}

static edgefw_status fill(edgefw__cli *cli, const generation *g, const edgefw_kernels *kernels,
                          edgefw__generator_pool *pool, edgefw__batch *batch,
                          edgefw__dataset_writer *writer) {
  edgefw_status status = EDGEFW_OK;
  for (int64_t first = 0; status == EDGEFW_OK && first < g->count; first += batch->count) {
    if (edgefw_interrupted(cli->ctx))
      return edgefw_fail(cli->ctx, EDGEFW_INTERRUPTED, "interrupted; %s is not written", g->path);
    const int64_t left = g->count - first;
    const int64_t count = left < batch->capacity ? left : batch->capacity;
    status = edgefw__generate_batch(
        cli->ctx, pool,
        &(edgefw__generate_request){.problem = &g->problem->vtable.problem,
                                    .options = g->options,
                                    .shortest_paths = kernels->shortest_paths,
                                    .seed = (uint64_t)g->seed,
                                    .first_id = (uint64_t)first,
                                    .count = count},
        batch);
    if (status == EDGEFW_OK) status = edgefw__dataset_append(writer, batch);
    edgefw__live_show(&cli->live, &(edgefw__run_progress){.variant = "generating",
                                                          .what = g->path,
                                                          .done = (double)(first + count),
                                                          .total = (double)g->count,
                                                          .remaining = -1.0});
  }
  return status;
}

/* The system would end a program that takes more memory than there is, without a word. */
static edgefw_status check_memory(edgefw__cli *cli, const generation *g, int64_t batch) {
  size_t all = 0, largest = 0; /* numbers of an instance, and of its largest field */
  for (const edgefw_field *field = g->problem->vtable.problem.fields; field->name; ++field) {
    const size_t count = (size_t)edgefw_field_count(field->shape, g->n);
    all += count;
    if (count > largest) largest = count;
  }
  const size_t needed = all * (size_t)batch * sizeof(double) +
                        largest * (sizeof(double) + sizeof(int32_t)) + /* the writer's row */
                        largest * sizeof(int32_t) * (size_t)edgefw_threads(cli->ctx);
  const size_t available = edgefw__physical_memory();
  if (needed <= available) return EDGEFW_OK;
  return edgefw_fail(cli->ctx, EDGEFW_OUT_OF_MEMORY,
                     "--size %" PRId64
                     ": %zu MiB are needed with %d threads, %zu MiB are available",
                     g->n, needed >> 20, edgefw_threads(cli->ctx), available >> 20);
}

static edgefw_status write_dataset(edgefw__cli *cli, const generation *g) {
  edgefw_context *ctx = cli->ctx;
  const edgefw_field *fields = g->problem->vtable.problem.fields;
  const int64_t room = BATCH_NUMBERS / (g->n * g->n) + 1;
  const int64_t most = room < g->count ? room : g->count;
  edgefw__engine engine;
  edgefw__batch *batch = NULL;
  edgefw__generator_pool *pool = NULL;
  edgefw__dataset_writer *writer = NULL;
  edgefw_status status = edgefw__engine_open(ctx, cli->registry, "auto", &engine);
  if (status != EDGEFW_OK) return status;
  edgefw__engine_tell(&engine, EDGEFW_LOG_DEBUG);
  status = check_memory(cli, g, most);
  if (status == EDGEFW_OK) status = edgefw__generator_pool_create(ctx, &pool);
  if (status == EDGEFW_OK) edgefw__generator_pool_use(pool, engine.kernels, engine.device);
  if (status == EDGEFW_OK) status = edgefw__batch_create(ctx, fields, most, g->n, &batch);
  if (status == EDGEFW_OK)
    status = edgefw__dataset_create(ctx, g->path, g->problem->descriptor->name,
                                    edgefw__cli_problem_text(g->options, "distribution"),
                                    (uint64_t)g->seed, fields, g->count, g->n, &writer);
  if (status == EDGEFW_OK) status = fill(cli, g, engine.kernels, pool, batch, writer);
  if (status == EDGEFW_OK)
    status = edgefw__dataset_finish(writer);
  else
    edgefw__dataset_abandon(writer);
  edgefw__batch_destroy(ctx, batch);
  edgefw__generator_pool_destroy(ctx, pool);
  edgefw__engine_close(&engine);
  return status;
}

static edgefw_status generate(edgefw__cli *cli, const edgefw__arguments *arguments) {
  generation g;
  edgefw_status status = read_generation(cli, arguments, &g);
  if (status == EDGEFW_OK) status = write_dataset(cli, &g);
  if (status == EDGEFW_OK)
    edgefw_log(cli->ctx, EDGEFW_LOG_INFO, "%s: %" PRId64 " instances of %" PRId64 " nodes", g.path,
               g.count, g.n);
  return status;
}

const edgefw__command edgefw__command_data_generate = {
    .name = "data generate",
    .summary = "write a dataset of generated instances",
    .usage = "--problem NAME --size N -o FILE.h5 [--count K] [--seed S] [--threads N]\n"
             "[--set problem.KEY=VALUE]...",
    .details = "Instance i of a seed is the same in every dataset and on every machine.\n",
    .options = generate_options,
    .run = generate};

/* --- info --- */

static const edgefw__argument info_options[] = {{"--json", NULL, NULL, "print it as JSON"}, {0}};

/* Reference costs of which the file does not say what they are were found by somebody. */
static edgefw__reference_kind kind_of(const edgefw__dataset_summary *s) {
  return s->reference_kind ? s->reference_kind : EDGEFW__REFERENCE_BEST_KNOWN;
}

static void add_plain(const char *path, const edgefw__dataset_summary *s, edgefw__text *text) {
  edgefw__text_add(text, "%s: dataset\n", path);
  edgefw__text_add(text, "  problem       %s\n", s->problem);
  if (*s->distribution) edgefw__text_add(text, "  distribution  %s\n", s->distribution);
  if (s->has_seed) edgefw__text_add(text, "  seed          %" PRIu64 "\n", s->seed);
  edgefw__text_add(text, "  instances     %" PRId64 "\n", s->count);
  if (s->n) edgefw__text_add(text, "  nodes         %" PRId64 "\n", s->n);
  for (int f = 0; f < s->field_count; ++f)
    edgefw__text_add(text, "  field         %s (%s)\n", s->fields[f].name, s->fields[f].storage);
  edgefw__text_add(text, "  references    %s\n",
                   s->has_reference ? edgefw__reference_kind_name(kind_of(s)) : "no");
  if (s->has_labels) edgefw__text_add(text, "  labels        yes\n");
}

static void add_json(const char *path, const edgefw__dataset_summary *s, edgefw__text *text) {
  edgefw__text_add(text, "{\"path\": ");
  edgefw__json_string(text, path);
  edgefw__text_add(text, ", \"problem\": ");
  edgefw__json_string(text, s->problem);
  edgefw__text_add(text, ", \"distribution\": ");
  edgefw__json_string(text, *s->distribution ? s->distribution : NULL);
  if (s->has_seed) edgefw__text_add(text, ", \"seed\": %" PRIu64, s->seed);
  edgefw__text_add(text, ", \"instances\": %" PRId64 ", \"nodes\": %" PRId64 ", \"fields\": [",
                   s->count, s->n);
  for (int f = 0; f < s->field_count; ++f) {
    edgefw__text_add(text, "%s{\"name\": ", f ? ", " : "");
    edgefw__json_string(text, s->fields[f].name);
    edgefw__text_add(text, ", \"storage\": ");
    edgefw__json_string(text, s->fields[f].storage);
    edgefw__text_add(text, "}");
  }
  edgefw__text_add(
      text, "], \"references\": %s, \"reference_kind\": ", s->has_reference ? "true" : "false");
  edgefw__json_string(text, s->has_reference ? edgefw__reference_kind_name(kind_of(s)) : NULL);
  edgefw__text_add(text, ", \"labels\": %s}\n", s->has_labels ? "true" : "false");
}

static edgefw_status info(edgefw__cli *cli, const edgefw__arguments *arguments) {
  static const char *const words[] = {"FILE.h5", NULL};
  edgefw__dataset_summary summary;
  edgefw_status status = edgefw__arguments_words(arguments, words);
  if (status == EDGEFW_OK) status = edgefw__dataset_info(cli->ctx, arguments->words[0], &summary);
  if (status != EDGEFW_OK) return status;
  edgefw__text text = {.ctx = cli->ctx};
  if (edgefw__arguments_has(arguments, "--json"))
    add_json(arguments->words[0], &summary, &text);
  else
    add_plain(arguments->words[0], &summary, &text);
  return edgefw__cli_print(cli, &text);
}

const edgefw__command edgefw__command_data_info = {.name = "data info",
                                                   .summary = "describe a dataset",
                                                   .usage = "FILE.h5 [--json]",
                                                   .details = "",
                                                   .options = info_options,
                                                   .run = info};
