/* edgefw data import: datasets of other programs' files. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/text_file.h"
#include "cli/cli.h"
#include "cli/problem_options.h"
#include "data/import.h"
#include "device/memory.h"
#include "files/library_files.h"

static const edgefw__argument import_options[] = {
    EDGEFW__PROBLEM_ARGUMENTS,
    {"--output", "-o", "FILE.h5", "the dataset to write (required)"},
    {"--field", NULL, "NAME=NUMBER",
     "value of a field with one number per instance; may be repeated"},
    {"--divide-by", NULL, "NUMBER",
     "what costs in an .npz file are divided by (default: see above)"},
    {0}};

typedef struct importing {
  edgefw__cli *cli;
  edgefw__import import;
  double began;
} importing;

static void show(void *user, int64_t done, int64_t count) {
  importing *i = user;
  const double seconds = edgefw__seconds() - i->began;
  const double rate = seconds > 0.0 ? (double)done / seconds : 0.0;
  edgefw__live_show(
      &i->cli->live,
      &(edgefw__run_progress){.variant = "importing",
                              .what = i->import.output,
                              .done = (double)done,
                              .total = (double)count,
                              .rate = rate,
                              .remaining = rate > 0.0 ? (double)(count - done) / rate : -1.0,
                              .score = (double)NAN});
}

/* --- Values of fields --- */

static const edgefw_field *scalar_field(const edgefw_problem *problem, const char *name) {
  for (const edgefw_field *field = problem->fields; field->name; ++field)
    if (field->shape == EDGEFW_FIELD_SCALAR && strcmp(field->name, name) == 0) return field;
  return NULL;
}

/* "--field NAME=NUMBER", all of them, then the problem's own keys that are called like a field. */
static edgefw_status read_values(importing *i, const edgefw__arguments *arguments,
                                 const edgefw_options *options) {
  edgefw__cli *cli = i->cli;
  edgefw__import_value *values = edgefw_arena_take(
      cli->arena, (size_t)arguments->given_count + EDGEFW_MAX_FIELDS, sizeof *values);
  if (!values) return edgefw_failure(cli->ctx);
  i->import.values = values;
  const char *text = NULL;
  for (int k = 0; (text = edgefw__arguments_value_at(arguments, "--field", k)) != NULL; ++k) {
    edgefw__import_value *value = &values[i->import.value_count++];
    const size_t length = strcspn(text, "=");
    char *name = edgefw_arena_format(cli->arena, "%.*s", (int)length, text);
    if (!name) return edgefw_failure(cli->ctx);
    value->field = name;
    if (!text[length] || !edgefw__parse_number(text + length + 1, &value->value))
      return edgefw_fail(cli->ctx, EDGEFW_CONFIG, "--field '%s': expected NAME=NUMBER", text);
    if (!scalar_field(i->import.problem, name))
      return edgefw_fail(cli->ctx, EDGEFW_CONFIG,
                         "--field '%s': the problem %s has no field '%s' with one number per "
                         "instance",
                         text, i->import.problem_name, name);
  }
  for (const edgefw_field *field = i->import.problem->fields; field->name; ++field) {
    edgefw__import_value *value = &values[i->import.value_count];
    *value = (edgefw__import_value){.field = field->name, .fallback = true};
    if (field->shape == EDGEFW_FIELD_SCALAR &&
        edgefw__cli_problem_number(options, field->name, &value->value))
      ++i->import.value_count;
  }
  return EDGEFW_OK;
}

/* --- Files --- */

static bool ends_in(const char *name, const char *ending) {
  const size_t length = strlen(name), tail = strlen(ending);
  return length > tail && strcmp(name + length - tail, ending) == 0;
}

/* --- The command --- */

static edgefw_status read_request(importing *i, const edgefw__arguments *arguments) {
  edgefw__cli *cli = i->cli;
  const char *name = edgefw__arguments_value(arguments, "--problem", NULL);
  const edgefw__plugin *problem = NULL;
  edgefw_options *options = NULL;
  i->import.output = edgefw__arguments_value(arguments, "--output", NULL);
  i->import.memory = edgefw__physical_memory();
  if (!arguments->word_count || !name || !i->import.output)
    return edgefw_fail(cli->ctx, EDGEFW_CONFIG, "%s is missing",
                       !arguments->word_count ? "FILE"
                       : !name                ? "--problem"
                                              : "--output");
  edgefw_status status = edgefw__arguments_positive(arguments, "--divide-by", &i->import.divide_by);
  if (status == EDGEFW_OK) status = edgefw__cli_open(cli, arguments);
  if (status == EDGEFW_OK) status = edgefw__cli_problem(cli, arguments, name, &problem, &options);
  if (status != EDGEFW_OK) return status;
  i->import.problem_name = problem->descriptor->name;
  i->import.problem = &problem->vtable.problem;
  i->import.options = options;
  return read_values(i, arguments, options);
}

static edgefw_status import(edgefw__cli *cli, const edgefw__arguments *arguments) {
  importing i = {.cli = cli, .began = edgefw__seconds()};
  i.import.observer = show;
  i.import.user = &i;
  edgefw__import_summary summary = {0};
  edgefw__library_files files = {0};
  edgefw_status status = read_request(&i, arguments);
  for (int w = 0; status == EDGEFW_OK && w < arguments->word_count; ++w)
    status = edgefw__library_files_add(cli->ctx, cli->arena, arguments->words[w], &files);
  if (status == EDGEFW_OK) {
    const bool npz = ends_in(files.paths[0], ".npz");
    if (npz && files.count > 1)
      status = edgefw_fail(cli->ctx, EDGEFW_CONFIG,
                           "'%s' is one argument too many: an .npz file is imported alone",
                           files.paths[1]);
    else if (npz)
      status = edgefw__import_npz(cli->ctx, &i.import, files.paths[0], &summary);
    else
      status = edgefw__import_files(cli->ctx, &i.import, files.paths, (int)files.count, &summary);
  }
  if (status == EDGEFW_OK)
    edgefw_log(cli->ctx, EDGEFW_LOG_INFO, "%s: %" PRId64 " instances of %" PRId64 " nodes",
               i.import.output, summary.count, summary.n);
  return status;
}

const edgefw__command edgefw__command_data_import = {
    .name = "data import",
    .summary = "write a dataset of NumPy arrays or library files",
    .usage = "FILE.npz --problem NAME -o FILE.h5 [--field NAME=NUMBER]... [--divide-by NUMBER]\n"
             "FILE.atsp... | FOLDER --problem NAME -o FILE.h5",
    .details =
        "Of an .npz file, a field takes the array of its name, and one with a number per pair of\n"
        "nodes also the array 'data' or 'dist'. A field with one number per instance (a capacity)\n"
        "may be given by --field instead, or by a key of the problem that has its name. Costs "
        "that\n"
        "are whole numbers, or of which one is above 1000, count as multiples of the field's "
        "scale\n"
        "(1e-6: they are divided by 10^6); --divide-by divides by another number, or by 1.\n"
        "Library files have one instance each, all of one size; of a folder those are taken that\n"
        "end in .atsp, .tsp or .vrp, by name.\n",
    .options = import_options,
    .run = import};
