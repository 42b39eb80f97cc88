/* Joined runs for people. */
#include "report/joined_tables.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/grid_html.h"
#include "report/html.h"
#include "report/page_parts.h"

#define TERMINAL_WIDTH 100

/* "±" and "−" stand for themselves in UTF-8. */
#define PLUS_MINUS "\xC2\xB1"
#define MINUS      "\xE2\x88\x92"

static const char *const summary_titles[] = {"Obj", PLUS_MINUS, "Gap", PLUS_MINUS, "Runs"};
static const char *const seed_titles[] = {"Difference", "95 % interval", "t", "p (t)", "p (ranks)"};
static const char *const instance_titles[] = {"Pairs", "Differ", "p (ranks)"};

typedef struct writer {
  const edgefw__joined *joined;
  edgefw_arena *arena;
  edgefw__report_style style;
  edgefw__text *text;
} writer;

static void add_title(const writer *w, const char *title) {
  if (w->style == EDGEFW__REPORT_HTML)
    edgefw__html_element(w->text, "h2", title);
  else
    edgefw__text_add(w->text, "%s\n\n", title);
}

static void add_note(const writer *w, const char *note) {
  if (w->style == EDGEFW__REPORT_HTML)
    edgefw__html_element(w->text, "p class=\"note flow\"", note);
  else
    edgefw__text_add(w->text, "%s\n\n", note);
}

/* --- Cells: NULL, which is shown as a dash, where there is no number --- */

static const char *cost_cell(const writer *w, double value) {
  return isfinite(value) ? edgefw_arena_format(w->arena, "%.4f", value) : NULL;
}

static const char *gap_cell(const writer *w, double value) {
  return isfinite(value) ? edgefw_arena_format(w->arena, "%.2f%%", value) : NULL;
}

static const char *number_cell(const writer *w, double value) {
  return isfinite(value) ? edgefw_arena_format(w->arena, "%.3g", value) : NULL;
}

static const char *count_cell(const writer *w, int64_t count) {
  return edgefw_arena_format(w->arena, "%" PRId64, count);
}

/* A difference: of costs, or of gaps for library files. */
static const char *difference_cell(const writer *w, int set, double value) {
  if (!isfinite(value)) return NULL;
  return w->joined->sets[set].set ? edgefw_arena_format(w->arena, "%+.4f", value)
                                  : edgefw_arena_format(w->arena, "%+.2f%%", value);
}

/* --- What each variant reaches --- */

static edgefw_status fill_summary(const writer *w, edgefw__grid *grid, int variant, int set) {
  edgefw__over_runs cost, gap;
  const edgefw_status status = edgefw__joined_summary(w->joined, variant, set, &cost, &gap);
  if (status != EDGEFW_OK) return status;
  *edgefw__grid_cell(grid, variant, set, 0) = cost_cell(w, cost.mean);
  *edgefw__grid_cell(grid, variant, set, 1) = cost_cell(w, cost.deviation);
  *edgefw__grid_cell(grid, variant, set, 2) = gap_cell(w, gap.mean);
  *edgefw__grid_cell(grid, variant, set, 3) = gap_cell(w, gap.deviation);
  *edgefw__grid_cell(grid, variant, set, 4) = count_cell(w, w->joined->runs);
  return EDGEFW_OK;
}

static void add_grid(const writer *w, const edgefw__grid *grid, int skip) {
  if (w->style == EDGEFW__REPORT_HTML)
    edgefw__grid_html(grid, skip, w->text);
  else
    edgefw__grid_plain(grid, TERMINAL_WIDTH, w->text);
  edgefw__text_add(w->text, "\n");
}

static edgefw_status add_summary(const writer *w) {
  const edgefw__joined *joined = w->joined;
  edgefw__grid grid;
  edgefw_status status = edgefw__grid_create(joined->ctx, w->arena, joined->variant_count,
                                             joined->set_count, 5, &grid);
  if (status != EDGEFW_OK) return status;
  grid.corner = "variant";
  grid.titles = summary_titles;
  for (int v = 0; v < joined->variant_count; ++v) grid.labels[v] = joined->variants[v];
  for (int s = 0; s < joined->set_count; ++s) grid.headings[s] = joined->sets[s].heading;
  for (int v = 0; v < joined->variant_count; ++v)
    for (int s = 0; status == EDGEFW_OK && s < joined->set_count; ++s)
      status = fill_summary(w, &grid, v, s);
  if (status == EDGEFW_OK) status = edgefw_failure(joined->ctx);
  if (status != EDGEFW_OK) return status;
  add_title(w, "Over the seeds");
  add_grid(w, &grid, 0);
  add_note(w, "Mean over the runs, and " PLUS_MINUS " one standard deviation of a single run (with "
              "runs - 1 in the\ndenominator). Gap of library files: mean of the files' own gaps.");
  return EDGEFW_OK;
}

/* --- Whether variants differ --- */

static void fill_tests(const writer *w, edgefw__grid *seeds, edgefw__grid *instances, int row,
                       int set, const edgefw__joined_test *test) {
  const edgefw__t_test *t = &test->seeds;
  *edgefw__grid_cell(seeds, row, set, 0) = difference_cell(w, set, t->mean);
  if (isfinite(t->low))
    *edgefw__grid_cell(seeds, row, set, 1) = edgefw_arena_format(
        w->arena, "%s .. %s", difference_cell(w, set, t->low), difference_cell(w, set, t->high));
  *edgefw__grid_cell(seeds, row, set, 2) = number_cell(w, t->t);
  *edgefw__grid_cell(seeds, row, set, 3) = number_cell(w, t->p);
  *edgefw__grid_cell(seeds, row, set, 4) = number_cell(w, test->seed_ranks.p);
  if (test->instance_count == 0) return;
  *edgefw__grid_cell(instances, row, set, 0) = count_cell(w, test->instance_count);
  *edgefw__grid_cell(instances, row, set, 1) = count_cell(w, test->instances.count);
  *edgefw__grid_cell(instances, row, set, 2) = number_cell(w, test->instances.p);
}

/* Both grids, row by row: each variant less each earlier one. */
static edgefw_status compare_all(const writer *w, edgefw__grid *seeds, edgefw__grid *instances) {
  const edgefw__joined *joined = w->joined;
  edgefw_status status = EDGEFW_OK;
  int row = 0;
  for (int a = 1; a < joined->variant_count; ++a)
    for (int b = 0; b < a; ++b, ++row) {
      const char *label = edgefw_arena_format(w->arena, "%s " MINUS " %s", joined->variants[a],
                                              joined->variants[b]);
      seeds->labels[row] = instances->labels[row] = label;
      for (int s = 0; status == EDGEFW_OK && s < joined->set_count; ++s) {
        edgefw__joined_test test;
        status = edgefw__joined_compare(joined, a, b, s, &test);
        if (status == EDGEFW_OK) fill_tests(w, seeds, instances, row, s, &test);
      }
    }
  return status == EDGEFW_OK ? edgefw_failure(joined->ctx) : status;
}

static edgefw_status add_tests(const writer *w) {
  const edgefw__joined *joined = w->joined;
  const int pairs = joined->variant_count * (joined->variant_count - 1) / 2;
  if (pairs == 0) return EDGEFW_OK;
  edgefw__grid seeds, instances;
  edgefw_status status =
      edgefw__grid_create(joined->ctx, w->arena, pairs, joined->set_count, 5, &seeds);
  if (status == EDGEFW_OK)
    status = edgefw__grid_create(joined->ctx, w->arena, pairs, joined->set_count, 3, &instances);
  if (status != EDGEFW_OK) return status;
  seeds.corner = instances.corner = "variants";
  seeds.titles = seed_titles;
  instances.titles = instance_titles;
  for (int s = 0; s < joined->set_count; ++s)
    seeds.headings[s] = instances.headings[s] = joined->sets[s].heading;
  status = compare_all(w, &seeds, &instances);
  if (status != EDGEFW_OK) return status;
  add_title(w, "Do variants differ? Paired by seed");
  add_grid(w, &seeds, -1);
  add_note(w,
           "Difference of Obj, of library files' Gap; below 0 the first variant is better. Pairs "
           "are runs: another\nseed may be expected to show the same where p is small. t: "
           "Student's paired test; ranks: Wilcoxon's\nsigned-rank test, exact up to 50 pairs. "
           "Two-sided, and not corrected for the number of comparisons.");
  add_title(w, "Do variants differ? Paired by instance");
  add_grid(w, &instances, -1);
  add_note(w, "Wilcoxon's signed-rank test on the instances, each with the mean of its costs (of a "
              "file: its gaps) over\nthe runs. It tells whether these very models differ on other "
              "such instances, and nothing of other seeds.");
  return EDGEFW_OK;
}

/* --- All of it --- */

/* "3 runs: seeds 1, 2, 3". */
static edgefw_status add_runs(const writer *w, edgefw__text *out) {
  const edgefw__joined *joined = w->joined;
  edgefw__text_add(out, "%s, %d runs: seeds ", joined->records[0].report.problem, joined->runs);
  for (int r = 0; r < joined->runs; ++r)
    edgefw__text_add(out, "%s%s", r ? ", " : "",
                     edgefw__run_record_value(&joined->records[r], "experiment", "seed"));
  return out->failed ? edgefw_failure(joined->ctx) : EDGEFW_OK;
}

edgefw_status edgefw__joined_tables(const edgefw__joined *joined, edgefw__report_style style,
                                    edgefw__text *text) {
  const writer w = {joined, joined->arena, style, text};
  edgefw_status status = EDGEFW_OK;
  if (style == EDGEFW__REPORT_PLAIN) {
    edgefw__text_add(text, "%s: ", joined->records[0].report.experiment);
    status = add_runs(&w, text);
    edgefw__text_add(text, "\n\n");
  }
  if (status == EDGEFW_OK) status = add_summary(&w);
  return status == EDGEFW_OK ? add_tests(&w) : status;
}

edgefw_status edgefw__joined_page(const edgefw__joined *joined, edgefw__text *html) {
  const writer w = {joined, joined->arena, EDGEFW__REPORT_HTML, html};
  edgefw__text lead = {.ctx = joined->ctx};
  edgefw_status status = add_runs(&w, &lead);
  if (status == EDGEFW_OK) {
    const edgefw__text none = {.ctx = joined->ctx};
    edgefw__page_head(joined->records[0].report.experiment, edgefw__text_get(&lead), &none, html);
    status = edgefw__joined_tables(joined, EDGEFW__REPORT_HTML, html);
    edgefw__html_element(html, "h2", "Runs");
    edgefw__text_add(html, "<ul>\n");
    for (int r = 0; r < joined->runs; ++r)
      edgefw__html_element(html, "li", joined->records[r].folder);
    edgefw__text_add(html, "</ul>\n");
    edgefw__page_details((&(edgefw__page){.html = html}), "Configuration of the first");
    edgefw__html_element(html, "pre", joined->records[0].config);
    edgefw__text_add(html, "</details>\n");
    edgefw__page_foot(html);
  }
  edgefw__text_release(&lead);
  if (status == EDGEFW_OK && html->failed) status = edgefw_failure(joined->ctx);
  return status;
}
