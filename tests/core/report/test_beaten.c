/* References of a publication that are above those of the measured sets. */
#include "support/test.h"

#include <stdio.h>
#include <string.h>

#include "report/beaten.h"
#include "support/expect.h"
#include "support/workspace.h"

#define REMARKS "# problem.capacity = 0\n#problem.distribution=tmat \n# other = 3\n"
#define HEADER  "method,set,size,obj,gap_percent,time_minutes,note\n"
#define ROWS                                                                                       \
  "LKH,acvrp,100,2.0,0.00,1,\nLKH,acvrp,200,2.2,0.00,1,\nLKH,acvrp,500,2.4,0.00,1,\n"              \
  "RADAR,acvrp,200,9,3,1,\nLKH,atsp,200,9,0.00,1,\nX,acvrp,200,,,1,\n"
#define CONFIG "[problem]\nname = acvrp\ndistribution = tmat\ncapacity = 0\nforbidden = none\n"
#define SETS   3

static const int64_t sizes[SETS] = {100, 200, 500};

/* What a run found, and what it is compared with. */
typedef struct sample {
  const double *references; /* (SETS) means of sets of 100, 200 and 500 customers */
  edgefw__reference_kind kind;
  int count;     /* instances of each set */
  double spread; /* by which every other reference is above its mean, and the others below */
  const char *config, *reported;
} sample;

/* The table of a set's instances, as a run writes it. */
static void write_instances(workspace *w, const sample *of, int set) {
  char name[64], text[4096];
  int length =
      snprintf(text, sizeof text, "instance,cost,reference,gap_percent,seconds,reference_kind\n");
  for (int i = 0; i < of->count; ++i)
    length += snprintf(text + length, sizeof text - (size_t)length, "%d,2.5,%.6f,1,1,optimum\n", i,
                       of->references[set] + (i % 2 ? of->spread : -of->spread));
  snprintf(name, sizeof name, "results/ours-%d.csv", (int)sizes[set]);
  sandbox_write(&w->box, name, text);
}

static void fill(workspace *w, const sample *of, edgefw__results *results, edgefw__report *report) {
  static const char *const variants[] = {"ours"};
  static edgefw__instance_set sets[SETS] = {{.name = "100"}, {.name = "200"}, {.name = "500"}};
  *results = (edgefw__results){.ctx = w->ctx, .arena = w->arena};
  *report = (edgefw__report){.experiment = "quick",
                             .problem = "acvrp",
                             .variants = variants,
                             .variant_count = 1,
                             .sets = sets,
                             .set_count = SETS,
                             .results = results,
                             .folder = w->box.folder,
                             .reported = ""};
  expect_ok(w->ctx,
            edgefw__ini_read_text(w->ctx, w->arena, of->config, "config.ini", &report->config));
  for (int s = 0; s < SETS; ++s) {
    sets[s].n = sizes[s] + 1;
    sets[s].size = sizes[s];
    sets[s].count = of->count;
    const edgefw__result row = {.variant = variants[0],
                                .set = sets[s].name,
                                .select = "greedy",
                                .objective = 2.5,
                                .reference = of->references[s],
                                .reference_kind = of->kind,
                                .gap_percent = 1.0};
    expect_ok(w->ctx, edgefw__results_put(results, &row));
    write_instances(w, of, s);
  }
}

/* The sentence is this one. */
static void expect_said(workspace *w, sample of, const char *expected) {
  edgefw__results results;
  edgefw__report report;
  edgefw__published published;
  edgefw__text text = {.ctx = w->ctx};
  if (!of.config) of.config = CONFIG;
  if (!of.reported) of.reported = REMARKS HEADER ROWS;
  fill(w, &of, &results, &report);
  const char *path = sandbox_write(&w->box, "p.csv", of.reported);
  expect_ok(w->ctx, edgefw__published_read(w->ctx, w->arena, path, &published));
  expect_ok(w->ctx, edgefw__beaten_references(&report, &published, w->arena, &text));
  assert_string_equal(edgefw__text_get(&text), expected);
  edgefw__text_release(&text);
}

#define SAID_500                                                                                   \
  "Published references are beaten: with n = 500 LKH costs 2.4000 in the mean there, and the "     \
  "costs that gaps are to here 2.0400 on 16 instances, 15.0 % less. Gaps that are reported there " \
  "are not comparable.\n"

static void beaten_ones_are_told_with_figures(void **state) {
  const double references[] = {1.995, 1.98, 2.04};
  expect_said(*state, (sample){references, EDGEFW__REFERENCE_BEST_KNOWN, 32, 0.01, NULL, NULL},
              "Published references are beaten: with n = 200 LKH costs 2.2000 in the mean there, "
              "and the costs that gaps are to here 1.9800 on 32 instances, 10.0 % less; with n = "
              "500 LKH costs 2.4000 in the mean there, and the costs that gaps are to here 2.0400 "
              "on 32 instances, 15.0 % less. Gaps that are reported there are not comparable.\n");
}

static void near_ones_and_bounds_are_not(void **state) {
  const double near[] = {1.99, 2.19, 2.5}, low[] = {1.0, 1.0, 1.0};
  expect_said(*state, (sample){near, EDGEFW__REFERENCE_OPTIMUM, 16, 0.0, NULL, NULL}, "");
  expect_said(*state, (sample){low, EDGEFW__REFERENCE_BOUND, 16, 0.0, NULL, NULL}, "");
}

/* 2.2 - 1.98 = 0.22 and 2.4 - 2.04 = 0.36 against 3 errors, which of 16 instances are 0.77 spreads.
 */
static void chance_beats_nothing(void **state) {
  const double references[] = {1.995, 1.98, 2.04};
  expect_said(*state, (sample){references, EDGEFW__REFERENCE_OPTIMUM, 16, 0.4, NULL, NULL},
              SAID_500);
  expect_said(*state, (sample){references, EDGEFW__REFERENCE_OPTIMUM, 16, 0.5, NULL, NULL}, "");
  expect_said(*state, (sample){references, EDGEFW__REFERENCE_OPTIMUM, 9, 0.0, NULL, NULL}, "");
}

/* Instances of another generator, of a dataset, or of one that the file does not name. */
static void other_instances_beat_nothing(void **state) {
  const double references[] = {1.995, 1.98, 2.04};
  static const char *const configs[] = {
      "[problem]\nname = acvrp\ndistribution = tmat\ncapacity = 5000\n",
      "[problem]\nname = acvrp\ndistribution = road\ncapacity = 0\n",
      "[problem]\nname = acvrp\ndistribution = tmat\n",
      CONFIG "[variant ours]\nproblem.capacity = 5000\n"};
  sample of = {references, EDGEFW__REFERENCE_OPTIMUM, 16, 0.4, NULL, NULL};
  for (size_t c = 0; c < sizeof configs / sizeof *configs; ++c) {
    of.config = configs[c];
    expect_said(*state, of, "");
  }
  of.config = CONFIG "[data]\ntest.500 = mine.h5\n";
  expect_said(*state, of, "");
  of.config = CONFIG "[data]\ntest.200 = mine.h5\n";
  expect_said(*state, of, SAID_500);
  of.reported = HEADER ROWS;
  expect_said(*state, of, "");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, workspace_set_up, workspace_tear_down)
  const struct CMUnitTest tests[] = {
      TEST(beaten_ones_are_told_with_figures),
      TEST(near_ones_and_bounds_are_not),
      TEST(chance_beats_nothing),
      TEST(other_instances_beat_nothing),
  };
  return test_run(tests, NULL, NULL);
}
