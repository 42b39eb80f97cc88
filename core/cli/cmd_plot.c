/* edgefw plot tour: a picture of a solution. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/path.h"
#include "base/utf8.h"
#include "cli/cli.h"
#include "eval/check_solution.h"
#include "eval/inputs.h"
#include "report/tour_figure.h"

static const edgefw__argument options[] = {
    {"--instance", NULL, "FILE", "the library file or dataset that the solution is of"},
    {"--number", NULL, "N", "number of the instance in a dataset, from 0 (the default)"},
    {"--problem", NULL, "NAME", "problem plugin (default: the first that reads both files)"},
    {"--forbidden", NULL, "VALUE", "arcs that cost so much are forbidden; none: no arc is"},
    {"--reference", NULL, "CSV", "best known costs of library files, for the gap in the title"},
    {"--output", "-o", "NAME.svg|NAME.png",
     "the picture (default: SOLUTION's name with .svg, in this folder)"},
    {0}};

/* Where the picture goes. */
typedef struct target {
  const char *path, *folder;
  const char *name; /* without ending */
  unsigned kind;    /* one of EDGEFW__FIGURE_* */
} target;

typedef struct plot {
  edgefw__cli *cli;
  target target;
  edgefw__text *said; /* a line for stdout */
} plot;

/* --- The target --- */

static bool has_control(const char *text) {
  for (size_t length; *text; text += length ? length : 1) {
    length = edgefw__utf8_length(text);
    if (length > 0 && edgefw__utf8_is_control(text, length)) return true;
  }
  return false;
}

static const char *default_path(edgefw__cli *cli, const char *solution) {
  const char *stem = edgefw__path_stem(cli->arena, solution);
  return stem ? edgefw_arena_format(cli->arena, "%s.svg", stem) : NULL;
}

static edgefw_status read_target(edgefw__cli *cli, const edgefw__arguments *arguments,
                                 target *out) {
  out->path = edgefw__arguments_value(arguments, "--output", NULL);
  if (!out->path) out->path = default_path(cli, arguments->words[0]);
  if (!out->path) return edgefw_failure(cli->ctx);
  const char *base = edgefw__path_base(out->path), *ending = strrchr(base, '.');
  if (ending && ending != base && strcmp(ending, ".svg") == 0) out->kind = EDGEFW__FIGURE_SVG;
  if (ending && ending != base && strcmp(ending, ".png") == 0) out->kind = EDGEFW__FIGURE_PNG;
  if (!out->kind)
    return edgefw_fail(cli->ctx, EDGEFW_CONFIG,
                       "--output %s: expected a name that ends in .svg or .png", out->path);
  if (has_control(out->path))
    return edgefw_fail(cli->ctx, EDGEFW_CONFIG,
                       "--output %s: gnuplot takes no name with a line end or another control "
                       "character in it; give another one with -o",
                       out->path);
  out->folder = edgefw__path_folder(cli->arena, out->path);
  out->name = edgefw__path_stem(cli->arena, base);
  return out->folder && out->name ? EDGEFW_OK : edgefw_failure(cli->ctx);
}

/* Does the file begin as one of a figure does, or is there none? */
static bool is_ours(const char *path, const char *begins) {
  char head[64] = "";
  struct stat information;
  if (stat(path, &information) != 0) return true;
  FILE *file = S_ISREG(information.st_mode) ? fopen(path, "rb") : NULL;
  if (!file) return false;
  const size_t length = strlen(begins), got = fread(head, 1, length, file);
  (void)fclose(file);
  return got == length && memcmp(head, begins, length) == 0;
}

/* Data and commands lie beside the picture: they take the place of nothing but such files. */
static edgefw_status check_neighbours(edgefw__cli *cli, const target *to) {
  static const struct {
    const char *ending, *begins;
  } files[] = {{"csv", "route,from,to,cost,"}, {"gp", "# Drawn by: gnuplot "}};
  for (size_t f = 0; f < sizeof files / sizeof *files; ++f) {
    const char *path =
        edgefw_arena_format(cli->arena, "%s/%s.%s", to->folder, to->name, files[f].ending);
    if (!path) return edgefw_failure(cli->ctx);
    if (!is_ours(path, files[f].begins))
      return edgefw_fail(cli->ctx, EDGEFW_CONFIG,
                         "%s is there and no file of a figure, so it is not replaced; give the "
                         "picture another name with -o",
                         path);
  }
  return EDGEFW_OK;
}

/* --- The picture --- */

static double gap_percent(double cost, double reference) {
  return cost == reference ? 0.0 : 100.0 * (cost - reference) / reference;
}

static edgefw_status draw(plot *p, const edgefw__tour_figure *figure) {
  edgefw__cli *cli = p->cli;
  const target *to = &p->target;
  bool changed = false;
  edgefw__figures figures = {
      .ctx = cli->ctx, .arena = cli->arena, .folder = to->folder, .changed = &changed};
  const edgefw_status status = edgefw__tour_figure_write(&figures, figure, to->kind);
  if (status != EDGEFW_OK) return status;
  if (figures.gnuplot_failed)
    return edgefw_fail(cli->ctx, EDGEFW_IO,
                       "gnuplot could not draw %s; its commands are in %s/%s.gp", to->path,
                       to->folder, to->name);
  if (figures.gnuplot_missing)
    edgefw_log(cli->ctx, EDGEFW_LOG_WARNING,
               "gnuplot is not installed, so there is no %s; %s/%s.csv has the data, and "
               "'gnuplot %s.gp' in that folder draws it",
               to->path, to->folder, to->name, to->name);
  edgefw__text_add(p->said, "%s: %s\n", figures.gnuplot_missing ? to->name : to->path,
                   figure->title);
  return EDGEFW_OK;
}

/* An edgefw__solution_receiver. */
static edgefw_status take_solution(void *user, const edgefw__checked_solution *checked,
                                   const edgefw__seen_solution *seen) {
  plot *p = user;
  edgefw__cli *cli = p->cli;
  const edgefw__tour_facts facts = {.name = checked->name,
                                    .n = checked->n,
                                    .routes = checked->routes,
                                    .cost = checked->cost,
                                    .gap_percent = gap_percent(checked->cost, seen->reference),
                                    .reference_kind = seen->reference_kind};
  edgefw__tour_figure figure = {.name = p->target.name,
                                .title = edgefw__tour_title(cli->arena, &facts),
                                .problem = seen->problem,
                                .instance = seen->instance,
                                .tour = seen->tour,
                                .count = seen->count};
  if (!figure.title) return edgefw_failure(cli->ctx);
  const edgefw_status status = edgefw__placement_find(cli->ctx, cli->arena, seen->problem,
                                                      seen->instance, seen->file, &figure.place);
  return status == EDGEFW_OK ? draw(p, &figure) : status;
}

/* --- The command --- */

static edgefw_status read_request(edgefw__cli *cli, const edgefw__arguments *arguments,
                                  edgefw__check_request *out) {
  static const char *const words[] = {"SOLUTION", NULL};
  edgefw_status status = edgefw__arguments_words(arguments, words);
  if (status == EDGEFW_OK)
    status = edgefw__arguments_integer(arguments, "--number", 0, INT64_MAX, &out->number);
  if (status != EDGEFW_OK) return status;
  out->instance = edgefw__arguments_value(arguments, "--instance", NULL);
  if (!out->instance)
    return edgefw_fail(cli->ctx, EDGEFW_CONFIG,
                       "--instance is missing: the file that %s is a solution of",
                       arguments->words[0]);
  out->solution = arguments->words[0];
  out->problem = edgefw__arguments_value(arguments, "--problem", NULL);
  out->forbidden = edgefw__arguments_value(arguments, "--forbidden", NULL);
  out->reference = edgefw__arguments_value(arguments, "--reference", NULL);
  const bool dataset = edgefw__input_is_dataset(out->instance);
  if (!dataset && edgefw__arguments_has(arguments, "--number"))
    return edgefw_fail(cli->ctx, EDGEFW_CONFIG, "--number needs a dataset");
  if (dataset && out->reference)
    return edgefw_fail(cli->ctx, EDGEFW_CONFIG, "--reference is for library files");
  return EDGEFW_OK;
}

static edgefw_status command(edgefw__cli *cli, const edgefw__arguments *arguments) {
  edgefw__text said = {.ctx = cli->ctx};
  plot p = {.cli = cli, .said = &said};
  edgefw__checked_solution checked;
  edgefw__check_request request = {.receiver = take_solution, .receiver_user = &p};
  edgefw_status status = read_request(cli, arguments, &request);
  if (status == EDGEFW_OK) status = read_target(cli, arguments, &p.target);
  if (status == EDGEFW_OK) status = check_neighbours(cli, &p.target);
  if (status == EDGEFW_OK) status = edgefw__cli_open(cli, arguments);
  if (status == EDGEFW_OK)
    status = edgefw__check_solution(cli->ctx, cli->arena, cli->registry, &request, &checked);
  if (status == EDGEFW_OK) return edgefw__cli_print(cli, &said);
  edgefw__text_release(&said);
  return status;
}

const edgefw__command edgefw__command_plot_tour = {
    .name = "plot tour",
    .summary = "draw a tour or routes",
    .usage = "SOLUTION --instance FILE [-o NAME.svg|NAME.png] [--problem NAME] [...]",
    .details =
        "SOLUTION is a TOUR file or a VRPLIB .sol, FILE the TSPLIB or VRPLIB file or the dataset\n"
        "that it solves. What `edgefw check` refuses is not drawn. Nodes lie at the file's\n"
        "coordinates (longitude and latitude where it has GEO). Where there are none they lie by\n"
        "classical scaling of the costs, and the picture says so; arrowheads show the direction\n"
        "where costs have one. Routes have a colour each, the depot is a square. The title has "
        "the\n"
        "gap where a reference cost is at hand: --reference, a solution beside FILE, or the\n"
        "dataset's own. NAME.csv (the arcs) and NAME.gp (the commands) are written beside the\n"
        "picture; without gnuplot these are all, and a line says so.\n",
    .options = options,
    .run = command};
