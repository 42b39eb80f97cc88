/* A variant's event file: all epochs once, gaps at the end, and the same bytes however often it is
 * written. */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "experiment/run_events.h"
#include "report/event_file.h"
#include "support/cli.h"
#include "support/expect.h"
#include "support/io_support.h"
#include "support/workspace.h"

#define HEAD "epoch,score,loss,gradient_norm,learning_rate,instances,seconds\n"
#define ONE  "1,4,-0.5,2,0.001,8,0.25\n"
#define TWO  "2,3.5,-0.25,1,0.0001,16,0.5\n"
#define PATH "v/" EDGEFW__EVENT_FILE_NAME

static const edgefw__instance_set sets[] = {{.name = "20"}, {.name = "50"}, {.name = "br17"}};

static edgefw__run_events events_of(const workspace *w) {
  return (edgefw__run_events){
      .folder = w->box.folder, .variant = "v", .trains = true, .sets = sets, .set_count = 3};
}

static bool write_events(workspace *w, const edgefw__run_events *events) {
  bool changed = false;
  expect_ok(w->ctx, edgefw__run_events_write(w->ctx, events, &changed));
  return changed;
}

/* The file is what these calls give, begun when it says. */
static void expect_events(workspace *w, int epochs, int gaps) {
  size_t length = 0;
  char *found = io_read(sandbox_path(&w->box, PATH), &length);
  double time = 0.0;
  assert_true(edgefw__event_file_began(found, length, &time));
  edgefw__text expected = {.ctx = w->ctx};
  edgefw__event_file_begin(&expected, time);
  for (int e = 1; e <= epochs; ++e) {
    time += e == 1 ? 0.25 : 0.5;
    edgefw__event_file_scalar(&expected, time, e, "train/score", e == 1 ? 4.0 : 3.5);
    edgefw__event_file_scalar(&expected, time, e, "train/loss", e == 1 ? -0.5 : -0.25);
    edgefw__event_file_scalar(&expected, time, e, "grad_norm", e == 1 ? 2.0 : 1.0);
    edgefw__event_file_scalar(&expected, time, e, "lr", e == 1 ? 0.001 : 0.0001);
  }
  if (gaps > 0) edgefw__event_file_scalar(&expected, time + 2.0, 2, "val/gap/20", 5.5);
  assert_int_equal(length, expected.length);
  assert_memory_equal(found, expected.data, length);
  edgefw__text_release(&expected);
  free(found);
}

static void epochs_are_added_one_by_one(void **state) {
  workspace *w = *state;
  const edgefw__run_events events = events_of(w);
  assert_false(write_events(w, &events)); /* nothing was trained: no file */
  assert_false(cli_exists(&w->box, PATH));
  sandbox_write(&w->box, "v/metrics.csv", HEAD ONE);
  assert_true(write_events(w, &events));
  expect_events(w, 1, 0);
  sandbox_write(&w->box, "v/metrics.csv", HEAD ONE TWO);
  assert_true(write_events(w, &events));
  assert_false(write_events(w, &events));
  expect_events(w, 2, 0);
}

/* A process that went on from an older checkpoint, or was killed while it wrote, leaves no epoch
 * twice and none out. */
static void an_interrupted_file_becomes_the_same(void **state) {
  workspace *w = *state;
  const edgefw__run_events events = events_of(w);
  sandbox_write(&w->box, "v/metrics.csv", HEAD ONE TWO);
  assert_true(write_events(w, &events));
  size_t length = 0;
  char *whole = io_read(sandbox_path(&w->box, PATH), &length);
  for (size_t kept = EDGEFW__EVENT_FILE_HEAD; kept < length; kept += 7) {
    sandbox_write_bytes(&w->box, PATH, whole, kept);
    assert_true(write_events(w, &events));
    expect_events(w, 2, 0);
  }
  whole[60] ^= 1; /* another history */
  sandbox_write_bytes(&w->box, PATH, whole, length);
  assert_true(write_events(w, &events));
  expect_events(w, 2, 0);
  sandbox_write(&w->box, "v/metrics.csv", HEAD ONE);
  assert_true(write_events(w, &events));
  expect_events(w, 1, 0);
  sandbox_write(&w->box, PATH, "no events");
  assert_true(write_events(w, &events));
  expect_events(w, 1, 0);
  free(whole);
}

static void gaps_come_at_the_end(void **state) {
  workspace *w = *state;
  edgefw__run_events events = events_of(w);
  edgefw__results results = {.ctx = w->ctx, .arena = w->arena};
  const edgefw__result rows[] = {
      {.variant = "v",
       .set = "20",
       .model = 7,
       .select = "greedy",
       .gap_percent = 5.5,
       .seconds = 2},
      {.variant = "v", .set = "50", .model = 8, .select = "greedy", .gap_percent = 1, .seconds = 2},
      {.variant = "v", .set = "br17", .model = 7, .select = "greedy", .gap_percent = (double)NAN},
      {.variant = "u", .set = "br17", .model = 7, .select = "greedy", .gap_percent = 9}};
  for (size_t r = 0; r < sizeof rows / sizeof *rows; ++r)
    expect_ok(w->ctx, edgefw__results_put(&results, &rows[r]));
  events.results = &results;
  events.model = 7; /* the row of set 50 is of another state, and br17 has no gap */
  events.epoch = 2;
  sandbox_write(&w->box, "v/metrics.csv", HEAD ONE TWO);
  assert_true(write_events(w, &events));
  expect_events(w, 2, 1);
  assert_false(write_events(w, &events));
  events.trains = false; /* the metrics are another training's */
  assert_true(write_events(w, &events));
  expect_events(w, 0, 1);
}

static void validations_are_told_at_their_epochs(void **state) {
  workspace *w = *state;
  const edgefw__run_events events = events_of(w);
  sandbox_write(&w->box, "v/metrics.csv",
                "epoch,score,loss,gradient_norm,learning_rate,instances,validation,seconds\n"
                "1,4,-0.5,2,0.001,8,,0.25\n2,3.5,-0.25,1,0.0001,16,3.75,0.5\n");
  assert_true(write_events(w, &events));
  size_t length = 0;
  char *found = io_read(sandbox_path(&w->box, PATH), &length);
  double time = 0.0;
  assert_true(edgefw__event_file_began(found, length, &time));
  edgefw__text last = {.ctx = w->ctx};
  edgefw__event_file_scalar(&last, time + 0.25 + 0.5, 2, "val/cost", 3.75);
  assert_memory_equal(found + length - last.length, last.data, last.length);
  free(found);
  edgefw__text_release(&last);
  /* An epoch that is yet to be validated: what is written stays. */
  sandbox_write(&w->box, "v/metrics.csv",
                "epoch,score,loss,gradient_norm,learning_rate,instances,validation,seconds\n"
                "1,4,-0.5,2,0.001,8,,0.25\n2,3.5,-0.25,1,0.0001,16,,0.5\n");
  assert_true(write_events(w, &events));
  expect_events(w, 2, 0);
  sandbox_write(&w->box, "v/metrics.csv",
                "epoch,score,loss,gradient_norm,learning_rate,instances,validation,seconds\n"
                "1,4,-0.5,2,0.001,8,x,0.25\n");
  bool changed = false;
  expect_failure(w->ctx, edgefw__run_events_write(w->ctx, &events, &changed), EDGEFW_FORMAT,
                 "v/metrics.csv", "validation");
}

static void damaged_metrics_are_named(void **state) {
  workspace *w = *state;
  const edgefw__run_events events = events_of(w);
  bool changed = false;
  sandbox_write(&w->box, "v/metrics.csv", "epoch,score,seconds\n1,4,x\n");
  expect_failure(w->ctx, edgefw__run_events_write(w->ctx, &events, &changed), EDGEFW_FORMAT,
                 "v/metrics.csv", "seconds");
  sandbox_write(&w->box, "v/metrics.csv", "epoch,score,seconds\n1,4,2\n");
  expect_failure(w->ctx, edgefw__run_events_write(w->ctx, &events, &changed), EDGEFW_FORMAT,
                 "v/metrics.csv", "loss");
  assert_false(changed);
  assert_false(cli_exists(&w->box, PATH));
}

int main(void) {
#define EVENTS_TEST(name)                                                                          \
  cmocka_unit_test_setup_teardown(name, workspace_set_up, workspace_tear_down)
  const struct CMUnitTest tests[] = {
      EVENTS_TEST(epochs_are_added_one_by_one), EVENTS_TEST(an_interrupted_file_becomes_the_same),
      EVENTS_TEST(gaps_come_at_the_end),        EVENTS_TEST(validations_are_told_at_their_epochs),
      EVENTS_TEST(damaged_metrics_are_named),
  };
  return test_run(tests, NULL, NULL);
}
