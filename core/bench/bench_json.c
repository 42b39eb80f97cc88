/* Writing a bench as JSON: keys are always there; what does not apply is null. */
#include "bench/bench_json.h"

#include "base/json.h"
#include "bench/bench_compare.h"
#include "bench/peak.h"
#include "edgefw/version.h"

/* --- Members --- */

typedef struct writer {
  edgefw__text *text;
  const char *before; /* what stands before the next member */
} writer;

static void key(writer *w, const char *name) {
  edgefw__text_add(w->text, "%s\"%s\": ", w->before, name);
  w->before = ", ";
}

static void text_member(writer *w, const char *name, const char *value) {
  key(w, name);
  edgefw__json_string(w->text, value);
}

static void number_member(writer *w, const char *name, double value) {
  key(w, name);
  edgefw__json_number(w->text, value);
}

/* A quantity that is 0 where it does not apply. */
static void optional_member(writer *w, const char *name, double value) {
  key(w, name);
  if (value > 0.0)
    edgefw__json_number(w->text, value);
  else
    edgefw__text_add(w->text, "null");
}

static void optional_text(writer *w, const char *name, const char *value) {
  text_member(w, name, *value ? value : NULL);
}

/* --- Rows and groups --- */

static edgefw__bench_gain gain_of(const edgefw__bench_report *report,
                                  const edgefw__bench_earlier *earlier,
                                  const edgefw__bench_group *group, const edgefw__bench_row *row) {
  const edgefw__bench_earlier_row *then =
      earlier ? edgefw__bench_earlier_find(earlier, group, row) : NULL;
  return then ? edgefw__bench_gain_of(report, row, then) : (edgefw__bench_gain){0.0, 0.0};
}

static void write_row(const edgefw__bench_report *report, const edgefw__bench_earlier *earlier,
                      const edgefw__bench_group *group, const edgefw__bench_row *row,
                      edgefw__text *text) {
  const uint32_t section = group->section;
  const edgefw__spread spread = edgefw__timing_spread(&row->timing);
  const edgefw__bench_rates rates = edgefw__bench_rates_of(report, row);
  writer w = {text, "\n    {"};
  text_member(&w, "name", row->name);
  if (section == EDGEFW__BENCH_OPS) text_member(&w, "pass", row->pass);
  if (section == EDGEFW__BENCH_OPS) number_member(&w, "calls", row->calls);
  if (section == EDGEFW__BENCH_EVAL) optional_text(&w, "terms", row->terms);
  if (section == EDGEFW__BENCH_EVAL) optional_text(&w, "changed", row->changed);
  number_member(&w, "instances", (double)row->instances);
  number_member(&w, "runs", row->timing.count);
  number_member(&w, "seconds", spread.median);
  number_member(&w, "seconds_min", spread.min);
  number_member(&w, "seconds_q1", spread.lower);
  number_member(&w, "seconds_q3", spread.upper);
  number_member(&w, "seconds_max", spread.max);
  number_member(&w, "seconds_per_instance", rates.per_instance);
  number_member(&w, "instances_per_second", rates.instances);
  optional_member(&w, "instances_per_second_per_gflops", rates.instances_per_gflop);
  optional_member(&w, "gflop", row->flops * 1e-9);
  optional_member(&w, "gflops", rates.flops * 1e-9);
  optional_member(&w, "share_of_peak", rates.peak_share);
  optional_member(&w, "gbytes_per_second", rates.bytes * 1e-9);
  if (section == EDGEFW__BENCH_EVAL) optional_member(&w, "over_base", row->ratio);
  if (section == EDGEFW__BENCH_TRAIN) number_member(&w, "share_of_step", row->ratio);
  const edgefw__bench_gain gain = gain_of(report, earlier, group, row);
  optional_member(&w, "times_as_fast", gain.time);
  optional_member(&w, "times_as_fast_per_gflops", gain.per_peak);
  edgefw__text_add(text, "}");
}

static void write_group(const edgefw__bench_report *report, const edgefw__bench_earlier *earlier,
                        const edgefw__bench_group *group, edgefw__text *text) {
  writer w = {text, "{"};
  number_member(&w, "nodes", (double)group->n);
  number_member(&w, "batch", (double)group->batch);
  number_member(&w, "rollouts", (double)group->rollouts);
  optional_member(&w, "peak_gflops", group->peak * 1e-9);
  number_member(&w, "max_rss_bytes", (double)group->memory);
  optional_member(&w, "device_memory_bytes", (double)group->device_memory);
  optional_member(&w, "sent_bytes_per_step", group->sent);
  key(&w, "rows");
  edgefw__text_add(text, "[");
  for (int r = 0; r < group->row_count; ++r) {
    if (r > 0) edgefw__text_add(text, ",");
    write_row(report, earlier, group, &group->rows[r], text);
  }
  edgefw__text_add(text, "]}");
}

static void write_section(const edgefw__bench_report *report, const edgefw__bench_earlier *earlier,
                          uint32_t section, edgefw__text *text) {
  edgefw__text_add(text, ",\n\"%s\": [", edgefw__bench_section_name(section));
  const char *before = "\n  ";
  for (int g = 0; g < report->group_count; ++g) {
    if (report->groups[g].section != section) continue;
    edgefw__text_add(text, "%s", before);
    before = ",\n  ";
    write_group(report, earlier, &report->groups[g], text);
  }
  edgefw__text_add(text, "]");
}

/* --- What it is compared with --- */

static void add_label(void *user, const char *label) {
  writer *w = user;
  edgefw__text_add(w->text, "%s", w->before);
  edgefw__json_string(w->text, label);
  w->before = ", ";
}

static void write_labels(writer *w, const char *name,
                         void visit(const edgefw__bench_report *, const edgefw__bench_earlier *,
                                    edgefw__bench_alone_fn *, void *),
                         const edgefw__bench_report *report, const edgefw__bench_earlier *earlier) {
  writer list = {w->text, ""};
  key(w, name);
  edgefw__text_add(w->text, "[");
  visit(report, earlier, add_label, &list);
  edgefw__text_add(w->text, "]");
}

static void write_compared(const edgefw__bench_report *report, const edgefw__bench_earlier *earlier,
                           edgefw__text *text) {
  writer w = {text, "{"};
  edgefw__text_add(text, ",\n\"compared\": ");
  if (!earlier) {
    edgefw__text_add(text, "null");
    return;
  }
  text_member(&w, "file", earlier->path);
  text_member(&w, "program", earlier->program);
  text_member(&w, "version", earlier->version);
  write_labels(&w, "only_then", edgefw__bench_only_then, report, earlier);
  write_labels(&w, "only_now", edgefw__bench_only_now, report, earlier);
  edgefw__text_add(text, "}");
}

void edgefw__bench_json(const edgefw__bench_report *report, const edgefw__bench_earlier *earlier,
                        edgefw__text *text) {
  writer w = {text, "{"};
  text_member(&w, "edgefw", EDGEFW_VERSION);
  text_member(&w, "device", report->device);
  text_member(&w, "device_description", report->description);
  text_member(&w, "precision", report->precision);
  number_member(&w, "ranks", report->ranks);
  number_member(&w, "threads", report->threads);
  text_member(&w, "problem", report->problem);
  text_member(&w, "backbone", report->backbone);
  text_member(&w, "terms", report->terms);
  number_member(&w, "width", (double)report->width);
  number_member(&w, "heads", (double)report->heads);
  number_member(&w, "parameters", (double)report->parameters);
  text_member(&w, "config", report->config);
  edgefw__text_add(text, ",\n");
  w.before = "";
  key(&w, "peak");
  w.before = "{";
  number_member(&w, "size", EDGEFW__PEAK_SIZE);
  optional_member(&w, "gflops_first", report->peak_first * 1e-9);
  optional_member(&w, "gflops_last", report->peak_last * 1e-9);
  optional_member(&w, "gflops", edgefw__bench_peak(report) * 1e-9);
  edgefw__text_add(text, "}");
  write_section(report, earlier, EDGEFW__BENCH_OPS, text);
  write_section(report, earlier, EDGEFW__BENCH_EVAL, text);
  write_section(report, earlier, EDGEFW__BENCH_TRAIN, text);
  write_compared(report, earlier, text);
  edgefw__text_add(text, "}\n");
}
