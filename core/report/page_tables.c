/* Results, training and diagnostics as tables. */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text_file.h"
#include "base/units.h"
#include "report/page_parts.h"

/* --- Results --- */

edgefw_status edgefw__page_results(edgefw__page *page) {
  edgefw__report report = page->record->report;
  edgefw__text *html = page->html;
  struct stat information;
  const bool lost = *report.reported && stat(report.reported, &information) != 0;
  edgefw__page_section(page, "results", "Results");
  if (lost) report.reported = "";
  edgefw_status status = EDGEFW_OK;
  if (report.set_count == 0)
    edgefw__html_element(html, "p class=\"missing\"", "Nothing was evaluated yet.");
  if (report.set_count > 0 || *report.reported)
    status = edgefw__report_write(page->ctx, page->arena, &report, EDGEFW__REPORT_HTML, html);
  if (lost)
    edgefw__html_element(html, "p class=\"missing\"",
                         "The rows that a publication reports are left out: their file is not "
                         "here.");
  edgefw__text_add(html, "</section>\n");
  return status;
}

/* --- Training --- */

/* What metrics.csv sums up to. */
typedef struct summary {
  int64_t epochs;
  double instances, first, last, best, seconds;
} summary;

static edgefw_status sum_up(edgefw__page *page, const edgefw__csv_table *table, summary *out) {
  static const char *const names[] = {"score", "instances", "seconds"};
  int columns[3] = {0};
  double values[3];
  *out = (summary){.epochs = table->rows, .first = (double)NAN, .best = (double)INFINITY};
  edgefw_status status = EDGEFW_OK;
  for (int c = 0; status == EDGEFW_OK && c < 3; ++c)
    status = edgefw__csv_table_column(table, names[c], &columns[c]);
  for (int64_t row = 0; status == EDGEFW_OK && row < table->rows; ++row) {
    for (int c = 0; status == EDGEFW_OK && c < 3; ++c)
      status = edgefw__csv_table_number(table, row, columns[c], &values[c]);
    if (status != EDGEFW_OK) break;
    if (row == 0) out->first = values[0];
    out->last = values[0];
    out->best = fmin(out->best, values[0]);
    out->instances = values[1];
    out->seconds += values[2];
  }
  return edgefw_note(page->ctx, status, "for the page of the run");
}

static void add_summary(edgefw__text *html, const char *variant, const summary *s) {
  char count[EDGEFW__UNIT_TEXT], duration[EDGEFW__UNIT_TEXT];
  edgefw__text_add(html, "<tr>");
  edgefw__html_element(html, "th scope=\"row\"", variant);
  edgefw__text_add(html, "<td>%" PRId64 "</td><td>%s</td>", s->epochs,
                   edgefw__count_text((int64_t)s->instances, count, sizeof count));
  edgefw__text_add(html, "<td>%.4f</td><td>%.4f</td><td>%.4f</td>", s->first, s->best, s->last);
  edgefw__html_element(html, "td class=\"time\"",
                       edgefw__duration_text(s->seconds, duration, sizeof duration));
  edgefw__html_number(html, "td class=\"time\"", s->seconds > 0 ? s->instances / s->seconds : 0, 4);
  edgefw__text_add(html, "</tr>\n");
}

edgefw_status edgefw__page_training(edgefw__page *page) {
  static const char *const columns[] = {"variant",    "epochs",      "instances", "first score",
                                        "best score", "final score", "time",      "instances/s"};
  edgefw_status status = EDGEFW_OK;
  bool any = false;
  for (int v = 0; status == EDGEFW_OK && v < page->record->report.variant_count; ++v) {
    const char *variant = page->record->report.variants[v];
    const char *name = edgefw_arena_format(page->arena, "%s/metrics.csv", variant);
    edgefw__csv_table table;
    bool found = false;
    summary s;
    if (!name) return edgefw_failure(page->ctx);
    status = edgefw__run_record_table(page->ctx, page->arena, page->record, name, &table, &found);
    if (status != EDGEFW_OK || !found || table.rows == 0) continue;
    if (!any) {
      edgefw__page_section(page, "training", "Training");
      edgefw__html_table_begin(page->html, NULL, EDGEFW__HTML_NUMBERS, columns, 8);
    }
    any = true;
    status = sum_up(page, &table, &s);
    if (status == EDGEFW_OK) add_summary(page->html, variant, &s);
  }
  if (!any) return status;
  edgefw__html_table_end(page->html);
  edgefw__html_element(page->html, "p class=\"note\"",
                       "Score: mean over an epoch's instances of the best rollout's cost, actions "
                       "being sampled. Time: of the epochs.");
  edgefw__text_add(page->html, "</section>\n");
  return status;
}

/* --- Diagnostics --- */

/* A cell as it stands, but numbers with as many digits as one reads. */
static void add_cell(edgefw__text *html, const char *column, const char *cell) {
  double value = 0;
  int64_t whole = 0;
  const char *tag = strcmp(column, "seconds") == 0 ? "td class=\"time\"" : "td";
  if (edgefw__parse_number(cell, &value) && !edgefw__parse_integer(cell, &whole))
    edgefw__html_number(html, tag, value, 4);
  else
    edgefw__html_element(html, tag, cell);
}

/* Fingerprints tell a run what is out of date, and nobody else anything. */
static bool is_shown(const char *column) {
  return strcmp(column, "model") != 0 && strcmp(column, "inputs") != 0;
}

edgefw_status edgefw__page_diagnostics(edgefw__page *page) {
  edgefw__csv_table table;
  bool found = false;
  const edgefw_status status = edgefw__run_record_table(page->ctx, page->arena, page->record,
                                                        "diagnostics.csv", &table, &found);
  if (status != EDGEFW_OK || !found) return status;
  const char *columns[EDGEFW__CSV_MAX_COLUMNS];
  int from[EDGEFW__CSV_MAX_COLUMNS], count = 0;
  for (int c = 0; c < table.columns; ++c) {
    if (c > 0 && !is_shown(table.header[c])) continue;
    columns[count] = table.header[c];
    from[count++] = c;
  }
  edgefw__page_section(page, "diagnostics", "Diagnostics");
  edgefw__html_table_begin(page->html, "diagnostics.csv", EDGEFW__HTML_NUMBERS, columns, count);
  for (int64_t row = 0; row < table.rows; ++row) {
    edgefw__text_add(page->html, "<tr>");
    edgefw__html_element(page->html, "th scope=\"row\"", edgefw__csv_table_cell(&table, row, 0));
    for (int c = 1; c < count; ++c)
      add_cell(page->html, columns[c], edgefw__csv_table_cell(&table, row, from[c]));
    edgefw__text_add(page->html, "</tr>\n");
  }
  edgefw__html_table_end(page->html);
  edgefw__text_add(page->html, "</section>\n");
  return EDGEFW_OK;
}
