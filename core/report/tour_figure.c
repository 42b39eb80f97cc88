/* Data and commands of the figure of a solution. */
#include "report/tour_figure.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/csv.h"
#include "base/utf8.h"
#include "plugin/problem_shape.h"
#include "report/gnuplot.h"

/* Of the figure, in points: title and axis take what is around it. */
enum { WIDTH = 900, MOST_HEIGHT = 760, LEAST_HEIGHT = 380, AROUND = 100 };

/* Up to so many nodes their numbers are shown. */
enum { MOST_NUMBERS = 60 };

/* Columns of the data, as gnuplot counts them: 1 route, 2 from, 3 to, 4 cost, 5 and 6 the position
 * of the one end, 7 and 8 that of the other. */

/* Bytes of a name that a title shows. */
enum { MOST_NAME = 48 };

/* --- Titles --- */

const char *edgefw__tour_short_name(edgefw_arena *arena, const char *name) {
  char *text = edgefw_arena_format(arena, "%s", name);
  if (!text) return NULL;
  edgefw__utf8_clean(text, "");
  size_t kept = 0;
  while (text[kept] && kept + edgefw__utf8_length(text + kept) <= MOST_NAME)
    kept += edgefw__utf8_length(text + kept);
  if (!text[kept]) return text;
  text[kept] = '\0';
  return edgefw_arena_format(arena, "%s...", text);
}

const char *edgefw__tour_title(edgefw_arena *arena, const edgefw__tour_facts *facts) {
  char number[32], routes[48] = "", gap[48] = "", forbidden[64] = "";
  const char *name = edgefw__tour_short_name(arena, facts->name);
  if (!name) return NULL;
  if (facts->routes > 0)
    snprintf(routes, sizeof routes, ", %" PRId64 " route%s", facts->routes,
             facts->routes == 1 ? "" : "s");
  if (isfinite(facts->gap_percent))
    snprintf(gap, sizeof gap, ", %s %.2f %%", edgefw__reference_kind_gap(facts->reference_kind),
             facts->gap_percent);
  if (facts->forbidden_arcs > 0)
    snprintf(forbidden, sizeof forbidden, ", %" PRId64 " forbidden arc%s", facts->forbidden_arcs,
             facts->forbidden_arcs == 1 ? "" : "s");
  return edgefw_arena_format(arena, "%s: n = %" PRId64 "%s, cost %s%s%s", name, facts->n, routes,
                             edgefw__number_text(facts->cost, number, sizeof number), gap,
                             forbidden);
}

int64_t edgefw__tour_routes(const int32_t *tour, int64_t count) {
  int64_t routes = 0;
  for (int64_t t = 1; t < count; ++t) routes += tour[t] != 0 && tour[t - 1] == 0;
  return routes;
}

/* --- Data --- */

static void add_arc(const edgefw__tour_figure *figure, int64_t route, int32_t from, int32_t to,
                    edgefw__text *csv) {
  const double *cost = edgefw_instance_field(figure->instance, figure->problem->objective);
  const double *points = figure->place.points;
  edgefw__text_add(csv, "%" PRId64 ",%d,%d", route, from, to);
  edgefw__csv_add_number(csv, cost[from * figure->instance->n + to]);
  for (int axis = 0; axis < 2; ++axis) edgefw__csv_add_number(csv, points[2 * from + axis]);
  for (int axis = 0; axis < 2; ++axis) edgefw__csv_add_number(csv, points[2 * to + axis]);
  edgefw__text_add(csv, "\n");
}

static void add_arcs(const edgefw__tour_figure *figure, edgefw__text *csv) {
  const bool depot = edgefw__problem_has_depot(figure->problem);
  int64_t route = depot ? 0 : 1;
  edgefw__text_add(csv, "route,from,to,cost,from_x,from_y,to_x,to_y\n");
  for (int64_t t = 0; t < figure->count; ++t) {
    const int32_t from = figure->tour[t], to = figure->tour[(t + 1) % figure->count];
    if (depot && from == to) continue; /* what fills up the tour at the depot */
    if (depot && from == 0) ++route;
    add_arc(figure, route, from, to, csv);
  }
}

/* --- Commands --- */

/* What an axis shows. */
typedef struct range {
  double from, to;
} range;

/* The range of one axis with some room at both ends. */
static range range_of(const edgefw__tour_figure *figure, int axis) {
  const double *points = figure->place.points;
  double least = points[axis], most = points[axis];
  for (int64_t i = 0; i < figure->instance->n; ++i) {
    least = fmin(least, points[2 * i + axis]);
    most = fmax(most, points[2 * i + axis]);
  }
  /* All at one place, or differing by rounding: an axis of no length cannot be drawn. */
  const double size = fmax(fabs(least), fabs(most));
  double room = 0.05 * (most - least);
  if (!(most - least > 1e-9 * size)) room = size > 0.0 ? 0.5 * size : 1.0;
  return (range){least - room, most + room};
}

/* A degree of longitude is shorter than one of latitude: by the cosine of the latitude. */
static double aspect(const edgefw__tour_figure *figure) {
  if (figure->place.kind != EDGEFW__PLACEMENT_GLOBE) return 1.0;
  double sum = 0.0;
  for (int64_t i = 0; i < figure->instance->n; ++i) sum += figure->place.points[2 * i + 1];
  const double cosine = cos(sum / (double)figure->instance->n * 3.14159265358979323846 / 180.0);
  return cosine > 0.1 ? 1.0 / cosine : 10.0;
}

/* How high the figure is that shows it without much room above and below. */
static int height_of(const edgefw__tour_figure *figure) {
  const range x = range_of(figure, 0), y = range_of(figure, 1);
  const double height = AROUND + WIDTH * aspect(figure) * (y.to - y.from) / (x.to - x.from);
  return (int)fmin(MOST_HEIGHT, fmax(LEAST_HEIGHT, height));
}

static void add_axes(const edgefw__tour_figure *figure, edgefw__text *gp) {
  switch (figure->place.kind) {
  case EDGEFW__PLACEMENT_PLANE:
    edgefw__text_add(gp, "set border 3 lc rgb '#444444'\nset tics nomirror\n");
    break;
  case EDGEFW__PLACEMENT_GLOBE:
    edgefw__text_add(gp, "set border 3 lc rgb '#444444'\nset tics nomirror\n"
                         "set xlabel 'longitude (degrees)'\nset ylabel 'latitude (degrees)'\n");
    break;
  case EDGEFW__PLACEMENT_SCALED:
    edgefw__text_add(gp, "unset border\nunset tics\n"
                         "set xlabel 'positions by classical scaling of the costs'\n");
    break;
  }
  const range x = range_of(figure, 0), y = range_of(figure, 1);
  edgefw__text_add(gp, "set xrange [%.17g:%.17g]\nset yrange [%.17g:%.17g]\n", x.from, x.to, y.from,
                   y.to);
  edgefw__text_add(gp, "set size ratio %.6g\n", -aspect(figure));
}

/* One set of arcs: those for which `condition` holds, each in its route's colour. */
static void add_lines(const edgefw__tour_figure *figure, const char *file, const char *condition,
                      double width, edgefw__text *gp) {
  const double crowd = sqrt(50.0 / (double)figure->instance->n);
  edgefw__text_add(gp,
                   "  %s every ::1 using (%s?$5:NaN):6:($7-$5):($8-$6):(color($1)) with vectors "
                   "nohead lw %.3g lc rgb variable, \\\n",
                   file, condition, width);
  if (!figure->place.directed) return;
  edgefw__text_add(gp,
                   "  %s every ::1 using (%s?$5:NaN):6:(0.6*($7-$5)):(0.6*($8-$6)):(color($1)) "
                   "with vectors head filled size screen %.4f,18 lw %.3g lc rgb variable, \\\n",
                   file, condition, 0.013 * fmin(1.0, fmax(0.35, crowd)), width);
}

/* A size for few nodes, for some, or for many. */
static double by_crowd(int64_t n, double few, double some, double many) {
  if (n <= MOST_NUMBERS) return few;
  return n <= 250 ? some : many;
}

/* Numbers of nodes are `font` points high. */
static void add_plot(const edgefw__tour_figure *figure, const char *file, int font,
                     edgefw__text *gp) {
  const int64_t n = figure->instance->n;
  const bool depot = edgefw__problem_has_depot(figure->problem);
  const double point = by_crowd(n, 0.9, 0.6, 0.35), line = by_crowd(n, 1.8, 1.8, 1.0);
  edgefw__text_add(gp, "plot \\\n");
  if (depot) {
    add_lines(figure, file, "($2==0||$3==0)", 0.4 * line, gp);
    add_lines(figure, file, "($2!=0&&$3!=0)", line, gp);
  } else {
    add_lines(figure, file, "1", line, gp);
  }
  edgefw__text_add(gp, "  %s every ::1 using 5:6 with points pt 7 ps %.3g lc rgb '#333333'", file,
                   point);
  if (n <= MOST_NUMBERS)
    edgefw__text_add(gp,
                     ", \\\n  %s every ::1 using (%s?$5:NaN):6:(sprintf('%%d',$2%s)) with labels "
                     "left offset 0.5,0.5 font ',%d' tc rgb '#666666'",
                     file, depot ? "$2!=0" : "1", depot ? "" : "+1", font);
  if (depot)
    edgefw__text_add(
        gp, ", \\\n  %s every ::1::1 using 5:6 with points pt 5 ps 1.8 lc rgb '#000000'", file);
  edgefw__text_add(gp, "\n");
}

/* Commands of a figure whose files are called `name` within quotes of a script. */
static void add_commands(const edgefw__tour_figure *figure, const char *name, const char *title,
                         const char *file, unsigned kinds, edgefw__text *gp) {
  const bool depot = edgefw__problem_has_depot(figure->problem);
  const int height = height_of(figure);
  edgefw__text_add(gp, "# Drawn by: gnuplot %s.gp\n", figure->name);
  edgefw__text_add(gp, "set encoding utf8\nset datafile separator ','\nunset key\n");
  edgefw__text_add(gp, "set title %s noenhanced\n", title);
  /* Hues that follow one another by the golden section are far apart, however many there are. */
  edgefw__text_add(gp, "color(route) = %s\n",
                   depot ? "hsv2rgb((route*0.61803398875)-floor(route*0.61803398875), "
                           "int(route)%2?0.85:0.65, int(route)%3?0.75:0.55)"
                         : "0x4477aa");
  add_axes(figure, gp);
  if (kinds & EDGEFW__FIGURE_SVG) {
    edgefw__figure_svg(gp, name, WIDTH, height);
    add_plot(figure, file, 10, gp);
  }
  if (kinds & EDGEFW__FIGURE_PNG) {
    edgefw__figure_png(gp, name, WIDTH, height);
    add_plot(figure, file, 20, gp);
  }
  edgefw__text_add(gp, "set output\n");
}

edgefw_status edgefw__tour_figure_write(edgefw__figures *figures, const edgefw__tour_figure *figure,
                                        unsigned kinds) {
  edgefw_arena *arena = figures->arena;
  char *title = edgefw_arena_text(arena, figure->title);
  if (!title) return edgefw_failure(figures->ctx);
  edgefw__utf8_clean(title, "");
  /* "./" keeps gnuplot from taking what begins with '<', '|' or '$' for something else. */
  const char *csv_name = edgefw_arena_format(arena, "./%s.csv", figure->name);
  const char *plain_name = edgefw_arena_format(arena, "./%s", figure->name);
  const char *file = csv_name ? edgefw__gnuplot_string(arena, csv_name) : NULL;
  const char *quoted_title = edgefw__gnuplot_string(arena, title);
  const char *quoted_name = plain_name ? edgefw__gnuplot_string(arena, plain_name) : NULL;
  char *name = quoted_name ? edgefw_arena_text(arena, quoted_name + 1) : NULL;
  if (!file || !quoted_title || !name) return edgefw_failure(figures->ctx);
  name[strlen(name) - 1] = '\0'; /* it stands between the quotes of other strings */
  edgefw__text csv = {.ctx = figures->ctx}, gp = {.ctx = figures->ctx};
  add_arcs(figure, &csv);
  add_commands(figure, name, quoted_title, file, kinds, &gp);
  const edgefw_status status = edgefw__figure_write(figures, figure->name, &csv, &gp, kinds);
  edgefw__text_release(&csv);
  edgefw__text_release(&gp);
  return status;
}
