/* Writing how a bench compares with an earlier one. */
#include "bench/bench_compare.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bench/bench_table.h"

#define LABEL 160

/* --- Names of rows --- */

static const char *row_label(const char *name, const char *pass, const char *terms,
                             const char *changed, char out[LABEL]) {
  const char *more = *changed ? changed : *terms ? terms : pass;
  snprintf(out, LABEL, "%s%s%s", name, *changed ? " with " : *more ? " " : "", more);
  return out;
}

static void alone(uint32_t section, int64_t n, const char *row, edgefw__bench_alone_fn *call,
                  void *user) {
  char label[LABEL + 64];
  snprintf(label, sizeof label, "%s n=%" PRId64 ": %s", edgefw__bench_section_name(section), n,
           row);
  call(user, label);
}

static bool is_measured_now(const edgefw__bench_report *report,
                            const edgefw__bench_earlier_row *then) {
  for (int g = 0; g < report->group_count; ++g)
    for (int r = 0; r < report->groups[g].row_count; ++r)
      if (edgefw__bench_earlier_matches(then, &report->groups[g], &report->groups[g].rows[r]))
        return true;
  return false;
}

void edgefw__bench_only_then(const edgefw__bench_report *report,
                             const edgefw__bench_earlier *earlier, edgefw__bench_alone_fn *call,
                             void *user) {
  char label[LABEL];
  for (int r = 0; r < earlier->row_count; ++r) {
    const edgefw__bench_earlier_row *then = &earlier->rows[r];
    if (is_measured_now(report, then)) continue;
    alone(then->section, then->n,
          row_label(then->name, then->pass, then->terms, then->changed, label), call, user);
  }
}

void edgefw__bench_only_now(const edgefw__bench_report *report,
                            const edgefw__bench_earlier *earlier, edgefw__bench_alone_fn *call,
                            void *user) {
  char label[LABEL];
  for (int g = 0; g < report->group_count; ++g) {
    const edgefw__bench_group *group = &report->groups[g];
    for (int r = 0; r < group->row_count; ++r) {
      const edgefw__bench_row *row = &group->rows[r];
      if (edgefw__bench_earlier_find(earlier, group, row)) continue;
      alone(group->section, group->n,
            row_label(row->name, row->pass, row->terms, row->changed, label), call, user);
    }
  }
}

/* --- Settings --- */

/* A list of settings that differ; nothing is said of those that the earlier document lacks. */
typedef struct differences {
  const json_t *then;
  edgefw__text *text;
  const char *before;
} differences;

static void text_differs(differences *d, const char *key, const char *now) {
  const char *then = json_string_value(json_object_get(d->then, key));
  if (!then || strcmp(then, now) == 0) return;
  edgefw__text_add(d->text, "%s%s %s then, %s now", d->before, key, then, now);
  d->before = "; ";
}

static void number_differs(differences *d, const char *key, int64_t now) {
  const json_t *value = json_object_get(d->then, key);
  if (!json_is_integer(value) || json_integer_value(value) == now) return;
  edgefw__text_add(d->text, "%s%s %" PRId64 " then, %" PRId64 " now", d->before, key,
                   (int64_t)json_integer_value(value), now);
  d->before = "; ";
}

static void add_differences(const edgefw__bench_report *report,
                            const edgefw__bench_earlier *earlier, edgefw__text *text) {
  differences d = {earlier->document, text, "Different: "};
  text_differs(&d, "device", report->device);
  text_differs(&d, "device_description", report->description);
  text_differs(&d, "precision", report->precision);
  number_differs(&d, "ranks", report->ranks);
  number_differs(&d, "threads", report->threads);
  text_differs(&d, "problem", report->problem);
  text_differs(&d, "backbone", report->backbone);
  text_differs(&d, "terms", report->terms);
  number_differs(&d, "width", report->width);
  number_differs(&d, "heads", report->heads);
  number_differs(&d, "parameters", report->parameters);
  if (*d.before == ';') edgefw__text_add(text, "\n");
}

/* --- Table --- */

static void add_row(const edgefw__bench_report *report, const edgefw__bench_row *row,
                    const edgefw__bench_earlier_row *then, edgefw__text *text) {
  const edgefw__bench_rates now = edgefw__bench_rates_of(report, row);
  const edgefw__bench_gain gain = edgefw__bench_gain_of(report, row, then);
  char label[LABEL], c[4][EDGEFW__BENCH_CELL];
  edgefw__text_add(text, "%-48s %10s %10s %8s %8s\n",
                   row_label(row->name, row->pass, row->terms, row->changed, label),
                   edgefw__bench_cell(1e3 * then->per_instance, c[0]),
                   edgefw__bench_cell(1e3 * now.per_instance, c[1]),
                   edgefw__bench_cell(gain.time, c[2]), edgefw__bench_cell(gain.per_peak, c[3]));
}

static void add_group(const edgefw__bench_report *report, const edgefw__bench_earlier *earlier,
                      const edgefw__bench_group *group, edgefw__text *text) {
  bool is_begun = false;
  for (int r = 0; r < group->row_count; ++r) {
    const edgefw__bench_earlier_row *then =
        edgefw__bench_earlier_find(earlier, group, &group->rows[r]);
    if (!then) continue;
    if (!is_begun) {
      edgefw__text_add(text, "\n%s, n = %" PRId64 ": %" PRId64 " at once then, %" PRId64 " now\n",
                       edgefw__bench_section_name(group->section), group->n, then->batch,
                       group->batch);
      edgefw__text_add(text, "%-48s %10s %10s %8s %8s\n", "", "ms then", "ms now", "x", "per GF/s");
    }
    is_begun = true;
    add_row(report, &group->rows[r], then, text);
  }
}

/* The heading of a list, once it has something. */
typedef struct headed {
  edgefw__text *text;
  const char *heading;
} headed;

static void add_headed(void *user, const char *label) {
  headed *list = user;
  edgefw__text_add(list->text, "%s  %s\n", list->heading, label);
  list->heading = "";
}

void edgefw__bench_compare_table(const edgefw__bench_report *report,
                                 const edgefw__bench_earlier *earlier, edgefw__text *text) {
  edgefw__text_add(text, "\nCompared with '%s' (%s %s): x says how many times as fast it is now\n",
                   earlier->path, earlier->program, earlier->version);
  add_differences(report, earlier, text);
  for (int g = 0; g < report->group_count; ++g)
    add_group(report, earlier, &report->groups[g], text);
  headed then = {text, "\nOnly then:\n"}, now = {text, "\nOnly now:\n"};
  edgefw__bench_only_then(report, earlier, add_headed, &then);
  edgefw__bench_only_now(report, earlier, add_headed, &now);
}
