/* Data and script of the figure of the diagnostics. */
#include "report/diagnostic_plot.h"

#include <inttypes.h>
#include <math.h>

#include "base/csv.h"
#include "base/path.h"
#include "report/figure.h"
#include "report/gnuplot.h"

#define NAME "diagnostics"

enum { WIDTH = 1200, HEIGHT = 760, NUMBERS = 3 /* of a bar: share, low, high */ };

static const edgefw__diagnostic_row *row_of(const edgefw__diagnostic_report *report, int v, int s,
                                            int which) {
  return edgefw__diagnostic_rows_find(report->rows, report->variants[v], report->sizes[s],
                                      (edgefw__diagnostic)which);
}

/* Column of a bar's share in the data, from 1. */
static int column_of(const edgefw__diagnostic_report *report, int v, int which) {
  return 2 + NUMBERS * (which * report->variant_count + v);
}

/* --- Data --- */

static void add_head(const edgefw__diagnostic_report *report, edgefw__text *csv) {
  static const char *const numbers[NUMBERS] = {"", " low", " high"};
  edgefw__text_add(csv, "size");
  for (int which = 0; which < EDGEFW__DIAGNOSTICS; ++which)
    for (int v = 0; v < report->variant_count; ++v)
      for (int k = 0; k < NUMBERS; ++k) {
        edgefw__text_add(csv, ",");
        edgefw__csv_add(csv, report->variants[v]);
        edgefw__text_add(csv, " %s%s", edgefw__diagnostic_name((edgefw__diagnostic)which),
                         numbers[k]);
      }
  edgefw__text_add(csv, "\n");
}

static void add_data(const edgefw__diagnostic_report *report, edgefw__text *csv) {
  add_head(report, csv);
  for (int s = 0; s < report->size_count; ++s) {
    edgefw__text_add(csv, "%" PRId64, report->sizes[s]);
    for (int which = 0; which < EDGEFW__DIAGNOSTICS; ++which)
      for (int v = 0; v < report->variant_count; ++v) {
        const edgefw__diagnostic_row *row = row_of(report, v, s, which);
        const int64_t count = row ? row->tally.judged : 0, hits = row ? row->tally.hits : 0;
        const edgefw__interval interval = edgefw__wilson(hits, count);
        edgefw__csv_add_number(csv, count > 0 ? (double)hits / (double)count : (double)NAN);
        edgefw__csv_add_number(csv, interval.low);
        edgefw__csv_add_number(csv, interval.high);
      }
    edgefw__text_add(csv, "\n");
  }
}

/* --- Script --- */

static void add_settings(const edgefw__diagnostic_report *report, edgefw__text *gp) {
  edgefw__text_add(gp,
                   "# Drawn by: gnuplot " NAME ".gp\n"
                   "set datafile separator ','\n"
                   "set border 3 lc rgb '#444444'\n"
                   "set tics nomirror\n"
                   "set style fill solid 1.0 noborder\n"
                   "set boxwidth %.4f\n"
                   "set yrange [0:1.02]\n"
                   "set ytics 0.25\n"
                   "set grid ytics back lc rgb '#dddddd' lw 1 lt 1\n"
                   "set xrange [-0.6:%.1f]\n"
                   "set xtics scale 0 (",
                   0.8 / report->variant_count, report->size_count - 0.4);
  for (int s = 0; s < report->size_count; ++s)
    edgefw__text_add(gp, "%s'%" PRId64 "' %d", s ? ", " : "", report->sizes[s], s);
  /* Chance, where a sign says nothing. */
  edgefw__text_add(gp, ")\nset arrow 1 from graph 0,first 0.5 to graph 1,first 0.5 nohead front "
                       "lc rgb '#444444' lw 1 dt 2\n");
}

/* Where a variant's bar stands beside the number of its size. */
static double offset_of(const edgefw__diagnostic_report *report, int v) {
  return (v - (report->variant_count - 1) / 2.0) * 0.8 / report->variant_count;
}

static void add_panel(const edgefw__diagnostic_report *report, int which, edgefw__text *gp) {
  edgefw__text_add(gp, "  set title '%s'\n  plot ",
                   edgefw__diagnostic_title((edgefw__diagnostic)which));
  for (int v = 0; v < report->variant_count; ++v)
    edgefw__text_add(gp,
                     "\\\n    '" NAME ".csv' every ::1 using ($0%+.4f):%d with boxes lc rgb "
                     "'#%s' notitle, ",
                     offset_of(report, v), column_of(report, v, which), edgefw__figure_color(v));
  for (int v = 0; v < report->variant_count; ++v) /* vectors: error bars have a hole for a point */
    edgefw__text_add(
        gp,
        "\\\n    '" NAME ".csv' every ::1 using ($0%+.4f):%d:(0):($%d-$%d) with vectors "
        "heads size 0.06,90 lc rgb '#222222' lw 1.2 notitle%s",
        offset_of(report, v), column_of(report, v, which) + 1, column_of(report, v, which) + 2,
        column_of(report, v, which) + 1, v + 1 < report->variant_count ? ", " : "\n");
}

/* The last panel has the key alone. */
static edgefw_status add_key(edgefw_arena *arena, const edgefw__diagnostic_report *report,
                             edgefw__text *gp) {
  edgefw__text_add(gp, "  set title ' '\n  unset arrow 1\n  unset border\n  unset tics\n"
                       "  set key center center Left reverse noenhanced\n  plot ");
  for (int v = 0; v < report->variant_count; ++v) {
    const char *title = edgefw__gnuplot_string(arena, report->variants[v]);
    if (!title) return edgefw_failure(gp->ctx);
    edgefw__text_add(gp, "\\\n    NaN with boxes lc rgb '#%s' title %s, ", edgefw__figure_color(v),
                     title);
  }
  edgefw__text_add(gp, "\\\n    NaN with lines lc rgb '#444444' lw 1 dt 2 title 'chance'\n");
  return EDGEFW_OK;
}

/* All panels, as one file: `replot` would draw the last of them alone. */
static edgefw_status add_panels(edgefw_arena *arena, const edgefw__diagnostic_report *report,
                                edgefw__text *gp) {
  add_settings(report, gp);
  edgefw__text_add(gp, "  set multiplot layout 2,3\n  unset key\n");
  for (int which = 0; which < EDGEFW__DIAGNOSTICS; ++which) add_panel(report, which, gp);
  const edgefw_status status = add_key(arena, report, gp);
  edgefw__text_add(gp, "  unset multiplot\nset output\nreset\n");
  return status;
}

edgefw_status edgefw__diagnostic_plot(edgefw_context *ctx, edgefw_arena *arena, const char *folder,
                                      const edgefw__diagnostic_report *report, bool *changed) {
  edgefw__figures figures = {.ctx = ctx,
                             .arena = arena,
                             .folder = edgefw__path_join(arena, folder, "plots"),
                             .changed = changed};
  if (!figures.folder) return edgefw_failure(ctx);
  if (!edgefw__diagnostic_report_has_rows(report)) return EDGEFW_OK;
  edgefw__text csv = {.ctx = ctx}, gp = {.ctx = ctx};
  add_data(report, &csv);
  edgefw__figure_svg(&gp, NAME, WIDTH, HEIGHT);
  edgefw_status status = add_panels(arena, report, &gp);
  edgefw__figure_png(&gp, NAME, WIDTH, HEIGHT);
  if (status == EDGEFW_OK) status = add_panels(arena, report, &gp);
  if (status == EDGEFW_OK)
    status =
        edgefw__figure_write(&figures, NAME, &csv, &gp, EDGEFW__FIGURE_SVG | EDGEFW__FIGURE_PNG);
  edgefw__text_release(&csv);
  edgefw__text_release(&gp);
  return status;
}
