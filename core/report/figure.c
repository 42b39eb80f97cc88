/* Writing figures and having them drawn. */
#include "report/figure.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/path.h"
#include "report/gnuplot.h"

static const char *const colors[] = {"4477aa", "ee6677", "228833", "ccbb44",
                                     "66ccee", "aa3377", "bbbbbb"};

static const struct {
  unsigned kind;
  const char *ending;
} drawings[] = {{EDGEFW__FIGURE_SVG, "svg"}, {EDGEFW__FIGURE_PNG, "png"}};

enum { DRAWINGS = sizeof drawings / sizeof *drawings };

const char *edgefw__figure_color(int index) {
  return colors[(size_t)index % (sizeof colors / sizeof *colors)];
}

void edgefw__figure_svg(edgefw__text *gp, const char *name, int width, int height) {
  edgefw__text_add(gp,
                   "set terminal svg noenhanced size %d,%d font 'Helvetica,15' background 'white'\n"
                   "set output '%s.svg'\n",
                   width, height, name);
}

void edgefw__figure_png(edgefw__text *gp, const char *name, int width, int height) {
  edgefw__text_add(gp,
                   "if (strstrt(GPVAL_TERMINALS, 'pngcairo') > 0) {\n"
                   "  set terminal pngcairo noenhanced size %d,%d font 'Helvetica,30' linewidth 2\n"
                   "} else {\n"
                   "  set terminal png noenhanced size %d,%d\n"
                   "}\n"
                   "set output '%s.png'\n",
                   2 * width, 2 * height, 2 * width, 2 * height, name);
}

/* Of a figure with two axes, in points. */
enum { WIDTH = 900, HEIGHT = 520 };

void edgefw__figure_begin(edgefw__text *gp, const char *name, const char *x, const char *y,
                          const char *key) {
  edgefw__text_add(gp,
                   "# Drawn by: gnuplot %s.gp\n"
                   "set datafile separator ','\n"
                   "set key %s Left reverse noenhanced\n"
                   "set grid back lc rgb '#dddddd' lw 1 lt 1\n"
                   "set border 3 lc rgb '#444444'\n"
                   "set tics nomirror\n"
                   "set xlabel '%s'\n"
                   "set ylabel '%s'\n",
                   name, key, x, y);
  edgefw__figure_svg(gp, name, WIDTH, HEIGHT);
}

void edgefw__figure_end(edgefw__text *gp, const char *name) {
  edgefw__figure_png(gp, name, WIDTH, HEIGHT);
  edgefw__text_add(gp, "replot\nset output\n");
}

static const char *drawing_path(const edgefw__figures *f, const char *name, int drawing) {
  return edgefw_arena_format(f->arena, "%s/%s.%s", f->folder, name, drawings[drawing].ending);
}

/* Are all drawings that are asked for there? */
static bool is_drawn(const edgefw__figures *f, const char *name, unsigned kinds) {
  for (int d = 0; d < DRAWINGS; ++d) {
    struct stat information;
    const char *path = kinds & drawings[d].kind ? drawing_path(f, name, d) : NULL;
    if (path && stat(path, &information) != 0) return false;
  }
  return true;
}

/* What gnuplot leaves behind when it gives up in the middle of a script: empty files, or a figure
 * of earlier data. */
static edgefw_status remove_drawings(const edgefw__figures *f, const char *name, unsigned kinds) {
  for (int d = 0; d < DRAWINGS; ++d) {
    if (!(kinds & drawings[d].kind)) continue;
    const char *path = drawing_path(f, name, d);
    if (!path) return edgefw_failure(f->ctx);
    unlink(path);
  }
  return EDGEFW_OK;
}

static edgefw_status run_gnuplot(edgefw__figures *f, const char *name, const char *script,
                                 unsigned kinds) {
  edgefw__gnuplot_outcome outcome = EDGEFW__GNUPLOT_DONE;
  const edgefw_status status = edgefw__gnuplot_run(f->ctx, f->arena, f->folder, script, &outcome);
  if (status != EDGEFW_OK) return status;
  f->gnuplot_missing |= outcome == EDGEFW__GNUPLOT_MISSING;
  if (outcome != EDGEFW__GNUPLOT_FAILED) return EDGEFW_OK;
  f->gnuplot_failed = true;
  edgefw_log(f->ctx, EDGEFW_LOG_WARNING, "gnuplot could not draw %s/%s; its data is beside it",
             f->folder, script);
  return remove_drawings(f, name, kinds);
}

edgefw_status edgefw__figure_write(edgefw__figures *f, const char *name, const edgefw__text *csv,
                                   const edgefw__text *gp, unsigned kinds) {
  const char *csv_name = edgefw_arena_format(f->arena, "%s.csv", name);
  const char *gp_name = edgefw_arena_format(f->arena, "%s.gp", name);
  if (!csv_name || !gp_name || csv->failed || gp->failed) return edgefw_failure(f->ctx);
  bool changed = false;
  edgefw_status status = edgefw__make_folders(f->ctx, f->folder);
  if (status == EDGEFW_OK)
    status =
        edgefw__update_file(f->ctx, f->arena, f->folder, csv_name, edgefw__text_get(csv), &changed);
  if (status == EDGEFW_OK)
    status =
        edgefw__update_file(f->ctx, f->arena, f->folder, gp_name, edgefw__text_get(gp), &changed);
  *f->changed |= changed;
  if (status == EDGEFW_OK && (changed || !is_drawn(f, name, kinds)))
    status = run_gnuplot(f, name, gp_name, kinds);
  return status;
}
