/* Results instance by instance: how they spread, the ends of it, and all of them. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/page_parts.h"

enum {
  ENDS = 5,         /* best and worst instances that are named */
  MOST_ROWS = 5000, /* of the table of all instances */
  DIGITS = 6
};

/* A set, and what each variant made of it. */
typedef struct answers {
  const edgefw__instance_set *set;
  int count; /* of variants */
  const char *const *variants;
  edgefw__run_instances *of; /* (count); rows 0: no such table */
  int64_t rows;              /* of the longest table */
  bool compared;             /* are there reference costs? */
} answers;

/* One instance and the number that it is ranked by. */
typedef struct ranked {
  double value;
  int64_t row;
} ranked;

static int by_value(const void *a, const void *b) {
  const ranked *x = a, *y = b;
  if (x->value < y->value) return -1;
  if (x->value > y->value) return 1;
  return (x->row > y->row) - (x->row < y->row);
}

/* What instances are judged by: gaps, or costs where there are no reference costs. */
static double judged(const answers *set, int variant, int64_t row) {
  const edgefw__run_instances *of = &set->of[variant];
  if (row >= of->rows) return (double)NAN;
  return set->compared ? of->gap[row] : of->cost[row];
}

static edgefw_status read_answers(edgefw__page *page, const edgefw__instance_set *set,
                                  answers *out) {
  const edgefw__report *report = &page->record->report;
  *out = (answers){.set = set, .count = report->variant_count, .variants = report->variants};
  out->of = edgefw_arena_take(page->arena, (size_t)out->count, sizeof *out->of);
  if (!out->of) return edgefw_failure(page->ctx);
  edgefw_status status = EDGEFW_OK;
  for (int v = 0; status == EDGEFW_OK && v < out->count; ++v) {
    edgefw__run_instances *of = &out->of[v];
    status = edgefw__run_record_instances(page->ctx, page->arena, page->record, report->variants[v],
                                          set->name, of);
    if (of->rows > out->rows) out->rows = of->rows;
    for (int64_t row = 0; status == EDGEFW_OK && row < of->rows && !out->compared; ++row)
      out->compared = isfinite(of->gap[row]);
  }
  return status;
}

/* --- How they spread --- */

/* The value below which a share of the sorted ones lies, between two of them by the line through
 * them. */
static double quantile(const ranked *sorted, int64_t count, double share) {
  const double place = share * (double)(count - 1);
  const int64_t below = (int64_t)place;
  if (below + 1 >= count) return sorted[count - 1].value;
  const double part = place - (double)below;
  return (1.0 - part) * sorted[below].value + part * sorted[below + 1].value;
}

/* How often no variant has found a better tour; costs that differ by rounding alone are equal. */
static int64_t count_best(const answers *set, int variant) {
  int64_t best = 0;
  for (int64_t row = 0; row < set->of[variant].rows; ++row) {
    bool beaten = false;
    const double cost = set->of[variant].cost[row];
    for (int v = 0; v < set->count; ++v)
      beaten |= row < set->of[v].rows && set->of[v].cost[row] < cost - 1e-9 * fabs(cost);
    best += !beaten;
  }
  return best;
}

/* The judged instances of a variant in increasing order; *count may be 0. */
static edgefw_status rank(edgefw__page *page, const answers *set, int variant, ranked **out,
                          int64_t *count) {
  *count = 0;
  *out = edgefw_arena_take(page->arena, (size_t)set->of[variant].rows, sizeof **out);
  if (!*out) return edgefw_failure(page->ctx);
  for (int64_t row = 0; row < set->of[variant].rows; ++row) {
    const double value = judged(set, variant, row);
    if (isfinite(value)) (*out)[(*count)++] = (ranked){value, row};
  }
  qsort(*out, (size_t)*count, sizeof **out, by_value);
  return EDGEFW_OK;
}

static void add_judged(edgefw__text *html, const answers *set, double value) {
  if (set->compared)
    edgefw__html_percent(html, "td", value);
  else
    edgefw__html_number(html, "td", value, DIGITS);
}

static void add_spread(edgefw__text *html, const answers *set, int variant, const ranked *sorted,
                       int64_t count) {
  edgefw__text_add(html, "<tr>");
  edgefw__html_element(html, "th scope=\"row\"", set->variants[variant]);
  for (int q = 0; q <= 4; ++q) add_judged(html, set, quantile(sorted, count, 0.25 * q));
  edgefw__text_add(html, "<td>%" PRId64 "</td></tr>\n", count_best(set, variant));
}

/* A row of some instances: "7.23 #17". */
static void add_ends(edgefw__text *html, const answers *set, int variant, const ranked *sorted,
                     int64_t count, bool worst) {
  edgefw__text_add(html, "<tr><th scope=\"row\">");
  edgefw__html_add(html, set->variants[variant]);
  edgefw__text_add(html, worst ? ", worst</th>" : ", best</th>");
  for (int64_t e = 0; e < ENDS; ++e) {
    const ranked *one = &sorted[worst ? count - 1 - e : e];
    if (e >= count) {
      edgefw__text_add(html, "<td></td>");
      continue;
    }
    edgefw__text_add(html, set->compared ? "<td>%.2f <small>#" : "<td>%.6g <small>#",
                     set->compared && fabs(one->value) < 0.005 ? 0.0 : one->value);
    edgefw__html_add(html, set->of[variant].names[one->row]);
    edgefw__text_add(html, "</small></td>");
  }
  edgefw__text_add(html, "</tr>\n");
}

/* How the judged numbers spread, or with `ends` the instances at both ends. */
static edgefw_status add_rows(edgefw__page *page, const answers *set, bool ends) {
  for (int v = 0; v < set->count; ++v) {
    ranked *sorted = NULL;
    int64_t count = 0;
    const edgefw_status status = rank(page, set, v, &sorted, &count);
    if (status != EDGEFW_OK) return status;
    if (count == 0) continue;
    if (ends) {
      add_ends(page->html, set, v, sorted, count, false);
      add_ends(page->html, set, v, sorted, count, true);
    } else {
      add_spread(page->html, set, v, sorted, count);
    }
  }
  edgefw__html_table_end(page->html);
  return EDGEFW_OK;
}

static edgefw_status add_summary(edgefw__page *page, const answers *set) {
  static const char *const spread[] = {"variant",        "least",   "lower quartile", "median",
                                       "upper quartile", "largest", "none better"};
  static const char *const ends[] = {"variant", "first", "second", "third", "fourth", "fifth"};
  edgefw__html_table_begin(page->html,
                           set->compared ? "Gaps of the instances (%)" : "Costs of the instances",
                           EDGEFW__HTML_NUMBERS, spread, 7);
  const edgefw_status status = add_rows(page, set, false);
  if (status != EDGEFW_OK) return status;
  edgefw__html_table_begin(page->html,
                           set->compared ? "Best and worst: gap (%) and number of the instance"
                                         : "Best and worst: cost and number of the instance",
                           EDGEFW__HTML_NUMBERS, ends, 1 + ENDS);
  return add_rows(page, set, true);
}

/* --- All of them --- */

static void add_row(edgefw__text *html, const answers *set, int64_t row) {
  const char *name = NULL;
  double reference = (double)NAN;
  for (int v = 0; v < set->count; ++v)
    if (row < set->of[v].rows && !name) {
      name = set->of[v].names[row];
      reference = set->of[v].reference[row];
    }
  edgefw__text_add(html, "<tr>");
  edgefw__html_element(html, "th scope=\"row\"", name);
  if (set->compared) edgefw__html_number(html, "td", reference, DIGITS);
  for (int v = 0; v < set->count; ++v) {
    const bool there = row < set->of[v].rows;
    if (set->of[v].rows == 0) continue;
    edgefw__html_number(html, "td", there ? set->of[v].cost[row] : (double)NAN, DIGITS);
    if (set->compared) edgefw__html_percent(html, "td", there ? set->of[v].gap[row] : (double)NAN);
  }
  edgefw__text_add(html, "</tr>\n");
}

static edgefw_status add_all(edgefw__page *page, const answers *set) {
  const char **columns =
      edgefw_arena_take(page->arena, (size_t)(2 + 2 * set->count), sizeof *columns);
  if (!columns) return edgefw_failure(page->ctx);
  int count = 0;
  columns[count++] = "instance";
  if (set->compared) columns[count++] = "reference";
  for (int v = 0; v < set->count; ++v) {
    if (set->of[v].rows == 0) continue;
    columns[count++] = edgefw_arena_format(page->arena, "%s: cost", set->variants[v]);
    if (set->compared)
      columns[count++] = edgefw_arena_format(page->arena, "%s: gap (%%)", set->variants[v]);
  }
  const int64_t rows = set->rows < MOST_ROWS ? set->rows : MOST_ROWS;
  const char *summary = edgefw_arena_format(page->arena, "Show %s %" PRId64 " instances",
                                            rows < set->rows ? "the first" : "all", rows);
  if (edgefw_failure(page->ctx) != EDGEFW_OK) return edgefw_failure(page->ctx);
  edgefw__page_details(page, summary);
  edgefw__html_table_begin(page->html, NULL, EDGEFW__HTML_NUMBERS, columns, count);
  for (int64_t row = 0; row < rows; ++row) add_row(page->html, set, row);
  edgefw__html_table_end(page->html);
  edgefw__text_add(page->html, "</details>\n");
  return EDGEFW_OK;
}

static edgefw_status add_set(edgefw__page *page, const answers *set) {
  const char *heading =
      edgefw_arena_format(page->arena, "Size %s: %" PRId64 " instances", set->set->name, set->rows);
  if (!heading) return edgefw_failure(page->ctx);
  edgefw__html_element(page->html, "h3", heading);
  edgefw__text_add(page->html, "\n");
  const edgefw_status status = add_summary(page, set);
  return status == EDGEFW_OK ? add_all(page, set) : status;
}

edgefw_status edgefw__page_instances(edgefw__page *page) {
  const edgefw__report *report = &page->record->report;
  edgefw_status status = EDGEFW_OK;
  bool any = false;
  for (int s = 0; status == EDGEFW_OK && s < report->set_count; ++s) {
    answers set;
    if (report->sets[s].file) continue; /* each is a row of the results */
    status = read_answers(page, &report->sets[s], &set);
    if (status != EDGEFW_OK || set.rows == 0) continue;
    if (!any) {
      edgefw__page_section(page, "instances", "Instances");
      edgefw__html_element(page->html, "p class=\"note\"",
                           "None better: instances of which no variant found a cheaper tour. "
                           "Instances count from 0; results/ in the run directory has every "
                           "digit.");
    }
    any = true;
    status = add_set(page, &set);
  }
  if (any) edgefw__text_add(page->html, "</section>\n");
  return status;
}
