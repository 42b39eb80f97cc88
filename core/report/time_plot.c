/* Points sorted by family and time, a column for each family: gnuplot joins what is in one. */
#include "report/time_plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "report/gap_kinds.h"
#include "report/gnuplot.h"

typedef struct point {
  const char *variant;
  int family; /* the first variant of it */
  double seconds, gap;
} point;

/* Points of one set. */
typedef struct points {
  const edgefw__report *report;
  const edgefw__instance_set *set;
  point *items;
  int count;
  bool searched; /* by one variant at least */
} points;

static const char *family_name(const edgefw__report *report, int variant) {
  return report->families ? report->families[variant] : report->variants[variant];
}

static int family_of(const edgefw__report *report, int variant) {
  int first = 0;
  while (strcmp(family_name(report, first), family_name(report, variant)) != 0) ++first;
  return first;
}

static int compare(const void *left, const void *right) {
  const point *a = left, *b = right;
  if (a->family != b->family) return a->family < b->family ? -1 : 1;
  return (a->seconds > b->seconds) - (a->seconds < b->seconds);
}

static void collect(points *p) {
  const edgefw__report *report = p->report;
  for (int v = 0; v < report->variant_count; ++v) {
    const edgefw__result *row =
        edgefw__results_find(report->results, report->variants[v], p->set->name);
    if (!row || !isfinite(row->gap_percent) || !(row->seconds > 0.0) || row->instances < 1)
      continue;
    p->items[p->count++] = (point){.variant = report->variants[v],
                                   .family = family_of(report, v),
                                   .seconds = row->seconds / (double)row->instances,
                                   .gap = row->gap_percent};
    p->searched |= strchr(row->select, '+') != NULL;
  }
  qsort(p->items, (size_t)p->count, sizeof *p->items, compare);
}

/* --- Data and commands --- */

static bool begins_family(const points *p, int k) {
  return k == 0 || p->items[k].family != p->items[k - 1].family;
}

/* Columns: variant, seconds, then the gap in that of the variant's family. */
static void add_data(const points *p, edgefw__text *csv) {
  edgefw__text_add(csv, "variant,seconds");
  for (int k = 0; k < p->count; ++k) {
    if (!begins_family(p, k)) continue;
    edgefw__text_add(csv, ",");
    edgefw__csv_add(csv, family_name(p->report, p->items[k].family));
  }
  edgefw__text_add(csv, "\n");
  int before = -1;
  for (int k = 0; k < p->count; ++k) {
    before += begins_family(p, k);
    edgefw__csv_add(csv, p->items[k].variant);
    edgefw__csv_add_number(csv, p->items[k].seconds);
    for (int f = 0; f < before; ++f) edgefw__text_add(csv, ",");
    edgefw__csv_add_number(csv, p->items[k].gap);
    for (int j = k + 1; j < p->count; ++j)
      if (begins_family(p, j)) edgefw__text_add(csv, ",");
    edgefw__text_add(csv, "\n");
  }
}

/* Room at both ends of the axes, so that no point and no name is cut off. */
static void add_ranges(const points *p, edgefw__text *gp) {
  double least = (double)INFINITY, most = 0.0;
  bool positive = true;
  for (int k = 0; k < p->count; ++k) {
    least = fmin(least, p->items[k].seconds);
    most = fmax(most, p->items[k].seconds);
    positive &= p->items[k].gap > 0.0;
  }
  edgefw__text_add(gp, "set logscale x\nset xrange [%.6g:%.6g]\nset format x '%%g'\n", least / 1.6,
                   most * 4.0);
  edgefw__text_add(gp, positive ? "set logscale y\nset format y '%%g'\n"
                                : "set yrange [*<0:0<*]\nset xzeroaxis lc rgb '#444444'\n");
}

static edgefw_status add_curves(edgefw_arena *arena, const points *p, const char *file,
                                edgefw__text *gp) {
  int column = 2;
  edgefw__text_add(gp, "plot \\\n");
  for (int k = 0; k < p->count; ++k) {
    if (!begins_family(p, k)) continue;
    const char *color = edgefw__figure_color(p->items[k].family);
    const char *title = edgefw__gnuplot_string(arena, family_name(p->report, p->items[k].family));
    if (!title) return EDGEFW_OUT_OF_MEMORY;
    ++column;
    edgefw__text_add(gp,
                     "%s  '%s.csv' every ::1 using 2:%d with linespoints lw 2.5 pt 7 ps 1 "
                     "lc rgb '#%s' title %s, \\\n"
                     "  '' every ::1 using 2:%d:1 with labels noenhanced left offset 0.8,0.4 "
                     "font ',11' tc rgb '#%s' notitle",
                     column == 3 ? "" : ", \\\n", file, column, color, title, column, color);
  }
  edgefw__text_add(gp, "\n");
  return EDGEFW_OK;
}

static edgefw_status plot(edgefw__figures *figures, const points *p) {
  edgefw__text csv = {.ctx = figures->ctx}, gp = {.ctx = figures->ctx};
  const char *name = edgefw_arena_format(figures->arena, "time-%s", p->set->name);
  const char *axis = edgefw__gap_axis(edgefw__gap_kind_of(p->report, p->set));
  if (!name) return edgefw_failure(figures->ctx);
  add_data(p, &csv);
  edgefw__figure_begin(&gp, name, "seconds for each instance", axis, "right top");
  add_ranges(p, &gp);
  edgefw_status status = add_curves(figures->arena, p, name, &gp);
  edgefw__figure_end(&gp, name);
  if (status == EDGEFW_OK)
    status =
        edgefw__figure_write(figures, name, &csv, &gp, EDGEFW__FIGURE_SVG | EDGEFW__FIGURE_PNG);
  edgefw__text_release(&csv);
  edgefw__text_release(&gp);
  return status;
}

edgefw_status edgefw__time_plot_write(edgefw__figures *figures, const edgefw__report *report) {
  edgefw_status status = EDGEFW_OK;
  for (int s = 0; status == EDGEFW_OK && s < report->set_count; ++s) {
    points p = {.report = report, .set = &report->sets[s]};
    if (p.set->file) continue;
    p.items = edgefw_arena_take(figures->arena, (size_t)report->variant_count, sizeof *p.items);
    if (!p.items) return edgefw_failure(figures->ctx);
    collect(&p);
    if (p.searched && p.count > 1) status = plot(figures, &p);
  }
  return status;
}
