/* Data and scripts of the figures. */
#include "report/plots.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/csv.h"
#include "base/path.h"
#include "base/text.h"
#include "report/gnuplot.h"

/* Colours that stay apart for most eyes; variants take them in order. */
static const char *const colors[] = {"4477aa", "ee6677", "228833", "ccbb44",
                                     "66ccee", "aa3377", "bbbbbb"};

static const char *color(int variant) {
  return colors[(size_t)variant % (sizeof colors / sizeof *colors)];
}

/* What the functions below share. */
typedef struct plotter {
  edgefw_context *ctx;
  edgefw_arena *arena;
  const char *folder; /* FOLDER/plots */
  const edgefw__report *report;
  bool *changed;
  bool gnuplot_missing;
} plotter;

static bool exists(const char *path) {
  struct stat information;
  return stat(path, &information) == 0;
}

/* --- Scripts --- */

static void add_header(edgefw__text *gp, const char *name, const char *x, const char *y,
                       const char *key) {
  edgefw__text_add(gp,
                   "# Drawn by: gnuplot %s.gp\n"
                   "set datafile separator ','\n"
                   "set key %s Left reverse noenhanced\n"
                   "set grid back lc rgb '#dddddd' lw 1 lt 1\n"
                   "set border 3 lc rgb '#444444'\n"
                   "set tics nomirror\n"
                   "set xlabel '%s'\n"
                   "set ylabel '%s'\n"
                   "set terminal svg size 900,520 font 'Helvetica,15' background 'white'\n"
                   "set output '%s.svg'\n",
                   name, key, x, y, name);
}

/* The PNG, once the SVG is plotted. */
static void add_footer(edgefw__text *gp, const char *name) {
  edgefw__text_add(gp,
                   "if (strstrt(GPVAL_TERMINALS, 'pngcairo') > 0) {\n"
                   "  set terminal pngcairo size 1800,1040 font 'Helvetica,30' linewidth 2\n"
                   "} else {\n"
                   "  set terminal png size 1800,1040\n"
                   "}\n"
                   "set output '%s.png'\n"
                   "replot\n"
                   "set output\n",
                   name);
}

/* What gnuplot leaves behind when it gives up in the middle of a script: empty files, or a figure
 * of earlier data. */
static edgefw_status remove_drawings(plotter *p, const char *name) {
  static const char *const endings[] = {"svg", "png"};
  for (size_t e = 0; e < sizeof endings / sizeof *endings; ++e) {
    const char *path = edgefw_arena_format(p->arena, "%s/%s.%s", p->folder, name, endings[e]);
    if (!path) return edgefw_failure(p->ctx);
    unlink(path);
  }
  return EDGEFW_OK;
}

static edgefw_status run_gnuplot(plotter *p, const char *name) {
  const char *script = edgefw_arena_format(p->arena, "%s.gp", name);
  if (!script) return edgefw_failure(p->ctx);
  edgefw__gnuplot_outcome outcome = EDGEFW__GNUPLOT_DONE;
  const edgefw_status status = edgefw__gnuplot_run(p->ctx, p->arena, p->folder, script, &outcome);
  if (status != EDGEFW_OK) return status;
  p->gnuplot_missing |= outcome == EDGEFW__GNUPLOT_MISSING;
  if (outcome != EDGEFW__GNUPLOT_FAILED) return EDGEFW_OK;
  edgefw_log(p->ctx, EDGEFW_LOG_WARNING, "gnuplot could not draw %s/%s; its data is beside it",
             p->folder, script);
  return remove_drawings(p, name);
}

/* Write data and script, and draw them if they are new or were not drawn. */
static edgefw_status finish(plotter *p, const char *name, edgefw__text *csv, edgefw__text *gp) {
  const char *csv_name = edgefw_arena_format(p->arena, "%s.csv", name);
  const char *gp_name = edgefw_arena_format(p->arena, "%s.gp", name);
  const char *png = edgefw_arena_format(p->arena, "%s/%s.png", p->folder, name);
  if (!csv_name || !gp_name || !png || csv->failed || gp->failed) return edgefw_failure(p->ctx);
  bool changed = false;
  edgefw_status status = edgefw__make_folders(p->ctx, p->folder);
  if (status == EDGEFW_OK)
    status =
        edgefw__update_file(p->ctx, p->arena, p->folder, csv_name, edgefw__text_get(csv), &changed);
  if (status == EDGEFW_OK)
    status =
        edgefw__update_file(p->ctx, p->arena, p->folder, gp_name, edgefw__text_get(gp), &changed);
  *p->changed |= changed;
  if (status == EDGEFW_OK && (changed || !exists(png))) status = run_gnuplot(p, name);
  return status;
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
  add_header(&gp, "training", "epoch", "training score (mean cost of the best rollout)",
             "right top");
  edgefw__text_add(&gp, "plot \\\n");
  for (int c = 0; c < count; ++c) /* faint: every epoch */
    edgefw__text_add(&gp,
                     "  'training.csv' every ::1 using 1:%d with lines lw 1.5 lc rgb "
                     "'#a0%s' notitle, \\\n",
                     2 + 2 * c, color(curves[c].color));
  for (int c = 0; c < count; ++c) { /* solid: the average */
    const char *title = edgefw__gnuplot_string(p->arena, curves[c].variant);
    if (!title) status = edgefw_failure(p->ctx);
    edgefw__text_add(&gp,
                     "  'training.csv' every ::1 using 1:%d with lines lw 3 lc rgb '#%s' "
                     "title %s%s",
                     3 + 2 * c, color(curves[c].color), title ? title : "''",
                     c + 1 < count ? ", \\\n" : "\n");
  }
  add_footer(&gp, "training");
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
static int add_gaps(const plotter *p, edgefw__text *csv, edgefw__text *gp) {
  int sizes = 0;
  double least = (double)INFINITY, most = 0.0;
  edgefw__text_add(csv, "n");
  for (int v = 0; v < p->report->variant_count; ++v) {
    edgefw__text_add(csv, ",");
    edgefw__csv_add(csv, p->report->variants[v]);
  }
  edgefw__text_add(csv, "\n");
  edgefw__text_add(gp, "set xtics (");
  for (int s = 0; s < p->report->set_count; ++s) {
    const edgefw__instance_set *set = &p->report->sets[s];
    if (!has_gap(p, set)) continue;
    edgefw__text_add(csv, "%" PRId64, set->size);
    for (int v = 0; v < p->report->variant_count; ++v)
      edgefw__csv_add_number(csv, gap_of(p, v, set));
    edgefw__text_add(csv, "\n");
    edgefw__text_add(gp, "%s%" PRId64, sizes++ ? ", " : "", set->size);
    least = fmin(least, (double)set->size);
    most = fmax(most, (double)set->size);
  }
  /* Some room at both ends. gnuplot's own offsets would not be the same on a logarithmic axis. */
  if (sizes > 0)
    edgefw__text_add(gp, ")\nset logscale x\nset xrange [%.3f:%.3f]\n", least / 1.15, most * 1.15);
  /* The axis of gaps has 0 and all of them: a reference may be worse than the model. */
  edgefw__text_add(gp, "set yrange [*<0:0<*]\nset xzeroaxis lc rgb '#444444' lw 1 lt 1\n");
  return sizes;
}

static edgefw_status plot_gap(plotter *p) {
  edgefw__text csv = {.ctx = p->ctx}, gp = {.ctx = p->ctx};
  edgefw_status status = EDGEFW_OK;
  add_header(&gp, "gap", "nodes", "gap to the reference costs (%)", "left top");
  const int sizes = add_gaps(p, &csv, &gp);
  edgefw__text_add(&gp, "plot \\\n");
  for (int v = 0; v < p->report->variant_count; ++v) {
    const char *title = edgefw__gnuplot_string(p->arena, p->report->variants[v]);
    if (!title) status = edgefw_failure(p->ctx);
    edgefw__text_add(&gp,
                     "  'gap.csv' every ::1 using 1:%d with linespoints lw 2.5 pt 7 ps 1 "
                     "lc rgb '#%s' title %s%s",
                     v + 2, color(v), title ? title : "''",
                     v + 1 < p->report->variant_count ? ", \\\n" : "\n");
  }
  add_footer(&gp, "gap");
  if (status == EDGEFW_OK && sizes > 0) status = finish(p, "gap", &csv, &gp);
  edgefw__text_release(&csv);
  edgefw__text_release(&gp);
  return status;
}

edgefw_status edgefw__plots_write(edgefw_context *ctx, edgefw_arena *arena, const char *folder,
                                  const edgefw__report *report, bool *changed) {
  plotter p = {.ctx = ctx,
               .arena = arena,
               .folder = edgefw__path_join(arena, folder, "plots"),
               .report = report,
               .changed = changed};
  if (!p.folder) return edgefw_failure(ctx);
  edgefw_status status = plot_training(&p, folder);
  if (status == EDGEFW_OK) status = plot_gap(&p);
  if (status == EDGEFW_OK && p.gnuplot_missing)
    edgefw_log(ctx, EDGEFW_LOG_INFO,
               "plots: gnuplot is not installed; %s has the data and the scripts", p.folder);
  return status;
}
