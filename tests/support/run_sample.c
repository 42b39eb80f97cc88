/* A run directory made of texts. */
#include "support/run_sample.h"
#include "support/test.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/expect.h"

static const char *const variants[] = {"plain", "terms"};

run_sample run_sample_of(const char *name, int64_t seed) {
  return (run_sample){.name = name,
                      .experiment = "quick",
                      .seed = seed,
                      .instances = 3,
                      .model = (unsigned)(16 * seed)};
}

static void write_part(const workspace *w, const run_sample *sample, const char *name,
                       const edgefw__text *text) {
  char path[256];
  assert_false(text->failed);
  snprintf(path, sizeof path, "%s/%s", sample->name, name);
  sandbox_write(&w->box, path, edgefw__text_get(text));
}

static double cost_of(const run_sample *sample, int variant, int instance) {
  return 1.0 + instance / 8.0 + variant / 4.0 + sample->shift;
}

static double mean_of(const run_sample *sample, int variant) {
  double sum = 0.0;
  for (int i = 0; i < sample->instances; ++i) sum += cost_of(sample, variant, i);
  return sum / sample->instances;
}

static void write_config(const workspace *w, const run_sample *sample) {
  edgefw__text text = {.ctx = w->ctx};
  edgefw__text_add(&text,
                   EDGEFW__RUN_MARK
                   "\n[experiment]\nname = %s\nseed = %" PRId64 "\ndevice = cpu\n\n"
                   "[problem]\nname = atsp\ndistribution = tmat\n\n[backbone]\nname = net\n\n"
                   "[decoder]\nlogit_clip = 10\n\n[eval]\nsizes = 6\nseed = 2026\n\n"
                   "[report]\nreported =\nbuckets =\n%s\n"
                   "[variant plain]\ndecoder.terms =\n\n[variant terms]\ndecoder.terms = one\n",
                   sample->experiment, sample->seed, sample->more ? sample->more : "");
  write_part(w, sample, "config.ini", &text);
  edgefw__text_release(&text);
}

static void write_results(const workspace *w, const run_sample *sample) {
  edgefw__text text = {.ctx = w->ctx};
  edgefw__result_csv_header(&text);
  for (int v = 0; v < 2; ++v) {
    edgefw__result row = {.variant = variants[v],
                          .set = "6",
                          .n = 6,
                          .instances = sample->instances,
                          .select = "greedy",
                          .logit_clip = 50,
                          .starts = 6,
                          .augment = 1,
                          .model = sample->model + (unsigned)v,
                          .objective = mean_of(sample, v),
                          .plain_objective = mean_of(sample, v),
                          .length = (double)NAN,
                          .reference = 1,
                          .gap_percent = 100 * (mean_of(sample, v) - 1),
                          .mean_gap_percent = 100 * (mean_of(sample, v) - 1),
                          .seconds = 0.25};
    edgefw__result_csv(&text, &row);
    row.set = sample->file ? sample->file : "br17";
    row.n = 17;
    row.instances = 1;
    row.objective = row.plain_objective = row.length = 39 + 2 * v;
    row.reference = 39;
    row.gap_percent = row.mean_gap_percent = 100.0 * (2 * v) / 39;
    edgefw__result_csv(&text, &row);
  }
  write_part(w, sample, "results.csv", &text);
  edgefw__text_release(&text);
}

static void write_instances(const workspace *w, const run_sample *sample, int variant) {
  edgefw__text text = {.ctx = w->ctx}, files = {.ctx = w->ctx};
  char name[64];
  edgefw__text_add(&text, "instance,cost,reference,gap_percent,seconds\n");
  for (int i = 0; i < sample->instances; ++i)
    edgefw__text_add(&text, "%d,%.17g,1,%.17g,0.001\n", i, cost_of(sample, variant, i),
                     100.0 * (cost_of(sample, variant, i) - 1));
  snprintf(name, sizeof name, "results/%s-6.csv", variants[variant]);
  write_part(w, sample, name, &text);
  edgefw__text_add(&files, "instance,cost,reference,gap_percent,seconds\n");
  edgefw__csv_add(&files, sample->file ? sample->file : "br17");
  edgefw__text_add(&files, ",%d,39,%.17g,0.001\n", 39 + 2 * variant, 100.0 * (2 * variant) / 39);
  snprintf(name, sizeof name, "results/%s-files.csv", variants[variant]);
  write_part(w, sample, name, &files);
  edgefw__text_release(&text);
  edgefw__text_release(&files);
}

static void write_training(const workspace *w, const run_sample *sample) {
  for (int v = 0; v < 2; ++v) {
    edgefw__text text = {.ctx = w->ctx};
    char name[64];
    edgefw__text_add(&text, "epoch,score,loss,gradient_norm,learning_rate,instances,seconds\n"
                            "1,2.5,0,1,0.1,1000,60\n2,2.25,0,1,0.1,2000,62\n");
    snprintf(name, sizeof name, "%s/metrics.csv", variants[v]);
    write_part(w, sample, name, &text);
    edgefw__text_release(&text);
  }
}

const char *run_sample_write(const workspace *w, const run_sample *sample) {
  write_config(w, sample);
  write_results(w, sample);
  for (int v = 0; v < 2 && !sample->plain; ++v) write_instances(w, sample, v);
  if (!sample->plain) write_training(w, sample);
  return sandbox_path(&w->box, sample->name);
}

void run_sample_read(const workspace *w, const run_sample *sample, edgefw__run_record *record) {
  expect_ok(w->ctx, edgefw__run_record_read(w->ctx, w->arena, run_sample_write(w, sample), record));
}
