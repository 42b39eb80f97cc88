/* The table of diagnostics. */
#include "report/diagnostic_table.h"

#include <inttypes.h>
#include <math.h>

#include "report/grid.h"

#define TERMINAL_WIDTH 100

const char *edgefw__diagnostic_title(edgefw__diagnostic which) {
  static const char *const titles[] = {"Current SignAcc", "Reverse SignAcc", "Antisym SignAcc",
                                       "Swap control", "Local PairAcc"};
  return titles[which];
}

/* What the functions below share. */
typedef struct writer {
  edgefw_context *ctx;
  edgefw_arena *arena;
  const edgefw__diagnostic_report *report;
  edgefw__report_style style;
  edgefw__text *text;
} writer;

static const edgefw__diagnostic_row *row_of(const edgefw__diagnostic_report *report, int v, int s,
                                            edgefw__diagnostic which) {
  return edgefw__diagnostic_rows_find(report->rows, report->variants[v], report->sizes[s], which);
}

static bool has_row(const edgefw__diagnostic_report *report, int v, int s) {
  return row_of(report, v, s, EDGEFW__CURRENT) != NULL;
}

static int count_rows(const edgefw__diagnostic_report *report) {
  int count = 0;
  for (int s = 0; s < report->size_count; ++s)
    for (int v = 0; v < report->variant_count; ++v) count += has_row(report, v, s);
  return count;
}

bool edgefw__diagnostic_report_has_rows(const edgefw__diagnostic_report *report) {
  return count_rows(report) > 0;
}

static void add_title(const writer *w, const char *title) {
  edgefw__text_add(w->text, w->style == EDGEFW__REPORT_MARKDOWN ? "## %s: %s\n\n" : "%s: %s\n\n",
                   w->report->experiment, title);
}

static void add_grid(const writer *w, const edgefw__grid *grid) {
  if (w->style == EDGEFW__REPORT_MARKDOWN)
    edgefw__grid_markdown(grid, w->text);
  else
    edgefw__grid_plain(grid, TERMINAL_WIDTH, w->text);
  edgefw__text_add(w->text, "\n");
}

/* --- Shares --- */

static void fill_share(const writer *w, const edgefw__diagnostic_row *row, edgefw__grid *grid,
                       int line) {
  const edgefw__diagnostic_tally *t = &row->tally;
  const int group = (int)row->which;
  if (t->judged > 0) {
    const edgefw__interval interval = edgefw__wilson(t->hits, t->judged);
    *edgefw__grid_cell(grid, line, group, 0) =
        edgefw_arena_format(w->arena, "%.3f", (double)t->hits / (double)t->judged);
    *edgefw__grid_cell(grid, line, group, 1) =
        edgefw_arena_format(w->arena, "%.3f-%.3f", interval.low, interval.high);
  }
  *edgefw__grid_cell(grid, line, group, 2) = edgefw_arena_format(w->arena, "%" PRId64, t->judged);
  *edgefw__grid_cell(grid, line, group, 3) = edgefw_arena_format(w->arena, "%" PRId64, t->ties);
  *edgefw__grid_cell(grid, line, group, 4) = edgefw_arena_format(w->arena, "%" PRId64, t->left_out);
}

static edgefw_status add_shares(const writer *w) {
  static const char *const titles[] = {"share", "95 %", "of", "ties", "left out"};
  const edgefw__diagnostic_report *report = w->report;
  edgefw__grid grid;
  const edgefw_status status =
      edgefw__grid_create(w->ctx, w->arena, count_rows(report), EDGEFW__DIAGNOSTICS, 5, &grid);
  if (status != EDGEFW_OK) return status;
  grid.corner = "size, variant";
  grid.titles = titles;
  for (int which = 0; which < EDGEFW__DIAGNOSTICS; ++which)
    grid.headings[which] = edgefw__diagnostic_title((edgefw__diagnostic)which);
  int line = 0;
  for (int s = 0; s < report->size_count; ++s)
    for (int v = 0; v < report->variant_count; ++v) {
      if (!has_row(report, v, s)) continue;
      grid.labels[line] =
          edgefw_arena_format(w->arena, "%" PRId64 " %s", report->sizes[s], report->variants[v]);
      for (int which = 0; which < EDGEFW__DIAGNOSTICS; ++which) {
        const edgefw__diagnostic_row *row = row_of(report, v, s, (edgefw__diagnostic)which);
        if (row) fill_share(w, row, &grid, line);
      }
      ++line;
    }
  if (edgefw_failure(w->ctx) != EDGEFW_OK) return edgefw_failure(w->ctx);
  add_grid(w, &grid);
  return EDGEFW_OK;
}

/* --- Slopes --- */

static const char *slope_cell(const writer *w, double slope) {
  return isfinite(slope) ? edgefw_arena_format(w->arena, "%.3f", slope) : NULL;
}

static edgefw_status add_slopes(const writer *w) {
  static const char *const titles[] = {"mean", "lower quartile", "median", "upper quartile"};
  const edgefw__diagnostic_report *report = w->report;
  edgefw__grid grid;
  const edgefw_status status =
      edgefw__grid_create(w->ctx, w->arena, count_rows(report), 1, 4, &grid);
  if (status != EDGEFW_OK) return status;
  grid.corner = "size, variant";
  grid.titles = titles;
  grid.headings[0] = "change of the logit for each unit of D_ij";
  int line = 0;
  for (int s = 0; s < report->size_count; ++s)
    for (int v = 0; v < report->variant_count; ++v) {
      const edgefw__diagnostic_row *row = row_of(report, v, s, EDGEFW__CURRENT);
      if (!row) continue;
      grid.labels[line] =
          edgefw_arena_format(w->arena, "%" PRId64 " %s", report->sizes[s], report->variants[v]);
      *edgefw__grid_cell(&grid, line, 0, 0) = slope_cell(w, row->slope.mean);
      *edgefw__grid_cell(&grid, line, 0, 1) = slope_cell(w, row->slope.lower);
      *edgefw__grid_cell(&grid, line, 0, 2) = slope_cell(w, row->slope.median);
      *edgefw__grid_cell(&grid, line++, 0, 3) = slope_cell(w, row->slope.upper);
    }
  if (edgefw_failure(w->ctx) != EDGEFW_OK) return edgefw_failure(w->ctx);
  add_grid(w, &grid);
  return EDGEFW_OK;
}

/* --- Notes --- */

static const edgefw__diagnostic_row *first_row(const edgefw__diagnostic_report *report) {
  for (int s = 0; s < report->size_count; ++s)
    for (int v = 0; v < report->variant_count; ++v)
      if (has_row(report, v, s)) return row_of(report, v, s, EDGEFW__CURRENT);
  return NULL;
}

/* What the figures are of. Keys are the same for all rows of a run: others are out of date, and
 * made again. */
static void add_notes(const writer *w) {
  const edgefw__diagnostic_row *row = first_row(w->report);
  char by[32], alike[32], close[32];
  edgefw__number_text(row->rules.perturbation, by, sizeof by);
  edgefw__number_text(row->rules.closeness, alike, sizeof alike);
  edgefw__number_text(row->rules.swap_threshold, close, sizeof close);
  edgefw__text_add(
      w->text,
      "%" PRId64 " decoding states of greedy rollouts for each size, seed %" PRIu64
      ". The share is of "
      "the states in which the\nlogit of a candidate j falls when D_ij is raised (Current), D_ji "
      "is "
      "raised (Reverse, a control: about\n0.5), or D_ij is raised and D_ji lowered (Antisym), by "
      "%s "
      "mean arcs; follows when both are exchanged\n(Swap); and of pairs of like candidates in "
      "which "
      "the cheaper D_ij has the larger logit (Local PairAcc).\n95 %%: Wilson's interval. Ties: the "
      "logit did not change at all, or both are equal; they do not count.\nLeft out: Swap, the two "
      "costs differ by less than %s mean arcs; Local PairAcc, no two candidates whose\nclosing "
      "arcs, "
      "cheapest arcs out and cheapest arcs in differ by at most %s mean arcs; all, no choice.\n\n",
      row->states, row->seed, by, close, alike);
}

edgefw_status edgefw__diagnostic_table(edgefw_context *ctx, edgefw_arena *arena,
                                       const edgefw__diagnostic_report *report,
                                       edgefw__report_style style, edgefw__text *text) {
  const writer w = {ctx, arena, report, style, text};
  if (!edgefw__diagnostic_report_has_rows(report)) return EDGEFW_OK;
  add_title(&w, "diagnostics of the directed transition");
  edgefw_status status = add_shares(&w);
  if (status == EDGEFW_OK) status = add_slopes(&w);
  if (status != EDGEFW_OK) return status;
  add_notes(&w);
  return text->failed ? edgefw_failure(ctx) : EDGEFW_OK;
}
