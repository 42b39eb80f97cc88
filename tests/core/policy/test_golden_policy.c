/* The whole policy on golden values: encoder, logits, log-probabilities, loss, gradients by name
 * and one Adam step of an independent implementation, on every device. labels: golden */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/golden.h"
#include "support/tiny_model.h"
#include "train/objectives/reinforce.h"
#include "train/train.h"

/* What may differ: the file's own tolerance in double; rounding of a small net in float. */
static const double float_tolerance = 2e-4;

static const char *const devices[] = {"reference64", "reference", "cpu"};
static const char *const cases[] = {"radar_ours", "radar_plain", "radar_softmax"};

/* A device on a golden file. */
typedef struct golden_case {
  tiny_model tiny;
  hid_t file;
  double tolerance;
  int64_t instances, nodes;
  edgefw__batch *batch;
  edgefw__policy *policy;
} golden_case;

/* Every parameter takes its golden value. */
static void set_parameters(const golden_case *g) {
  const edgefw__parameters *parameters = g->tiny.model->parameters;
  for (int i = 0; i < parameters->item_count; ++i) {
    const edgefw__parameter *item = &parameters->items[i];
    char path[256];
    snprintf(path, sizeof path, "/parameters/%s", item->name);
    double *values = malloc((size_t)item->count * sizeof *values);
    assert_non_null(values);
    golden_read(g->file, path, item->count, values);
    tiny_upload(&g->tiny, edgefw__parameters_at(parameters, parameters->values, i), values,
                item->count);
    free(values);
  }
}

static void begin(golden_case *g, const char *name, const char *device) {
  *g = (golden_case){.file = golden_open(name), .instances = 2};
  char *config = golden_text(g->file, "config");
  tiny_open(&g->tiny, config, device, 1, true);
  free(config);
  g->tolerance = g->tiny.engine.kernels->dtype == EDGEFW_F64
                     ? golden_attribute(g->file, "tolerance")
                     : float_tolerance;
  g->nodes = edgefw_options_int(g->tiny.composition->train, "size");
  set_parameters(g);
  const edgefw_problem *problem = &g->tiny.composition->problem->vtable.problem;
  tiny_ok(&g->tiny,
          edgefw__batch_create(g->tiny.ctx, problem->fields, g->instances, g->nodes, &g->batch));
  g->batch->count = g->instances;
  golden_read(g->file, "/cost", g->instances * g->nodes * g->nodes, g->batch->data[0]);
  g->policy = tiny_policy(&g->tiny, g->instances, g->nodes, true);
}

static void end(golden_case *g) {
  edgefw__policy_destroy(g->policy);
  edgefw__batch_destroy(g->tiny.ctx, g->batch);
  tiny_close(&g->tiny);
  H5Fclose(g->file);
}

/* Within tolerance * max(1, largest expected number) of the dataset. */
static void expect(const golden_case *g, const double *actual, const char *path, int64_t count) {
  double *expected = malloc((size_t)count * sizeof *expected);
  assert_non_null(expected);
  golden_read(g->file, path, count, expected);
  double largest = 1.0;
  for (int64_t i = 0; i < count; ++i) largest = fmax(largest, fabs(expected[i]));
  check_close_f64(actual, expected, count, g->tolerance * largest, 0.0, path);
  free(expected);
}

/* `count` numbers of a device array. */
static void expect_device(const golden_case *g, const void *array, const char *path,
                          int64_t count) {
  double *actual = tiny_download(&g->tiny, array, count);
  expect(g, actual, path, count);
  free(actual);
}

/* Every parameter's part of `array` against GROUP/NAME. */
static void expect_by_name(const golden_case *g, void *array, const char *group) {
  const edgefw__parameters *parameters = g->tiny.model->parameters;
  for (int i = 0; i < parameters->item_count; ++i) {
    char path[256];
    snprintf(path, sizeof path, "/%s/%s", group, parameters->items[i].name);
    expect_device(g, edgefw__parameters_at(parameters, array, i), path, parameters->items[i].count);
  }
}

static int32_t *golden_tours(const golden_case *g) {
  const int64_t count = g->instances * g->nodes * g->nodes;
  double *numbers = malloc((size_t)count * sizeof *numbers);
  int32_t *tours = malloc((size_t)count * sizeof *tours);
  assert_true(numbers && tours);
  golden_read(g->file, "/tours", count, numbers);
  for (int64_t i = 0; i < count; ++i) tours[i] = (int32_t)numbers[i];
  free(numbers);
  return tours;
}

static void compare(golden_case *g) {
  const int64_t n = g->nodes, runs = g->instances * n;
  const bool wide = g->tiny.engine.kernels->dtype == EDGEFW_F64;
  int32_t *tours = golden_tours(g);
  void *logits = calloc((size_t)(runs * n * n), wide ? sizeof(double) : sizeof(float));
  assert_non_null(logits);
  const edgefw__rollout_request request = {
      .clip = edgefw_options_real(g->tiny.composition->decoder, "logit_clip"),
      .select = EDGEFW_SELECT_FORCED,
      .tours = tours,
      .logits = logits,
      .objective = &edgefw__reinforce};
  double norm = 0.0;
  tiny_ok(&g->tiny, edgefw__train_step(g->policy, g->batch, &request, 1, 4e-4, &norm));

  const edgefw__node *encoder =
      edgefw__graph_node(g->policy->graph.graph, g->policy->graph.encoding.key);
  expect_device(g, encoder->data, "/encoder", g->instances * n * encoder->width);
  expect(g, g->policy->lengths, "/lengths", runs);
  expect(g, g->policy->log_probability, "/log_probability", runs);
  double *host = malloc((size_t)(runs * n * n) * sizeof *host);
  assert_non_null(host);
  for (int64_t i = 0; i < runs * n * n; ++i)
    host[i] = wide ? ((double *)logits)[i] : (double)((float *)logits)[i];
  expect(g, host, "/logits", runs * n * n);
  double loss = 0.0;
  for (int64_t b = 0; b < g->instances; ++b) loss += g->policy->losses[b] / (double)g->instances;
  expect(g, &loss, "/loss", 1);
  const edgefw__parameters *parameters = g->tiny.model->parameters;
  expect_by_name(g, parameters->gradients, "gradients");
  free(host);
  free(logits);
  free(tours);
}

/* Adam's first step is rate * sign(gradient): where a gradient is rounding, so is its sign, and a
 * float device is not asked. */
static void compare_adam(golden_case *g) {
  if (g->tiny.engine.kernels->dtype == EDGEFW_F64)
    expect_by_name(g, g->tiny.model->parameters->values, "adam");
}

static void run_case(const char *name) {
  for (size_t d = 0; d < sizeof devices / sizeof *devices; ++d) {
    if (!tiny_has_device(devices[d])) continue;
    golden_case g;
    begin(&g, name, devices[d]);
    compare(&g);
    compare_adam(&g);
    end(&g);
  }
}

static void the_policy_with_all_terms(void **state) {
  (void)state;
  tiny_require_term("edge");
  tiny_require_term("closure");
  tiny_require_term("lookahead");
  run_case(cases[0]);
}

static void the_policy_without_terms(void **state) {
  (void)state;
  run_case(cases[1]);
}

static void the_policy_with_row_softmax(void **state) {
  (void)state;
  tiny_require_term("edge");
  run_case(cases[2]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_policy_with_all_terms),
      cmocka_unit_test(the_policy_without_terms),
      cmocka_unit_test(the_policy_with_row_softmax),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
