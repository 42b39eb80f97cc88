/* Data and scripts of the figures. */
#include "report/plots.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "base/csv.h"
#include "base/path.h"
#include "base/text.h"
#include "report/figure.h"
#include "report/gap_kinds.h"
#include "report/gnuplot.h"
#include "report/time_plot.h"

/* What the functions below share. */
typedef struct plotter {
  edgefw_context *ctx;
  edgefw_arena *arena;
  const edgefw__report *report;
  edgefw__figures figures; /* in FOLDER/plots */
} plotter;

static bool exists(const char *path) {
  struct stat information;
  return stat(path, &information) == 0;
}

static edgefw_status finish(plotter *p, const char *name, const edgefw__text *csv,
                            const edgefw__text *gp) {
  return edgefw__figure_write(&p->figures, name, csv, gp, EDGEFW__FIGURE_SVG | EDGEFW__FIGURE_PNG);
}

/* --- Training curves --- */

typedef struct curve {
  const char *variant;
  int color;
  int64_t epochs;
  double *scores; /* (epochs) */
} curve;

static edgefw_status read_curve(plotter *p, const char *run_folder, const char *variant,
                                curve *out) {
  const char *path = edgefw_arena_format(p->arena, "%s/%s/metrics.csv", run_folder, variant);
  if (!path) return edgefw_failure(p->ctx);
  *out = (curve){.variant = variant};
  if (!exists(path)) return EDGEFW_OK;
  edgefw__csv_table table;
  int score = 0;
  edgefw_status status = edgefw__csv_table_read(p->ctx, p->arena, path, &table);
  if (status == EDGEFW_OK) status = edgefw__csv_table_column(&table, "score", &score);
  if (status != EDGEFW_OK) return status;
  out->scores = edgefw_arena_take(p->arena, (size_t)table.rows, sizeof *out->scores);
  if (!out->scores) return edgefw_failure(p->ctx);
  for (int64_t row = 0; status == EDGEFW_OK && row < table.rows; ++row)
    status = edgefw__csv_table_number(&table, row, score, &out->scores[row]);
  out->epochs = table.rows;
  return status;
}

static double ema_weight(int64_t epochs) {
  const double span = epochs > 60 ? (double)epochs / 20.0 : 3.0;
  return 2.0 / (span + 1.0);
}

/* Columns: epoch, then score and moving average of each curve. */
static void add_curves(const curve *curves, int count, int64_t epochs, edgefw__text *csv) {
  edgefw__text_add(csv, "epoch");
  for (int c = 0; c < count; ++c) {
    edgefw__text_add(csv, ",");
    edgefw__csv_add(csv, curves[c].variant);
    edgefw__text_add(csv, " score,");
    edgefw__csv_add(csv, curves[c].variant);
    edgefw__text_add(csv, " average");
  }
  edgefw__text_add(csv, "\n");
  double averages[EDGEFW__CSV_MAX_COLUMNS / 2];
  for (int64_t epoch = 0; epoch < epochs; ++epoch) {
    edgefw__text_add(csv, "%" PRId64, epoch + 1);
    for (int c = 0; c < count; ++c) {
      const bool there = epoch < curves[c].epochs;
      const double score = there ? curves[c].scores[epoch] : (double)NAN;
      const double weight = ema_weight(curves[c].epochs);
      averages[c] = epoch == 0 ? score : weight * score + (1.0 - weight) * averages[c];
      edgefw__csv_add_number(csv, score);
      edgefw__csv_add_number(csv, averages[c]);
    }
    edgefw__text_add(csv, "\n");
  }
}

static edgefw_status plot_training(plotter *p, const char *run_folder) {
  curve curves[EDGEFW__CSV_MAX_COLUMNS / 2];
  int count = 0;
  int64_t epochs = 0;
  for (int v = 0; v < p->report->variant_count && count < EDGEFW__CSV_MAX_COLUMNS / 2; ++v) {
    const edgefw_status status = read_curve(p, run_folder, p->report->variants[v], &curves[count]);
    if (status != EDGEFW_OK) return status;
    if (curves[count].epochs == 0) continue;
    if (curves[count].epochs > epochs) epochs = curves[count].epochs;
    curves[count++].color = v;
  }
  if (count == 0) return EDGEFW_OK;
  edgefw__text csv = {.ctx = p->ctx}, gp = {.ctx = p->ctx};
  edgefw_status status = EDGEFW_OK;
  add_curves(curves, count, epochs, &csv);
  edgefw__figure_begin(&gp, "training", "epoch", "training score (mean cost of the best rollout)",
                       "right top");
  edgefw__text_add(&gp, "plot \\\n");
  for (int c = 0; c < count; ++c) /* faint: every epoch */
    edgefw__text_add(&gp,
                     "  'training.csv' every ::1 using 1:%d with lines lw 1.5 lc rgb "
                     "'#a0%s' notitle, \\\n",
                     2 + 2 * c, edgefw__figure_color(curves[c].color));
  for (int c = 0; c < count; ++c) { /* solid: the average */
    const char *title = edgefw__gnuplot_string(p->arena, curves[c].variant);
    if (!title) status = edgefw_failure(p->ctx);
    edgefw__text_add(&gp,
                     "  'training.csv' every ::1 using 1:%d with lines lw 3 lc rgb '#%s' "
                     "title %s%s",
                     3 + 2 * c, edgefw__figure_color(curves[c].color), title ? title : "''",
                     c + 1 < count ? ", \\\n" : "\n");
  }
  edgefw__figure_end(&gp, "training");
  if (status == EDGEFW_OK) status = finish(p, "training", &csv, &gp);
  edgefw__text_release(&csv);
  edgefw__text_release(&gp);
  return status;
}

/* --- Gap against size --- */

/* The gap of a variant on a set of instances; NaN if there is none. */
static double gap_of(const plotter *p, int variant, const edgefw__instance_set *set) {
  const edgefw__result *result =
      edgefw__results_find(p->report->results, p->report->variants[variant], set->name);
  return result && !set->file ? result->gap_percent : (double)NAN;
}

static bool has_gap(const plotter *p, const edgefw__instance_set *set) {
  for (int v = 0; v < p->report->variant_count; ++v)
    if (isfinite(gap_of(p, v, set))) return true;
  return false;
}

/* Data, and the sizes as tics. Returns their number. */
static int add_gaps(const plotter *p, bool mixed, edgefw__text *csv, edgefw__text *gp) {
  int sizes = 0;
  double least = (double)INFINITY, most = 0.0;
  edgefw__text_add(csv, "n");
  for (int v = 0; v < p->report->variant_count; ++v) {
    edgefw__text_add(csv, ",");
    edgefw__csv_add(csv, p->report->variants[v]);
  }
  edgefw__text_add(csv, ",reference_kind\n");
  edgefw__text_add(gp, "set xtics (");
  for (int s = 0; s < p->report->set_count; ++s) {
    const edgefw__instance_set *set = &p->report->sets[s];
    if (!has_gap(p, set)) continue;
    edgefw__text_add(csv, "%" PRId64, set->size);
    for (int v = 0; v < p->report->variant_count; ++v)
      edgefw__csv_add_number(csv, gap_of(p, v, set));
    const char *kind = edgefw__reference_kind_name(edgefw__gap_kind_of(p->report, set));
    edgefw__text_add(csv, ",%s\n", kind);
    edgefw__text_add(gp, "%s", sizes++ ? ", " : "");
    if (mixed) edgefw__text_add(gp, "\"%" PRId64 "\\n%s\" ", set->size, kind);
    edgefw__text_add(gp, "%" PRId64, set->size);
    least = fmin(least, (double)set->size);
    most = fmax(most, (double)set->size);
  }
  /* Tics of two lines reach into the place of the axis' name. */
  edgefw__text_add(gp, mixed ? ")\nset xlabel offset 0,-1\nset bmargin 5.5\n" : ")\n");
  /* Some room at both ends. gnuplot's own offsets would not be the same on a logarithmic axis. */
  if (sizes > 0)
    edgefw__text_add(gp, "set logscale x\nset xrange [%.3f:%.3f]\n", least / 1.15, most * 1.15);
  /* The axis of gaps has 0 and all of them: a reference may be worse than the model. */
  edgefw__text_add(gp, "set yrange [*<0:0<*]\nset xzeroaxis lc rgb '#444444' lw 1 lt 1\n");
  return sizes;
}

static edgefw_status plot_gap(plotter *p) {
  edgefw__text csv = {.ctx = p->ctx}, gp = {.ctx = p->ctx};
  edgefw_status status = EDGEFW_OK;
  const edgefw__gap_kinds kinds = edgefw__gap_kinds_of(p->report, EDGEFW__GAP_SETS_INSTANCES);
  edgefw__figure_begin(&gp, "gap", "nodes", edgefw__gap_axis(kinds.kind), "left top");
  const int sizes = add_gaps(p, kinds.mixed, &csv, &gp);
  edgefw__text_add(&gp, "plot \\\n");
  for (int v = 0; v < p->report->variant_count; ++v) {
    const char *title = edgefw__gnuplot_string(p->arena, p->report->variants[v]);
    if (!title) status = edgefw_failure(p->ctx);
    edgefw__text_add(&gp,
                     "  'gap.csv' every ::1 using 1:%d with linespoints lw 2.5 pt 7 ps 1 "
                     "lc rgb '#%s' title %s%s",
                     v + 2, edgefw__figure_color(v), title ? title : "''",
                     v + 1 < p->report->variant_count ? ", \\\n" : "\n");
  }
  edgefw__figure_end(&gp, "gap");
  if (status == EDGEFW_OK && sizes > 0) status = finish(p, "gap", &csv, &gp);
  edgefw__text_release(&csv);
  edgefw__text_release(&gp);
  return status;
}

edgefw_status edgefw__plots_write(edgefw_context *ctx, edgefw_arena *arena, const char *folder,
                                  const edgefw__report *report, bool *changed) {
  plotter p = {.ctx = ctx,
               .arena = arena,
               .report = report,
               .figures = {.ctx = ctx,
                           .arena = arena,
                           .folder = edgefw__path_join(arena, folder, "plots"),
                           .changed = changed}};
  if (!p.figures.folder) return edgefw_failure(ctx);
  edgefw_status status = plot_training(&p, folder);
  if (status == EDGEFW_OK) status = plot_gap(&p);
  if (status == EDGEFW_OK) status = edgefw__time_plot_write(&p.figures, report);
  if (status == EDGEFW_OK && p.figures.gnuplot_missing)
    edgefw_log(ctx, EDGEFW_LOG_INFO,
               "plots: gnuplot is not installed; %s has the data and the scripts",
               p.figures.folder);
  return status;
}
