/* The checks of each kind of plugin. Plugins are found by kind and by whether they fit, never by
 * name; devices that everything is measured against have fixed names. */
#include "conformance/conformance.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "conformance/conformance_report.h"
#include "conformance/trial.h"
#include "nn/op.h"
#include "plugin/options.h"

#define TENSORS         16   /* parameters whose gradient is checked, one number of each */
#define GRADIENT_SHARE  1e-3 /* relative to the gradient itself */
#define GRADIENT_FLOOR  1e-5 /* relative to the largest gradient */
#define FLOAT_DISTANCE  2e-3 /* between logits of float and double, clip 10 */
#define DOUBLE_DISTANCE 1e-8
#define FLOAT_SLOPE     1e-3 /* between their gradients, relative to the largest */
#define DOUBLE_SLOPE    1e-8

/* --- Finite numbers --- */

static bool all_finite(const edgefw__trial *trial, edgefw_value value, double *scratch) {
  const edgefw__node *node = edgefw__graph_node(trial->policy->graph.graph, value);
  const int64_t n = trial->batch->n;
  const int64_t count = EDGEFW__TRIAL_COUNT * n * (node->pair ? n : node->width);
  if (node->spec.op->raw) return true; /* the instance itself */
  trial->engine->kernels->download(trial->engine->device, scratch, node->data, count);
  for (int64_t i = 0; i < count; ++i)
    if (!isfinite(scratch[i])) return false;
  return true;
}

static void check_finite(edgefw__conformance_report *report, const edgefw__trial *trial,
                         const char *instances) {
  const edgefw__policy_graph *graph = &trial->policy->graph;
  const int64_t n = trial->batch->n;
  const int64_t width = graph->plan.width > n ? graph->plan.width : n;
  double *scratch =
      edgefw_arena_take(report->arena, (size_t)(EDGEFW__TRIAL_COUNT * n * width), sizeof *scratch);
  if (!scratch) return;
  if (report->plugin->kind == EDGEFW_KIND_TERM) {
    bool finite = true;
    for (int t = 0; t < graph->plan.table_count; ++t)
      finite &= all_finite(trial, graph->tables[t], scratch);
    edgefw__conformance_tell(report, finite, "features are finite on %s (%d, from %d tables)",
                             instances, graph->plan.feature_count, graph->plan.table_count);
  }
  edgefw__conformance_tell(report,
                           all_finite(trial, graph->encoding.query, scratch) &&
                               all_finite(trial, graph->encoding.key, scratch),
                           "embeddings are finite on %s", instances);
  edgefw__conformance_tell(report, isfinite(edgefw__trial_distance(trial, trial)) != 0,
                           "logits are finite on %s", instances);
}

/* Instances all of whose numbers are equal have no spread to divide by. */
static void check_constant(edgefw__conformance_report *report, edgefw__trial *trial) {
  const edgefw__composition *composition = trial->model->composition;
  const edgefw_problem *problem = &composition->problem->vtable.problem;
  edgefw_status status = EDGEFW_OK;
  for (int f = 0; f < trial->batch->field_count; ++f) {
    const int64_t count =
        EDGEFW__TRIAL_COUNT * edgefw_field_count(problem->fields[f].shape, trial->batch->n);
    for (int64_t i = 0; i < count; ++i) trial->batch->data[f][i] = 1.0;
  }
  for (int b = 0; status == EDGEFW_OK && b < EDGEFW__TRIAL_COUNT; ++b) {
    edgefw_instance instance = edgefw__batch_instance(trial->batch, b);
    status = problem->accept(report->ctx, composition->problem_options, &instance);
  }
  if (status != EDGEFW_OK) { /* the problem has no such instances */
    edgefw_clear(report->ctx);
    return;
  }
  status = edgefw__trial_run(trial);
  if (edgefw__conformance_call(report, status, "all numbers equal: it runs"))
    check_finite(report, trial, "instances of equal numbers");
}

/* --- Gradients --- */

static int64_t steepest(const edgefw__parameter *parameter, const double *gradients) {
  int64_t best = parameter->offset;
  for (int64_t i = 0; i < parameter->count; ++i)
    if (fabs(gradients[parameter->offset + i]) > fabs(gradients[best]))
      best = parameter->offset + i;
  return best;
}

static bool is_mlp(const edgefw__trial *trial, int parameter) {
  for (int p = 0; p < 4; ++p)
    if (trial->policy->graph.mlp[p] == parameter) return true;
  return false;
}

/* Compare gradients with finite differences. Differences need time, so they are taken for some
 * parameters spread over the model and for those of the features' MLP, and in each of them for the
 * number whose gradient is largest. */
static void check_gradients(edgefw__conformance_report *report, edgefw__trial *trial) {
  const edgefw__parameters *parameters = trial->model->parameters;
  double *gradients =
      edgefw_arena_take(report->arena, (size_t)parameters->total, sizeof *gradients);
  if (!gradients) return;
  edgefw__trial_gradients(trial, gradients);
  double largest = 0.0;
  for (int64_t i = 0; i < parameters->total; ++i) largest = fmax(largest, fabs(gradients[i]));
  edgefw__conformance_tell(report, largest > 0.0 && isfinite(largest),
                           "the loss has a gradient (largest number %.3g)", largest);
  const int stride = (parameters->item_count + TENSORS - 1) / TENSORS;
  int checked = 0, wrong = 0;
  for (int p = 0; p < parameters->item_count; ++p) {
    if (p % stride != 0 && !is_mlp(trial, p)) continue;
    const int64_t entry = steepest(&parameters->items[p], gradients);
    double slope = 0.0;
    const edgefw_status status = edgefw__trial_difference(trial, entry, &slope);
    if (status != EDGEFW_OK) {
      edgefw__conformance_call(report, status, "finite differences");
      return;
    }
    const double allowed = GRADIENT_SHARE * fabs(slope) + GRADIENT_FLOOR * largest;
    ++checked;
    if (fabs(slope - gradients[entry]) <= allowed) continue;
    ++wrong;
    edgefw__conformance_tell(report, false, "gradient of %s: %.9g, by finite differences %.9g",
                             parameters->items[p].name, gradients[entry], slope);
  }
  edgefw__conformance_tell(report, wrong == 0,
                           "gradients equal finite differences for %d of %d parameters",
                           checked - wrong, checked);
}

/* --- Devices --- */

/* Largest difference between the gradients of two trials, relative to the largest gradient. */
static double slope_distance(edgefw__conformance_report *report, const edgefw__trial *trial,
                             const edgefw__trial *oracle) {
  const int64_t total = trial->model->parameters->total;
  double *mine = edgefw_arena_take(report->arena, (size_t)total, sizeof *mine);
  double *right = edgefw_arena_take(report->arena, (size_t)total, sizeof *right);
  if (!mine || !right) return (double)INFINITY;
  edgefw__trial_gradients(trial, mine);
  edgefw__trial_gradients(oracle, right);
  double largest = 0.0, worst = 0.0;
  for (int64_t i = 0; i < total; ++i) {
    if (!isfinite(mine[i])) return (double)INFINITY;
    largest = fmax(largest, fabs(right[i]));
    worst = fmax(worst, fabs(mine[i] - right[i]));
  }
  return largest > 0.0 ? worst / largest : worst;
}

/* The composition on another device, with the same tours. */
static void compare(edgefw__conformance_report *report, const edgefw__composition *composition,
                    const edgefw__trial *oracle, const edgefw__engine *engine, const char *name) {
  edgefw__trial trial = {.ctx = report->ctx};
  edgefw_status status = edgefw__trial_open(engine, composition, oracle->tours, &trial);
  if (status == EDGEFW_OK) status = edgefw__trial_run(&trial);
  if (status == EDGEFW_OK) {
    const bool exact = engine->kernels->dtype == EDGEFW_F64;
    const double logits = edgefw__trial_distance(&trial, oracle);
    const double slopes = slope_distance(report, &trial, oracle);
    edgefw__conformance_tell(report, logits <= (exact ? DOUBLE_DISTANCE : FLOAT_DISTANCE),
                             "logits of %s are those of %s (largest difference %.2g)", name,
                             EDGEFW__CONFORMANCE_ORACLE, logits);
    edgefw__conformance_tell(report, slopes <= (exact ? DOUBLE_SLOPE : FLOAT_SLOPE),
                             "and so are the gradients (%.2g of the largest)", slopes);
  } else if (status == EDGEFW_UNSUPPORTED && edgefw__engine_has_memory(engine)) {
    edgefw__conformance_tell(report, true, "device %s refuses it: %s", name,
                             edgefw_message(report->ctx));
    edgefw_clear(report->ctx);
  } else {
    edgefw__conformance_call(report, status, name);
  }
  edgefw__trial_close(&trial);
}

/* All other devices that can be had here. */
static void compare_devices(edgefw__conformance_report *report,
                            const edgefw__composition *composition, const edgefw__trial *oracle) {
  for (size_t p = 0; p < edgefw__registry_count(report->registry); ++p) {
    const edgefw__plugin *plugin = edgefw__registry_at(report->registry, p);
    const char *name = plugin->descriptor->name;
    edgefw__engine engine;
    if (plugin->kind != EDGEFW_KIND_DEVICE || strcmp(name, EDGEFW__CONFORMANCE_ORACLE) == 0)
      continue;
    if (edgefw__engine_open_with(report->ctx, report->registry, name, EDGEFW__PRECISION_FP32,
                                 &engine) == EDGEFW_OK) {
      compare(report, composition, oracle, &engine, name);
      edgefw__engine_close(&engine);
    } else {
      edgefw_clear(report->ctx); /* not on this machine */
    }
  }
}

/* The device under test, which need not be in the registry. */
static void compare_tested(edgefw__conformance_report *report,
                           const edgefw__composition *composition, const edgefw__trial *oracle) {
  edgefw__engine engine = {.ctx = report->ctx, .kernels = &report->plugin->vtable.kernels};
  if (!edgefw__conformance_call(report, engine.kernels->create(report->ctx, &engine.device),
                                "the device starts"))
    return;
  if (engine.kernels->set_precision &&
      !edgefw__conformance_call(report,
                                engine.kernels->set_precision(engine.device, EDGEFW_PRECISION_FP32),
                                "it can be told to compute in fp32")) {
    edgefw__engine_close(&engine);
    return;
  }
  compare(report, composition, oracle, &engine, report->plugin->descriptor->name);
  edgefw__engine_close(&engine);
}

/* --- The suite --- */

static void check_policy(edgefw__conformance_report *report,
                         const edgefw__composition *composition) {
  edgefw__engine engine;
  edgefw__trial trial = {.ctx = report->ctx};
  if (!edgefw__conformance_call(
          report,
          edgefw__engine_open(report->ctx, report->registry, EDGEFW__CONFORMANCE_ORACLE, &engine),
          "device " EDGEFW__CONFORMANCE_ORACLE " is there"))
    return;
  edgefw_status status = edgefw__trial_open(&engine, composition, NULL, &trial);
  if (status == EDGEFW_OK) status = edgefw__trial_run(&trial);
  if (edgefw__conformance_call(report, status, "forward and backward run")) {
    const bool device = report->plugin->kind == EDGEFW_KIND_DEVICE;
    edgefw__conformance_tell(report, trial.model->parameters->total > 0,
                             "the model has %" PRId64 " parameters",
                             trial.model->parameters->total);
    if (device) {
      compare_tested(report, composition, &trial);
    } else {
      check_finite(report, &trial, "generated instances");
      compare_devices(report, composition, &trial);
      check_gradients(report, &trial);
      check_constant(report, &trial);
    }
  }
  edgefw__trial_close(&trial);
  edgefw__engine_close(&engine);
}

static void check_plugin(edgefw__conformance_report *report) {
  const edgefw__plugin *plugin = report->plugin;
  edgefw__composition composition;
  edgefw_options *options = NULL;
  edgefw__conformance_tell(report, true, "it is a %s called %s, version %s",
                           edgefw__kind_name(plugin->kind), plugin->descriptor->name,
                           plugin->descriptor->version);
  if (!edgefw__conformance_call(
          report, edgefw__options_defaults(report->ctx, report->arena, plugin->options, &options),
          "its options and their defaults are sound"))
    return;
  if (plugin->kind == EDGEFW_KIND_HEURISTIC) {
    edgefw__conformance_heuristic(report, options);
    return;
  }
  if (!edgefw__conformance_compose(report, &composition)) return;
  if (plugin->kind == EDGEFW_KIND_PROBLEM)
    edgefw__conformance_problem(report, &composition);
  else
    check_policy(report, &composition);
}

edgefw_status edgefw__conformance(edgefw_context *ctx, const edgefw__registry *registry,
                                  const char *path, edgefw__conformance_sink sink, void *user,
                                  int *failures) {
  edgefw__conformance_report report = {
      .ctx = ctx, .registry = registry, .sink = sink, .user = user};
  edgefw__plugin *plugin = NULL;
  const edgefw_status status =
      edgefw_arena_create(ctx, &report.arena, "conformance", 1 << 16, true);
  if (status != EDGEFW_OK) return status;
  const int threads = edgefw_threads(ctx);
  edgefw_set_threads(ctx, 1); /* trials are too small for more */
  if (edgefw__conformance_call(&report, edgefw__plugin_open(ctx, path, &plugin),
                               "it loads: descriptor, ABI and required members")) {
    report.plugin = plugin;
    check_plugin(&report);
  }
  edgefw__plugin_close(ctx, plugin);
  edgefw_arena_destroy(report.arena);
  edgefw_set_threads(ctx, threads);
  *failures = report.failures;
  return edgefw_failure(ctx); /* something that no check caught: out of memory */
}
