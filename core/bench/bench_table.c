/* Writing a bench as aligned tables. */
#include "bench/bench_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "bench/peak.h"
#include "edgefw/version.h"

#define CELL EDGEFW__BENCH_CELL

/* --- Cells: what does not apply is a dash --- */

const char *edgefw__bench_cell(double value, char out[CELL]) {
  const int decimals = value < 0.0995 ? 4 : value < 0.995 ? 3 : value < 9.95 ? 2 : 1;
  if (value > 0.0)
    snprintf(out, CELL, "%.*f", value < 995.0 ? decimals : 0, value);
  else
    snprintf(out, CELL, "-");
  return out;
}

static const char *percent(double share, char out[CELL]) {
  if (share > 0.0)
    snprintf(out, CELL, "%.1f%%", 100.0 * share);
  else
    snprintf(out, CELL, "-");
  return out;
}

/* Of operations, in GF/s with one decimal. */
static const char *rate(double flops, char out[CELL]) {
  if (flops > 0.0)
    snprintf(out, CELL, "%.1f", 1e-9 * flops);
  else
    snprintf(out, CELL, "-");
  return out;
}

/* Half of the distance between the quartiles, relative to the median. */
static const char *spread(const edgefw__bench_row *row, char out[CELL]) {
  const edgefw__spread s = edgefw__timing_spread(&row->timing);
  return percent(
      row->timing.count > 1 && s.median > 0.0 ? 0.5 * (s.upper - s.lower) / s.median : 0.0, out);
}

/* --- Rows --- */

static void add_op(const edgefw__bench_report *report, const edgefw__bench_row *row,
                   edgefw__text *text) {
  const edgefw__bench_rates rates = edgefw__bench_rates_of(report, row);
  char c[5][CELL];
  edgefw__text_add(text, "%-20s %-12s %5d %9s %7s %5d %8s %7s %7s\n", row->name, row->pass,
                   row->calls, edgefw__bench_cell(1e3 * rates.seconds, c[0]), spread(row, c[1]),
                   row->timing.count, edgefw__bench_cell(1e-9 * rates.flops, c[2]),
                   percent(rates.peak_share, c[3]), edgefw__bench_cell(1e-9 * rates.bytes, c[4]));
}

static void add_phase(const edgefw__bench_report *report, const edgefw__bench_row *row,
                      edgefw__text *text) {
  const edgefw__bench_rates rates = edgefw__bench_rates_of(report, row);
  char label[64], c[7][CELL];
  snprintf(label, sizeof label, "%s %s%s%s", row->name, *row->changed ? "" : row->terms,
           *row->changed ? "with " : "", row->changed);
  edgefw__text_add(text, "%-34s %9s %6s %4d %8s %8s %7s %6s %6s\n", label,
                   edgefw__bench_cell(1e3 * rates.per_instance, c[0]), spread(row, c[1]),
                   row->timing.count, edgefw__bench_cell(rates.instances, c[2]),
                   edgefw__bench_cell(rates.instances_per_gflop, c[3]),
                   edgefw__bench_cell(1e-9 * rates.flops, c[4]), percent(rates.peak_share, c[5]),
                   edgefw__bench_cell(row->ratio, c[6]));
}

static void add_training(const edgefw__bench_report *report, const edgefw__bench_row *row,
                         edgefw__text *text) {
  const edgefw__bench_rates rates = edgefw__bench_rates_of(report, row);
  char c[8][CELL];
  edgefw__text_add(text, "%-12s %9s %7s %5d %8s %9s %9s %8s %7s %7s\n", row->name,
                   edgefw__bench_cell(1e3 * rates.per_instance, c[0]), spread(row, c[1]),
                   row->timing.count, percent(row->ratio, c[2]),
                   edgefw__bench_cell(rates.instances, c[3]),
                   edgefw__bench_cell(rates.instances_per_gflop, c[4]),
                   edgefw__bench_cell(1e-9 * rates.flops, c[5]), percent(rates.peak_share, c[6]),
                   edgefw__bench_cell(1e-9 * rates.bytes, c[7]));
}

/* --- Groups --- */

/* How each section is written. */
typedef struct layout {
  uint32_t section;
  const char *title;
  void (*add)(const edgefw__bench_report *, const edgefw__bench_row *, edgefw__text *);
} layout;

static const layout layouts[] = {
    {EDGEFW__BENCH_OPS, "Operations", add_op},
    {EDGEFW__BENCH_EVAL, "Evaluation", add_phase},
    {EDGEFW__BENCH_TRAIN, "Training", add_training},
};

static void add_columns(uint32_t section, edgefw__text *text) {
  if (section == EDGEFW__BENCH_OPS)
    edgefw__text_add(text, "%-20s %-12s %5s %9s %7s %5s %8s %7s %7s\n", "operation", "pass",
                     "calls", "ms/call", "+-", "runs", "GF/s", "of P", "GB/s");
  else if (section == EDGEFW__BENCH_EVAL)
    edgefw__text_add(text, "%-34s %9s %6s %4s %8s %8s %7s %6s %6s\n", "phase", "ms/inst", "+-",
                     "runs", "inst/s", "per GF/s", "GF/s", "of P", "x base");
  else
    edgefw__text_add(text, "%-12s %9s %7s %5s %8s %9s %9s %8s %7s %7s\n", "phase", "ms/inst", "+-",
                     "runs", "of step", "inst/s", "per GF/s", "GF/s", "of P", "GB/s");
}

static void add_group(const edgefw__bench_report *report, const edgefw__bench_group *group,
                      const layout *how, edgefw__text *text) {
  char memory[EDGEFW__UNIT_TEXT], peak[CELL];
  edgefw__text_add(text,
                   "\n%s, n = %" PRId64 ": %" PRId64 " instance%s at once, %" PRId64
                   " rollouts, P then %s, at most %s",
                   how->title, group->n, group->batch, group->batch == 1 ? "" : "s",
                   group->rollouts, rate(group->peak, peak),
                   edgefw__bytes_text((double)group->memory, memory, sizeof memory));
  if (group->device_memory > 0)
    edgefw__text_add(text, ", device %s",
                     edgefw__bytes_text((double)group->device_memory, memory, sizeof memory));
  if (group->sent > 0.0)
    edgefw__text_add(text, ", rank 0 sends %s in a step",
                     edgefw__bytes_text(group->sent, memory, sizeof memory));
  edgefw__text_add(text, "\n");
  add_columns(group->section, text);
  for (int r = 0; r < group->row_count; ++r) how->add(report, &group->rows[r], text);
}

static void add_peak(const edgefw__bench_report *report, edgefw__text *text) {
  const double peak = edgefw__bench_peak(report);
  if (peak > 0.0)
    edgefw__text_add(
        text, "P = %.1f GF/s (product of size %d: %.1f before, %.1f after the measurements)\n",
        1e-9 * peak, EDGEFW__PEAK_SIZE, 1e-9 * report->peak_first, 1e-9 * report->peak_last);
  else
    edgefw__text_add(text, "P is not known: the device has no product to compare with\n");
}

void edgefw__bench_table(const edgefw__bench_report *report, edgefw__text *text) {
  char parameters[EDGEFW__UNIT_TEXT];
  edgefw__text_add(text, "edgefw %s, device %s in %s, ", EDGEFW_VERSION, report->device,
                   report->precision);
  if (report->ranks > 1) edgefw__text_add(text, "%d ranks of ", report->ranks);
  edgefw__text_add(text, "%d thread%s\n%s\n", report->threads, report->threads == 1 ? "" : "s",
                   report->description);
  edgefw__text_add(text, "%s, %s, terms %s; width %" PRId64 ", %" PRId64 " heads, %s parameters\n",
                   report->problem, report->backbone, report->terms, report->width, report->heads,
                   edgefw__count_text(report->parameters, parameters, sizeof parameters));
  add_peak(report, text);
  for (size_t s = 0; s < sizeof layouts / sizeof *layouts; ++s)
    for (int g = 0; g < report->group_count; ++g)
      if (report->groups[g].section == layouts[s].section)
        add_group(report, &report->groups[g], &layouts[s], text);
}
