/* The whole policy of all problems, backbones and terms on golden values: encoder, logits,
 * log-probabilities, lengths, loss and gradients by name of an independent implementation, on every
 * device. labels: golden
 * needs plugins: acvrp tsp cvrp radar pomo rank patch distance_penalty local_policy edge
 * closure lookahead */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/golden.h"
#include "support/tiny_model.h"
#include "train/objectives/reinforce.h"

/* What may differ: the file's own tolerance in double; rounding of a small net in float. */
static const double float_tolerance = 2e-4;

static const char *const cases[] = {"radar_acvrp",          "radar_acvrp_static",
                                    "radar_acvrp_masked",   "radar_acvrp_rank",
                                    "radar_atsp_rank",      "radar_tsp",
                                    "radar_cvrp",           "pomo_tsp",
                                    "pomo_tsp_terms",       "pomo_cvrp",
                                    "pomo_cvrp_terms",      "elg_tsp_penalty",
                                    "elg_tsp_local",        "elg_tsp_penalty_all",
                                    "elg_tsp_both",         "elg_cvrp_penalty",
                                    "elg_cvrp_local",       "elg_cvrp_both",
                                    "elg_cvrp_penalty_all", "radar_atsp_patch",
                                    "radar_acvrp_patch",    "radar_atsp_patch_dynamic"};

typedef struct golden_case {
  tiny_model tiny;
  hid_t file;
  const char *name;
  double tolerance;
  int64_t dims[4]; /* B, n, S, T */
  edgefw__batch *batch;
  edgefw__policy *policy;
  int32_t *tours;
} golden_case;

static double *numbers(int64_t count) {
  double *out = malloc((size_t)count * sizeof *out);
  assert_non_null(out);
  return out;
}

/* The files have the names by which parameters were first known (README.md beside them). */
static void read_parameter(const golden_case *g, const char *dataset, const edgefw__parameter *item,
                           double *out) {
  golden_read_packed(g->file, dataset, edgefw__parameter_first_name(item), item->count, out);
}

static void set_parameters(const golden_case *g) {
  const edgefw__parameters *parameters = g->tiny.model->parameters;
  for (int i = 0; i < parameters->item_count; ++i) {
    const edgefw__parameter *item = &parameters->items[i];
    double *values = numbers(item->count);
    read_parameter(g, "/parameters", item, values);
    tiny_upload(&g->tiny, edgefw__parameters_at(parameters, parameters->values, i), values,
                item->count);
    free(values);
  }
}

static void set_batch(golden_case *g) {
  const edgefw_problem *problem = &g->tiny.composition->problem->vtable.problem;
  const int64_t count = g->dims[0], n = g->dims[1];
  tiny_ok(&g->tiny, edgefw__batch_create(g->tiny.ctx, problem->fields, count, n, &g->batch));
  g->batch->count = count;
  for (int f = 0; f < g->batch->field_count; ++f) {
    char path[64];
    snprintf(path, sizeof path, "/%s", problem->fields[f].name);
    golden_read(g->file, path, count * edgefw_field_count(problem->fields[f].shape, n),
                g->batch->data[f]);
  }
}

static void set_tours(golden_case *g) {
  const int64_t count = g->dims[0] * g->dims[2] * g->dims[3];
  double *given = numbers(count);
  golden_read(g->file, "/tours", count, given);
  g->tours = malloc((size_t)count * sizeof *g->tours);
  assert_non_null(g->tours);
  for (int64_t i = 0; i < count; ++i) g->tours[i] = (int32_t)given[i];
  free(given);
}

static void begin(golden_case *g, const char *name, const char *device) {
  double dims[4];
  *g = (golden_case){.file = golden_open(name), .name = name};
  golden_read(g->file, "/dims", 4, dims);
  for (int i = 0; i < 4; ++i) g->dims[i] = (int64_t)dims[i];
  char *config = golden_text(g->file, "config");
  tiny_open(&g->tiny, config, device, 1, true);
  free(config);
  g->tolerance = g->tiny.engine.kernels->dtype == EDGEFW_F64
                     ? golden_attribute(g->file, "tolerance")
                     : float_tolerance;
  set_parameters(g);
  set_batch(g);
  set_tours(g);
  g->policy = tiny_policy(&g->tiny, g->dims[0], g->dims[1], true);
  assert_int_equal(g->policy->rollouts, g->dims[2]);
  assert_int_equal(g->policy->steps, g->dims[3]);
}

static void end(golden_case *g) {
  edgefw__policy_destroy(g->policy);
  edgefw__batch_destroy(g->tiny.ctx, g->batch);
  free(g->tours);
  tiny_close(&g->tiny);
  H5Fclose(g->file);
}

/* Within tolerance * max(1, largest expected number). */
static void expect(const golden_case *g, const double *actual, const double *expected,
                   int64_t count, const char *what) {
  char name[200];
  double largest = 1.0;
  snprintf(name, sizeof name, "%s: %s", g->name, what);
  for (int64_t i = 0; i < count; ++i) largest = fmax(largest, fabs(expected[i]));
  check_close_f64(actual, expected, count, g->tolerance * largest, 0.0, name);
}

static void expect_dataset(const golden_case *g, const double *actual, const char *path,
                           int64_t count) {
  double *expected = numbers(count);
  golden_read(g->file, path, count, expected);
  expect(g, actual, expected, count, path);
  free(expected);
}

static void expect_encoder(const golden_case *g) {
  const edgefw__node *encoder =
      edgefw__graph_node(g->policy->graph.graph, g->policy->graph.encoding.key);
  const int64_t count = g->dims[0] * g->dims[1] * encoder->width;
  double *actual = tiny_download(&g->tiny, encoder->data, count);
  expect_dataset(g, actual, "/encoder", count);
  free(actual);
}

static void expect_logits(const golden_case *g, const void *logits, int64_t count) {
  const bool wide = g->tiny.engine.kernels->dtype == EDGEFW_F64;
  double *actual = numbers(count);
  for (int64_t i = 0; i < count; ++i)
    actual[i] = wide ? ((const double *)logits)[i] : (double)((const float *)logits)[i];
  expect_dataset(g, actual, "/logits", count);
  free(actual);
}

static void expect_gradients(const golden_case *g) {
  const edgefw__parameters *parameters = g->tiny.model->parameters;
  for (int i = 0; i < parameters->item_count; ++i) {
    const edgefw__parameter *item = &parameters->items[i];
    double *expected = numbers(item->count);
    read_parameter(g, "/gradients", item, expected);
    double *actual = tiny_download(
        &g->tiny, edgefw__parameters_at(parameters, parameters->gradients, i), item->count);
    expect(g, actual, expected, item->count, item->name);
    free(actual);
    free(expected);
  }
}

static void compare(const golden_case *g) {
  const int64_t runs = g->dims[0] * g->dims[2], count = runs * g->dims[3] * g->dims[1];
  void *logits = calloc((size_t)count, edgefw__real_size(g->tiny.engine.kernels));
  assert_non_null(logits);
  const edgefw__composition *composition = g->tiny.composition;
  const edgefw__reinforce_options options = edgefw__reinforce_options_of(composition->train);
  const edgefw__objective objective = edgefw__reinforce_with(&options);
  const edgefw__rollout_request request = {
      .clip = edgefw_options_real(composition->decoder, "logit_clip"),
      .select = EDGEFW_SELECT_FORCED,
      .tours = g->tours,
      .logits = logits,
      .objective = &objective};
  tiny_ok(&g->tiny, edgefw__policy_run(g->policy, g->batch, &request));
  expect_encoder(g);
  expect_dataset(g, g->policy->lengths, "/lengths", runs);
  expect_logits(g, logits, count);
  expect_dataset(g, g->policy->log_probability, "/log_probability", runs);
  double loss = 0.0;
  for (int64_t b = 0; b < g->dims[0]; ++b) loss += g->policy->losses[b] / (double)g->dims[0];
  expect_dataset(g, &loss, "/loss", 1);
  expect_gradients(g);
  free(logits);
}

static void run_device(const char *device) {
  if (!tiny_has_device(device)) skip();
  for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
    golden_case g;
    begin(&g, cases[c], device);
    compare(&g);
    end(&g);
  }
}

static void on_reference64(void **state) {
  (void)state;
  run_device("reference64");
}

static void on_reference(void **state) {
  (void)state;
  run_device("reference");
}

static void on_cpu(void **state) {
  (void)state;
  run_device("cpu");
}

static void on_cuda(void **state) {
  (void)state;
  run_device("cuda_emulated");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(on_reference64),
                                     cmocka_unit_test(on_reference), cmocka_unit_test(on_cpu),
                                     cmocka_unit_test(on_cuda)};
  return test_run(tests, NULL, NULL);
}
