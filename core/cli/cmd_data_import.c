/* edgefw data import: datasets of other programs' files. */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/text_file.h"
#include "cli/instance_options.h"
#include "cli/problem_options.h"
#include "data/import.h"
#include "device/memory.h"
#include "files/library_files.h"

static const edgefw__argument import_options[] = {
    {"--problem", NULL, "NAME",
     "problem plugin (matrices and JSON: default: the first that takes what the file has)"},
    {"--set", NULL, "problem.KEY=VALUE", "set a key of the problem; may be repeated"},
    EDGEFW__INSTANCE_ARGUMENTS,
    {"--output", "-o", "FILE.h5", "the dataset to write (required)"},
    {"--field", NULL, "NAME=NUMBER",
     "value of a field with one number per instance; may be repeated"},
    {"--scale", NULL, "NUMBER", "what one number of the costs is worth, see above"},
    {"--divide-by", NULL, "NUMBER", "the same as --scale 1/NUMBER"},
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

static bool is_npz(const char *path) {
  const size_t length = strlen(path);
  return length > 4 && strcasecmp(path + length - 4, ".npz") == 0;
}

/* Options that the kind of file has no use for: library files say themselves what their numbers
 * are, .npz files have arrays for what others need options. */
static edgefw_status refuse_idle(edgefw__cli *cli, const edgefw__arguments *arguments,
                                 const char *path) {
  static const char *const names[] = {"--scale",   "--divide-by", "--field", "--depot",
                                      "--demands", "--capacity",  "--use"};
  enum { FIELD = 2, OF_MATRICES = 3, NAMES = sizeof names / sizeof *names };
  const bool npz = is_npz(path), library = !edgefw__instance_file_is(path);
  for (int k = 0; k < NAMES; ++k) {
    if (!edgefw__arguments_has(arguments, names[k])) continue;
    if (npz && k >= OF_MATRICES)
      return edgefw_fail(cli->ctx, EDGEFW_CONFIG,
                         "%s is not for .npz files: '%s' has an array for each field, or --field "
                         "gives its number",
                         names[k], path);
    if (library)
      return edgefw_fail(cli->ctx, EDGEFW_CONFIG,
                         "%s is for %s; '%s' is taken for a library file, which says itself what "
                         "its numbers are",
                         names[k], k < OF_MATRICES ? ".npz files" : "matrices and JSON", path);
    if (!npz && k == FIELD)
      return edgefw_fail(cli->ctx, EDGEFW_CONFIG,
                         "--field is for .npz files; '%s' takes --demands and --capacity", path);
  }
  return EDGEFW_OK;
}

/* --- The command --- */

/* The first problem that takes what the file has, if the file is such a one; NULL: none is known.
 */
static edgefw_status guess_problem(importing *i, const char *path, const char **name) {
  const edgefw__plugin *plugin = NULL;
  edgefw_arena *scratch = NULL;
  edgefw__instance_file file;
  *name = NULL;
  if (is_npz(path) || !edgefw__instance_file_is(path)) return EDGEFW_OK;
  edgefw_status status = edgefw_arena_create(i->cli->ctx, &scratch, "a file of instances", 0, true);
  if (status == EDGEFW_OK)
    status = edgefw__instance_file_read(i->cli->ctx, scratch, path, &i->import.reading,
                                        i->cli->registry, &plugin, &file);
  edgefw_arena_destroy(scratch);
  if (plugin) *name = plugin->descriptor->name;
  return status;
}

static edgefw_status read_request(importing *i, const edgefw__arguments *arguments) {
  edgefw__cli *cli = i->cli;
  const char *name = edgefw__arguments_value(arguments, "--problem", NULL);
  const edgefw__plugin *problem = NULL;
  edgefw_options *options = NULL;
  i->import.output = edgefw__arguments_value(arguments, "--output", NULL);
  i->import.memory = edgefw__physical_memory();
  if (!arguments->word_count || !i->import.output)
    return edgefw_fail(cli->ctx, EDGEFW_CONFIG, "%s is missing",
                       arguments->word_count ? "--output" : "FILE");
  edgefw_status status = edgefw__arguments_positive(arguments, "--divide-by", &i->import.divide_by);
  if (status == EDGEFW_OK)
    status = edgefw__arguments_positive(arguments, "--scale", &i->import.scale);
  if (status == EDGEFW_OK && i->import.scale > 0.0 && i->import.divide_by > 0.0)
    status = edgefw_fail(cli->ctx, EDGEFW_CONFIG,
                         "--scale and --divide-by say the same thing: give one of them");
  if (status == EDGEFW_OK) status = edgefw__cli_instance_options(arguments, &i->import.reading);
  if (i->import.divide_by > 0.0)
    i->import.reading.unit =
        (edgefw__unit){.scale = 1.0 / i->import.divide_by, .inverse = i->import.divide_by};
  else if (i->import.scale > 0.0)
    i->import.reading.unit = edgefw__unit_of(i->import.scale);
  if (status == EDGEFW_OK) status = edgefw__cli_open(cli, arguments);
  if (status == EDGEFW_OK && !name) status = guess_problem(i, arguments->words[0], &name);
  if (status == EDGEFW_OK && !name)
    status = edgefw_fail(cli->ctx, EDGEFW_CONFIG, "--problem is missing");
  if (status == EDGEFW_OK) status = edgefw__cli_problem(cli, arguments, name, &problem, &options);
  if (status != EDGEFW_OK) return status;
  i->import.problem_name = problem->descriptor->name;
  i->import.plugin = problem;
  i->import.problem = &problem->vtable.problem;
  i->import.options = options;
  return read_values(i, arguments, options);
}

static edgefw_status read_files(importing *i, const edgefw__arguments *arguments,
                                const edgefw__library_files *files,
                                edgefw__import_summary *summary) {
  edgefw_context *ctx = i->cli->ctx;
  for (int64_t f = 0; f < files->count; ++f) {
    const edgefw_status status = refuse_idle(i->cli, arguments, files->paths[f]);
    if (status != EDGEFW_OK) return status;
  }
  if (is_npz(files->paths[0])) {
    if (files->count == 1) return edgefw__import_npz(ctx, &i->import, files->paths[0], summary);
    return edgefw_fail(ctx, EDGEFW_CONFIG,
                       "'%s' is one argument too many: an .npz file is imported alone",
                       files->paths[1]);
  }
  return edgefw__import_files(ctx, &i->import, files->paths, (int)files->count, summary);
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
  if (status == EDGEFW_OK) status = read_files(&i, arguments, &files, &summary);
  if (status == EDGEFW_OK)
    edgefw_log(cli->ctx, EDGEFW_LOG_INFO, "%s: %" PRId64 " instances of %" PRId64 " nodes",
               i.import.output, summary.count, summary.n);
  return status;
}

const edgefw__command edgefw__command_data_import = {
    .name = "data import",
    .summary = "write a dataset of NumPy arrays or library files",
    .usage = "FILE.npz --problem NAME -o FILE.h5 [--scale NUMBER] [--field NAME=NUMBER]...\n"
             "FILE.atsp... | FOLDER --problem NAME -o FILE.h5\n"
             "FILE.csv|FILE.npy|FILE.json... -o FILE.h5 [--problem NAME] [--depot STOP]\n"
             "[--demands FILE|LIST] [--capacity NUMBER] [--use TABLE] [--scale NUMBER]",
    .details =
        "Of an .npz file, a field takes the array of its name, and one with a number per pair of\n"
        "nodes also the array 'data' or 'dist'. A field with one number per instance (a capacity)\n"
        "may be given by --field instead, or by a key of the problem that has its name.\n"
        "--scale says what one number of the costs is worth: 1e-6 for files that count "
        "millionths,\n"
        "as published test sets do, 1 for costs as they stand. It must be given where costs are "
        "whole numbers\n"
        "or go beyond 1000; others are taken as they stand without it.\n"
        "Library files have one instance each, all of one size; of a folder those are taken that\n"
        "end in .atsp, .tsp or .vrp, packed (.gz) or not, by name.\n"
        "Matrices as text (.csv, .tsv, .txt), .npy arrays and JSON of routing services are read "
        "as\n"
        "'edgefw solve' reads them; their numbers are costs as they stand, unless --scale is "
        "given.\n"
        "With demands they are for the first problem of routes, else for the first of tours.\n",
    .options = import_options,
    .run = import};
