/* Table of measured results. The rows of publications are in report_published.c. */
#include "report/report_table.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "report/beaten.h"
#include "report/gap_kinds.h"
#include "report/grid.h"
#include "report/grid_html.h"
#include "report/html.h"
#include "report/report_published.h"

#define TERMINAL_WIDTH 100

/* What the functions below share. */
typedef struct writer {
  edgefw_context *ctx;
  edgefw_arena *arena;
  const edgefw__report *report;
  edgefw__report_style style;
  edgefw__text *text;
} writer;

/* Times are those of construction and search apart where there is any search. */
enum { COLUMNS = 3, MOST_COLUMNS = 4 };
static const char *const titles[] = {"Obj", "Gap", "Time"};
static const char *const file_titles[] = {"Cost", "Gap", "Time"};
static const char *const bucket_titles[] = {"Files", "Gap", "Time"};
static const char *const search_titles[] = {"Obj", "Gap", "Constr", "Search"};
static const char *const file_search_titles[] = {"Cost", "Gap", "Constr", "Search"};

static void add_title(const writer *w, const char *title) {
  if (w->style == EDGEFW__REPORT_MARKDOWN)
    edgefw__text_add(w->text, "## %s\n\n", title);
  else if (w->style == EDGEFW__REPORT_HTML)
    edgefw__html_element(w->text, "h3", title);
  else
    edgefw__text_add(w->text, "%s\n\n", title);
}

/* `skip`: how many rows at the head are no variants; -1: the best one is not marked. */
static void add_grid(const writer *w, const edgefw__grid *grid, int skip) {
  if (w->style == EDGEFW__REPORT_MARKDOWN)
    edgefw__grid_markdown(grid, w->text);
  else if (w->style == EDGEFW__REPORT_HTML)
    edgefw__grid_html(grid, skip, w->text);
  else
    edgefw__grid_plain(grid, TERMINAL_WIDTH, w->text);
  edgefw__text_add(w->text, "\n");
}

/* Lines of text below a table; they are released. */
static void add_lines(const writer *w, edgefw__text *lines) {
  if (lines->failed) w->text->failed = true;
  if (w->style == EDGEFW__REPORT_HTML && lines->length > 0) {
    while (lines->length > 0 && lines->data[lines->length - 1] == '\n')
      lines->data[--lines->length] = '\0';
    edgefw__html_element(w->text, "p class=\"note\"", lines->data);
  } else {
    edgefw__text_add_bytes(w->text, edgefw__text_get(lines), lines->length);
  }
  edgefw__text_release(lines);
}

/* --- Cells: NULL (shown as "-") where there is no number, or no memory (recorded) --- */

static const char *objective_cell(const writer *w, double value, bool file) {
  if (!isfinite(value)) return NULL;
  if (!file) return edgefw_arena_format(w->arena, "%.4f", value);
  char number[32];
  if (value == floor(value) && fabs(value) < 1e15)
    return edgefw_arena_format(w->arena, "%s", edgefw__number_text(value, number, sizeof number));
  return edgefw_arena_format(w->arena, "%.2f", value);
}

static const char *gap_cell(const writer *w, double percent) {
  return isfinite(percent) ? edgefw_arena_format(w->arena, "%.2f%%", percent) : NULL;
}

static const char *time_cell(const writer *w, double seconds) {
  char duration[EDGEFW__UNIT_TEXT];
  if (!isfinite(seconds)) return NULL;
  return edgefw_arena_text(w->arena, edgefw__duration_text(seconds, duration, sizeof duration));
}

/* "ATSP-100 (1000)" for a set of instances, "NAME (n = 34)" for a library file. */
static const char *heading(const writer *w, const edgefw__instance_set *set) {
  if (set->file) return edgefw_arena_format(w->arena, "%s (n = %" PRId64 ")", set->name, set->size);
  char *text = edgefw_arena_format(w->arena, "%s-%" PRId64 " (%" PRId64 ")", w->report->problem,
                                   set->size, set->count);
  for (size_t c = 0; text && c < strlen(w->report->problem); ++c)
    text[c] = (char)toupper((unsigned char)text[c]);
  return text;
}

/* --- The measured grids --- */

/* Did any row search after construction, and did its program tell the two apart? */
static bool searches(const edgefw__report *report) {
  for (size_t r = 0; r < report->results->count; ++r)
    if (report->results->items[r].search_seconds > 0.0) return true;
  return false;
}

static void fill_row(const writer *w, edgefw__grid *grid, int row, int group,
                     const edgefw__result *result, bool file) {
  if (!result) return;
  *edgefw__grid_cell(grid, row, group, 0) = objective_cell(w, result->objective, file);
  *edgefw__grid_cell(grid, row, group, 1) = gap_cell(w, result->gap_percent);
  if (grid->per_group == COLUMNS) {
    *edgefw__grid_cell(grid, row, group, 2) = time_cell(w, result->seconds);
    return;
  }
  /* An older program did not tell them apart; without search all of it was construction. */
  const bool told = isfinite(result->construction_seconds) || strchr(result->select, '+');
  *edgefw__grid_cell(grid, row, group, 2) =
      time_cell(w, told ? result->construction_seconds : result->seconds);
  if (result->search_seconds > 0.0)
    *edgefw__grid_cell(grid, row, group, 3) = time_cell(w, result->search_seconds);
}

/* What the first row is called: what the gaps are to, where all are to the same. */
static const char *reference_label(const writer *w, edgefw__gap_kinds kinds) {
  if (kinds.kind == EDGEFW__REFERENCE_UNKNOWN) return "(reference)";
  return edgefw_arena_format(w->arena, "(%s)", edgefw__reference_kind_name(kinds.kind));
}

/* The first row: what the gaps are against, and with `mixed` kinds which one it is. */
static void fill_reference(const writer *w, edgefw__grid *grid, int group,
                           const edgefw__instance_set *set, bool mixed) {
  const edgefw__reference_kind kind = edgefw__gap_kind_of(w->report, set);
  if (mixed && kind != EDGEFW__REFERENCE_UNKNOWN)
    *edgefw__grid_cell(grid, 0, group, 1) = edgefw__reference_kind_name(kind);
  for (int v = 0; v < w->report->variant_count; ++v) {
    const edgefw__result *result =
        edgefw__results_find(w->report->results, w->report->variants[v], set->name);
    if (!result || !isfinite(result->reference)) continue;
    *edgefw__grid_cell(grid, 0, group, 0) = objective_cell(w, result->reference, set->file != NULL);
    return;
  }
}

static edgefw_status add_measured(const writer *w, bool files) {
  const edgefw__report *report = w->report;
  int groups = 0;
  for (int s = 0; s < report->set_count; ++s) groups += (report->sets[s].file != NULL) == files;
  if (groups == 0) return EDGEFW_OK;
  edgefw__grid grid;
  const bool search = searches(report);
  edgefw_status status = edgefw__grid_create(w->ctx, w->arena, report->variant_count + 1, groups,
                                             search ? MOST_COLUMNS : COLUMNS, &grid);
  if (status != EDGEFW_OK) return status;
  grid.corner = "variant";
  grid.titles = search ? files ? file_search_titles : search_titles : files ? file_titles : titles;
  const edgefw__gap_kinds kinds =
      edgefw__gap_kinds_of(report, files ? EDGEFW__GAP_SETS_FILES : EDGEFW__GAP_SETS_INSTANCES);
  grid.labels[0] = reference_label(w, kinds);
  for (int v = 0; v < report->variant_count; ++v) grid.labels[v + 1] = report->variants[v];
  for (int s = 0, group = 0; s < report->set_count; ++s) {
    const edgefw__instance_set *set = &report->sets[s];
    if ((set->file != NULL) != files) continue;
    grid.headings[group] = heading(w, set);
    fill_reference(w, &grid, group, set, kinds.mixed);
    for (int v = 0; v < report->variant_count; ++v)
      fill_row(w, &grid, v + 1, group,
               edgefw__results_find(report->results, report->variants[v], set->name), files);
    ++group;
  }
  if (edgefw_failure(w->ctx) != EDGEFW_OK) return edgefw_failure(w->ctx);
  add_grid(w, &grid, 1);
  return EDGEFW_OK;
}

/* "n <= 200", "200 < n <= 500", "n > 500", "all files". */
static const char *bucket_heading(const writer *w, int b) {
  int64_t above, up_to;
  edgefw__buckets_range(&w->report->buckets, b, &above, &up_to);
  if (above == 0 && up_to == INT64_MAX) return "all files";
  if (above == 0) return edgefw_arena_format(w->arena, "n <= %" PRId64, up_to);
  if (up_to == INT64_MAX) return edgefw_arena_format(w->arena, "n > %" PRId64, above);
  return edgefw_arena_format(w->arena, "%" PRId64 " < n <= %" PRId64, above, up_to);
}

/* "12", or "11 of 12" when the others have no best known cost. */
static const char *files_cell(const writer *w, const edgefw__bucket *bucket) {
  if (bucket->compared == bucket->files)
    return edgefw_arena_format(w->arena, "%" PRId64, bucket->files);
  return edgefw_arena_format(w->arena, "%" PRId64 " of %" PRId64, bucket->compared, bucket->files);
}

/* A mean over gaps of which some are to bounds says so. */
static const char *bucket_gap_cell(const writer *w, const edgefw__bucket *bucket) {
  if (bucket->to_bound == 0 || bucket->to_bound == bucket->compared)
    return gap_cell(w, bucket->mean_gap_percent);
  return edgefw_arena_format(w->arena, "%.2f%% (%" PRId64 " to bound)", bucket->mean_gap_percent,
                             bucket->to_bound);
}

static void fill_bucket(const writer *w, edgefw__grid *grid, int group, int b) {
  const edgefw__report *report = w->report;
  grid->headings[group] = bucket_heading(w, b);
  for (int v = 0; v < report->variant_count; ++v) {
    const edgefw__bucket bucket =
        edgefw__buckets_summary(&report->buckets, report->results, report->variants[v], b);
    *edgefw__grid_cell(grid, v, group, 0) = files_cell(w, &bucket);
    *edgefw__grid_cell(grid, v, group, 1) = bucket_gap_cell(w, &bucket);
    *edgefw__grid_cell(grid, v, group, 2) = time_cell(w, bucket.seconds);
  }
}

/* Library files by size; buckets without any are left out. */
static edgefw_status add_buckets(const writer *w) {
  const edgefw__report *report = w->report;
  const int count = edgefw__buckets_count(&report->buckets);
  int groups = 0;
  for (int b = 0; b < count; ++b) groups += edgefw__buckets_files(&report->buckets, b) > 0;
  if (groups == 0) return EDGEFW_OK;
  edgefw__grid grid;
  const edgefw_status status =
      edgefw__grid_create(w->ctx, w->arena, report->variant_count, groups, COLUMNS, &grid);
  if (status != EDGEFW_OK) return status;
  grid.corner = "variant";
  grid.titles = bucket_titles;
  for (int v = 0; v < report->variant_count; ++v) grid.labels[v] = report->variants[v];
  for (int b = 0, group = 0; b < count; ++b)
    if (edgefw__buckets_files(&report->buckets, b) > 0) fill_bucket(w, &grid, group++, b);
  if (edgefw_failure(w->ctx) != EDGEFW_OK) return edgefw_failure(w->ctx);
  add_grid(w, &grid, -1);
  edgefw__text lines = {.ctx = w->ctx};
  edgefw__text_add(&lines, "By size: Gap is the mean of the files' own gaps.\n\n");
  add_lines(w, &lines);
  return EDGEFW_OK;
}

/* The variants whose best rollout is one of those of 8 reflections. */
static void add_reflections(const writer *w, edgefw__text *lines) {
  const edgefw__results *results = w->report->results;
  const char *separator = "Best of 8 reflections: ";
  for (int v = 0; v < w->report->variant_count; ++v) {
    bool reflected = false;
    for (size_t r = 0; r < results->count; ++r)
      reflected |= results->items[r].augment > 1 &&
                   strcmp(results->items[r].variant, w->report->variants[v]) == 0;
    if (!reflected) continue;
    edgefw__text_add(lines, "%s%s", separator, w->report->variants[v]);
    separator = ", ";
  }
  if (strcmp(separator, ", ") == 0) edgefw__text_add(lines, ".\n");
}

/* What a gap is, and what it is to. */
static void add_meaning(const writer *w, edgefw__text *lines) {
  static const char *const meanings[] = {
      [EDGEFW__REFERENCE_UNKNOWN] = "Gap: mean cost against mean reference cost",
      [EDGEFW__REFERENCE_OPTIMUM] = "Gap: mean cost against mean optimum",
      [EDGEFW__REFERENCE_BEST_KNOWN] = "Gap to best known: mean cost against mean reference cost",
      [EDGEFW__REFERENCE_BOUND] = "Gap to bound: mean cost against mean lower bound"};
  const edgefw__gap_kinds kinds = edgefw__gap_kinds_of(w->report, EDGEFW__GAP_SETS_ALL);
  edgefw__text_add(lines, "%s%s. %s: the whole set.\n\n", meanings[kinds.kind],
                   kinds.mixed ? ", which is optimum, best known or bound, as the first row says"
                               : "",
                   searches(w->report) ? "Time of construction, and of search after it" : "Time");
}

/* Do heuristics make the solutions of any row? */
static bool constructs(const edgefw__report *report) {
  for (size_t r = 0; r < report->results->count; ++r)
    if (isnan(report->results->items[r].logit_clip)) return true;
  return false;
}

/* How each variant decodes, where they differ. */
static void add_decodings(const writer *w, edgefw__text *lines) {
  const edgefw__results *results = w->report->results;
  const bool heuristics = constructs(w->report);
  const char *separator = heuristics ? "Solutions: " : "Decoding: ";
  for (int v = 0; v < w->report->variant_count; ++v)
    for (size_t r = 0; r < results->count; ++r) {
      if (strcmp(results->items[r].variant, w->report->variants[v]) != 0) continue;
      edgefw__text_add(lines, "%s%s %s", separator, w->report->variants[v],
                       results->items[r].select);
      separator = ", ";
      break;
    }
  edgefw__text_add(lines, "; the best %s of an instance counts.\n",
                   heuristics ? "tour" : "rollout");
}

/* How it was decoded, and what gaps are. */
static void add_caption(const writer *w, edgefw__text *lines) {
  const edgefw__results *results = w->report->results;
  bool same_select = results->count > 0, same_clip = same_select;
  for (size_t r = 1; r < results->count; ++r) {
    same_select &= strcmp(results->items[r].select, results->items[0].select) == 0;
    same_clip &= results->items[r].logit_clip == results->items[0].logit_clip;
  }
  char number[32];
  if (same_select && constructs(w->report))
    edgefw__text_add(lines, "Solutions: %s; the best tour of an instance counts.\n",
                     results->items[0].select);
  else if (same_select && same_clip)
    edgefw__text_add(lines, "Decoding: %s, clip %s; the best rollout of an instance counts.\n",
                     results->items[0].select,
                     edgefw__number_text(results->items[0].logit_clip, number, sizeof number));
  else if (results->count > 0 && !same_select)
    add_decodings(w, lines);
  add_reflections(w, lines);
  add_meaning(w, lines);
}

edgefw_status edgefw__report_write(edgefw_context *ctx, edgefw_arena *arena,
                                   const edgefw__report *report, edgefw__report_style style,
                                   edgefw__text *text) {
  const writer w = {ctx, arena, report, style, text};
  const char *title = edgefw_arena_format(arena, "%s: measured", report->experiment);
  if (!title) return edgefw_failure(ctx);
  add_title(&w, title);
  edgefw_status status = add_measured(&w, false);
  if (status == EDGEFW_OK) status = add_measured(&w, true);
  if (status == EDGEFW_OK) status = add_buckets(&w);
  if (status != EDGEFW_OK) return status;
  edgefw__text lines = {.ctx = ctx};
  add_caption(&w, &lines);
  add_lines(&w, &lines);
  if (report->reported && *report->reported) {
    edgefw__published published;
    status = edgefw__published_read(ctx, arena, report->reported, &published);
    if (status != EDGEFW_OK) return status;
    add_title(&w, "Reported by the publication: other test sets and hardware, not measured here");
    add_grid(&w, &published.grid, -1);
    edgefw__text_add(&lines, "Time: minutes for the whole set.\n");
    status = edgefw__beaten_references(report, &published, arena, &lines);
    if (style != EDGEFW__REPORT_PLAIN) edgefw__published_notes(&published, &lines);
    add_lines(&w, &lines);
  }
  if (status != EDGEFW_OK) return status;
  return text->failed ? edgefw_failure(ctx) : EDGEFW_OK;
}
