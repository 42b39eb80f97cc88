/* edgefw bench: how fast a composition runs on this machine. */
#include <string.h>

#include "base/text_file.h"
#include "bench/bench_compare.h"
#include "bench/bench_json.h"
#include "bench/bench_table.h"
#include "cli/cli.h"
#include "data/batch.h"

static const edgefw__argument options[] = {
    {"--problem", NULL, "NAME", "problem plugin (default: the first one)"},
    {"--backbone", NULL, "NAME", "backbone plugin (default: the first one that fits)"},
    {"--terms", NULL, "LIST", "score terms, separated by commas, or none (default: all that fit)"},
    {"--width", NULL, "D", "embedding width of the backbone (default: its own)"},
    {"--set", NULL, "KEY=VALUE", "set section.key of the configuration; may be repeated"},
    {"--only", NULL, "LIST", "sections out of ops, eval, train (default: all)"},
    {"--sizes", NULL, "LIST", "nodes (default: 20,50,100,200,500,1000)"},
    {"--batch", NULL, "N", "instances at once (default: by size; in training, train.batch)"},
    {"--repeat", NULL, "N", "runs of each measurement (default: those of about two seconds)"},
    {"--device", NULL, "NAME", "device that computes (default: auto)"},
    {"--precision", NULL, "NAME", "of its products: auto (the default), fp32, tf32 or bf16"},
    {"--threads", NULL, "N", "number of threads (default: all usable cores)"},
    {"--compare", NULL, "FILE", "how many times as fast it is as in this earlier output of --json"},
    {"--json", NULL, NULL, "print one JSON document in place of tables"},
    {0}};

/* The next item of a list at *text, without blanks around it; false at its end. */
static bool next_item(const char **text, char *item, size_t size) {
  if (!*text) return false;
  const char *begin = *text + strspn(*text, " ");
  const char *comma = strchr(begin, ',');
  size_t length = comma ? (size_t)(comma - begin) : strlen(begin);
  *text = comma ? comma + 1 : NULL;
  while (length > 0 && begin[length - 1] == ' ') --length;
  if (length >= size) length = size - 1;
  memcpy(item, begin, length);
  item[length] = '\0';
  return true;
}

static edgefw_status read_sections(edgefw_context *ctx, const edgefw__arguments *arguments,
                                   uint32_t *out) {
  const char *rest = edgefw__arguments_value(arguments, "--only", NULL);
  char item[32];
  while (next_item(&rest, item, sizeof item)) {
    uint32_t section = EDGEFW__BENCH_TRAIN;
    while (section && strcmp(item, edgefw__bench_section_name(section)) != 0) section >>= 1;
    if (!section)
      return edgefw_fail(ctx, EDGEFW_CONFIG, "--only '%s': expected a list of ops, eval, train",
                         item);
    *out |= section;
  }
  return EDGEFW_OK;
}

static edgefw_status read_sizes(edgefw_context *ctx, const edgefw__arguments *arguments,
                                edgefw__bench_settings *settings) {
  const char *rest = edgefw__arguments_value(arguments, "--sizes", NULL);
  char item[32];
  while (next_item(&rest, item, sizeof item)) {
    if (settings->size_count == EDGEFW__BENCH_MAX_SIZES)
      return edgefw_fail(ctx, EDGEFW_CONFIG, "--sizes: more than %d sizes",
                         EDGEFW__BENCH_MAX_SIZES);
    int64_t n = 0;
    if (!edgefw__parse_integer(item, &n) || n < 2 || n > EDGEFW_MAX_NODES)
      return edgefw_fail(ctx, EDGEFW_CONFIG,
                         "--sizes '%s': expected whole numbers in [2, %d], separated by commas",
                         item, EDGEFW_MAX_NODES);
    settings->sizes[settings->size_count++] = n;
  }
  return EDGEFW_OK;
}

static edgefw_status read_sets(edgefw__cli *cli, const edgefw__arguments *arguments,
                               edgefw__bench_settings *settings) {
  const char **sets =
      edgefw_arena_take(cli->arena, (size_t)arguments->given_count + 1, sizeof *sets);
  if (!sets) return edgefw_failure(cli->ctx);
  const char *set = NULL;
  while ((set = edgefw__arguments_value_at(arguments, "--set", settings->set_count)) != NULL)
    sets[settings->set_count++] = set;
  settings->sets = sets;
  return EDGEFW_OK;
}

static edgefw_status read_settings(edgefw__cli *cli, const edgefw__arguments *arguments,
                                   edgefw__bench_settings *out) {
  int64_t repeat = 0, threads = 0;
  *out = (edgefw__bench_settings){
      .problem = edgefw__arguments_value(arguments, "--problem", NULL),
      .backbone = edgefw__arguments_value(arguments, "--backbone", NULL),
      .terms = edgefw__arguments_value(arguments, "--terms", NULL),
      .device = edgefw__arguments_value(arguments, "--device", NULL),
      .precision = edgefw__arguments_value(arguments, "--precision", NULL)};
  edgefw_status status = read_sections(cli->ctx, arguments, &out->sections);
  if (status == EDGEFW_OK) status = read_sizes(cli->ctx, arguments, out);
  if (status == EDGEFW_OK) status = read_sets(cli, arguments, out);
  if (status == EDGEFW_OK)
    status = edgefw__arguments_integer(arguments, "--width", 1, 1 << 20, &out->width);
  if (status == EDGEFW_OK)
    status = edgefw__arguments_integer(arguments, "--batch", 1, 1000000, &out->batch);
  if (status == EDGEFW_OK)
    status = edgefw__arguments_integer(arguments, "--repeat", 1, EDGEFW__TIMING_SAMPLES, &repeat);
  if (status == EDGEFW_OK)
    status = edgefw__arguments_integer(arguments, "--threads", 1, 1024, &threads);
  if (status == EDGEFW_OK && threads > 0) edgefw_set_threads(cli->ctx, (int)threads);
  out->repeat = (int)repeat;
  return status;
}

static edgefw_status print(edgefw__cli *cli, const edgefw__arguments *arguments,
                           const edgefw__bench_report *report,
                           const edgefw__bench_earlier *earlier) {
  edgefw__text text = {.ctx = cli->ctx};
  if (edgefw__arguments_has(arguments, "--json")) {
    edgefw__bench_json(report, earlier, &text);
  } else {
    edgefw__bench_table(report, &text);
    if (earlier) edgefw__bench_compare_table(report, earlier, &text);
  }
  return edgefw__cli_print(cli, &text);
}

static edgefw_status bench(edgefw__cli *cli, const edgefw__arguments *arguments) {
  static const char *const words[] = {NULL};
  const char *file = edgefw__arguments_value(arguments, "--compare", NULL);
  edgefw__bench_settings settings;
  edgefw__bench_earlier earlier = {0};
  edgefw__bench_report *report = NULL;
  edgefw_status status = edgefw__arguments_words(arguments, words);
  if (status == EDGEFW_OK) status = read_settings(cli, arguments, &settings);
  if (status == EDGEFW_OK && file) status = edgefw__bench_earlier_read(cli->ctx, file, &earlier);
  if (status == EDGEFW_OK) status = edgefw__cli_open(cli, arguments);
  settings.group = cli->group;
  if (status == EDGEFW_OK && cli->group && !edgefw__arguments_has(arguments, "--threads"))
    edgefw__group_set_threads(cli->group, cli->ctx, 0);
  if (status == EDGEFW_OK) status = edgefw__bench(cli->ctx, cli->registry, &settings, &report);
  if (status == EDGEFW_OK && edgefw__group_leads(cli->group))
    status = print(cli, arguments, report, file ? &earlier : NULL);
  edgefw__bench_report_destroy(report);
  edgefw__bench_earlier_close(&earlier);
  return status;
}

const edgefw__command edgefw__command_bench = {
    .name = "bench",
    .summary = "measure how fast a composition runs on this machine",
    .usage = "[--sizes LIST] [--only ops,eval,train] [--terms LIST] [--set KEY=VALUE]... "
             "[--compare FILE] [--json]",
    .details = "Every time is the median of several runs; shares are of the fastest matrix product "
               "that the\ndevice does in the same process. docs/performance.md explains the "
               "numbers. Unset\nOPENBLAS_CORETYPE and OPENBLAS_L2_SIZE for figures that compare. "
               "Started by mpirun,\n--only train tells what a step takes on several processes, and "
               "what of it is exchange.\n",
    .options = options,
    .shares = true,
    .run = bench};
