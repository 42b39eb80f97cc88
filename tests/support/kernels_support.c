/* Support for the tests of devices; see kernels_support.h. */
#include "support/test.h"

#include "support/check.h"
#include "support/kernels_support.h"

#include "edgefw/plugin.h"
#include "edgefw/rng.h"

#include <dirent.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Tolerances ---------------------------------------------------------------------------------
 * Float has 6e-8; the rest is how many roundings an operation chains. */
typedef struct tolerance {
  const char *op;
  double forward, backward;
} tolerance;

static const tolerance tolerances[] = {
    {"linear", 2e-6, 5e-6},
    {"add_norm", 1e-5, 5e-5},
    {"mixed_attention", 2e-5, 1e-4},
    {"mixed_attention_extreme", 2e-4, 2e-3}, /* scores of +-30: exp magnifies their rounding */
    {"attention", 1e-5, 5e-5},
    {"copy", 0, 1e-6},
    {"zscore", 1e-6, 0},
    {"narrow", 1e-7, 0},
    {"transpose", 0, 0},
    {"row_min", 0, 0},
    {"column_min", 0, 0},
    {"row_rank", 1e-6, 0},
    {"column_rank", 1e-6, 0},
    {"svd_features", 2e-5, 0},
    {"decode", 2e-5, 1e-4},
    {"decode_extreme", 2e-4, 2e-3},
    {"adam", 1e-6, 0},
};

static const tolerance *find_tolerance(const char *op) {
  for (size_t i = 0; i < sizeof tolerances / sizeof tolerances[0]; ++i)
    if (strcmp(tolerances[i].op, op) == 0) return &tolerances[i];
  return NULL;
}

double ks_tolerance(const char *op, bool backward) {
  const tolerance *found = find_tolerance(op);
  if (!found) fail_msg("no tolerance for %s", op);
  return backward ? found->backward : found->forward;
}

/* --- Devices
 * -------------------------------------------------------------------------------------- */

/* The descriptor of a shared object if that is a device, else NULL with the library closed. */
static const edgefw_plugin_descriptor *open_device(const char *path, void **library) {
  *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (*library == NULL) {
    print_message("%s: %s\n", path, dlerror());
    return NULL;
  }
  const edgefw_plugin_descriptor *descriptor = dlsym(*library, EDGEFW_DESCRIPTOR_SYMBOL);
  if (descriptor != NULL && descriptor->magic == EDGEFW_DESCRIPTOR_MAGIC &&
      descriptor->kind == EDGEFW_KIND_DEVICE)
    return descriptor;
  dlclose(*library);
  *library = NULL;
  return NULL;
}

static bool start_device(const char *path, ks_device *out) {
  const edgefw_plugin_descriptor *descriptor = open_device(path, &out->library);
  if (descriptor == NULL) return false;
  out->name = descriptor->name;
  out->k = descriptor->vtable;
  out->real_size = out->k->dtype == EDGEFW_F64 ? sizeof(double) : sizeof(float);
  if (edgefw_context_create(&out->ctx, NULL) != EDGEFW_OK) return false;
  edgefw_set_threads(out->ctx, 1);
  edgefw_status status = out->k->create(out->ctx, &out->device);
  if (status == EDGEFW_OK && out->k->set_precision) /* the tolerances are fp32's */
    status = out->k->set_precision(out->device, EDGEFW_PRECISION_FP32);
  if (status == EDGEFW_OK) return true;
  print_message("%s is left out: %s\n", out->name, edgefw_message(out->ctx));
  edgefw_context_destroy(out->ctx);
  return false;
}

static void add_device(ks_devices *devices, const char *path, const char *name) {
  if (devices->count == KS_MAX_DEVICES) return;
  ks_device *device = &devices->item[devices->count];
  if (!start_device(path, device)) return;
  if (strcmp(device->name, "reference64") == 0) devices->oracle = device;
  if (name != NULL) device->name = name;
  ++devices->count;
}

/* The cpu device once more for each lower instruction set that its build has (a plain build has
 * none), unless the environment has picked one already. */
static void add_variants(ks_devices *devices, const char *path) {
  static const char *const variants[2][2] = {{"v2", "cpu v2"}, {"v3", "cpu v3"}};
  if (getenv("EDGEFW_CPU_VARIANT") != NULL) return;
  for (int v = 0; v < 2; ++v) {
    setenv("EDGEFW_CPU_VARIANT", variants[v][0], 1);
    add_device(devices, path, variants[v][1]);
  }
  unsetenv("EDGEFW_CPU_VARIANT");
}

/* Every device of a folder. */
static bool add_folder(ks_devices *devices, const char *folder) {
  DIR *listing = opendir(folder);
  if (listing == NULL) return false;
  for (struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
    char path[1024];
    if (strstr(entry->d_name, ".so") == NULL) continue;
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    add_device(devices, path, NULL);
    if (strcmp(entry->d_name, "edgefw_cpu.so") == 0) add_variants(devices, path);
  }
  closedir(listing);
  return true;
}

static int set_up(void **state, bool emulated) {
  const char *chosen = getenv("EDGEFW_TEST_DEVICES");
  const char *folder = chosen ? chosen : EDGEFW_BUILD_DIR "/lib/edgefw";
  ks_devices *devices = calloc(1, sizeof *devices);
  if (devices == NULL || !add_folder(devices, folder)) {
    print_error("cannot list %s\n", folder);
    free(devices);
    return 1;
  }
  if (!chosen && emulated) (void)add_folder(devices, EDGEFW_BUILD_DIR "/tests/devices");
  *state = devices;
  if (devices->oracle == NULL) print_error("%s has no device reference64\n", folder);
  return devices->oracle == NULL;
}

int ks_setup(void **state) {
  return set_up(state, true);
}

int ks_setup_long(void **state) {
#ifdef EDGEFW_SANITIZE
  return set_up(state, false);
#else
  return set_up(state, true);
#endif
}

/* Libraries stay open, so that a sanitizer can name their functions. */
int ks_teardown(void **state) {
  ks_devices *devices = *state;
  for (int i = 0; devices != NULL && i < devices->count; ++i) {
    devices->item[i].k->destroy(devices->item[i].device);
    edgefw_context_destroy(devices->item[i].ctx);
  }
  free(devices);
  return 0;
}

static const ks_device *find(const ks_devices *devices, const char *name) {
  for (int i = 0; i < devices->count; ++i)
    if (strcmp(devices->item[i].name, name) == 0) return &devices->item[i];
  return NULL;
}

const ks_device *ks_named(void **state, const char *name) {
  const ks_device *d = find(*state, name);
  if (!d) skip();
  return d;
}

const ks_device *ks_cuda(void **state) {
  const ks_device *d = find(*state, "cuda");
  return d ? d : ks_emulated(state);
}

const ks_device *ks_emulated(void **state) {
  return ks_named(state, "cuda_emulated");
}

bool ks_is_emulated(const ks_device *d) {
  return strcmp(d->name, "cuda_emulated") == 0;
}

void ks_ok(const ks_device *d, edgefw_status status) {
  if (status != EDGEFW_OK)
    fail_msg("%s: status %d: %s", d->name, (int)status, edgefw_message(d->ctx));
}

/* --- Numbers
 * -------------------------------------------------------------------------------------- */

void ks_fill(double *values, int64_t count, double scale, uint64_t seed) {
  for (int64_t i = 0; i < count; ++i) {
    const uint32_t word = edgefw_random_word(seed, EDGEFW_STREAM_PARAMETER, 0, (uint64_t)i);
    values[i] = (double)(float)(scale * (2.0 * edgefw_random_unit(word) - 1.0));
  }
}

double *ks_zeros(int64_t count) {
  double *values = calloc((size_t)(count > 0 ? count : 1), sizeof(double));
  assert_non_null(values);
  return values;
}

void *ks_reals(const ks_device *d, int64_t count) {
  void *memory = d->k->allocate(d->device, (size_t)count * d->real_size, "test");
  assert_non_null(memory);
  return memory;
}

void *ks_upload(const ks_device *d, const double *values, int64_t count) {
  if (count == 0) return NULL;
  void *memory = ks_reals(d, count);
  d->k->upload(d->device, memory, values, count);
  return memory;
}

double *ks_exact(const ks_device *d, double *values, int64_t count) {
  if (!d->k->upload_exact) return values;
  double *exact = d->k->allocate(d->device, (size_t)count * sizeof *exact, "exact doubles");
  if (!exact) fail_msg("%s: %s", d->name, edgefw_message(d->ctx));
  ks_ok(d, d->k->upload_exact(d->device, exact, values, count));
  return exact;
}

void ks_release_exact(const ks_device *d, double *exact) {
  if (d->k->upload_exact) d->k->release(d->device, exact);
}

void ks_release(const ks_device *d, void *memory) {
  if (memory != NULL) d->k->release(d->device, memory);
}

/* --- Cases
 * ---------------------------------------------------------------------------------------- */

void ks_case_create(ks_case *c, const char *op, const void *shape, ks_run run, int64_t out_count) {
  *c = (ks_case){.op = op, .shape = shape, .run = run, .out_count = out_count};
  const tolerance *found = find_tolerance(op);
  if (found) {
    c->forward_tolerance = found->forward;
    c->backward_tolerance = found->backward;
  }
  c->dout = ks_zeros(out_count);
  ks_fill(c->dout, out_count, 1.0, 77);
}

void ks_case_destroy(ks_case *c) {
  for (int t = 0; t < c->tensor_count; ++t) free(c->tensor[t].value);
  free(c->dout);
}

double *ks_case_add(ks_case *c, const char *name, int64_t count, bool has_gradient, double scale) {
  assert_true(c->tensor_count < KS_MAX_TENSORS);
  ks_tensor *tensor = &c->tensor[c->tensor_count];
  *tensor = (ks_tensor){name, count, has_gradient && count > 0, ks_zeros(count)};
  ks_fill(tensor->value, count, scale, 1000 + (uint64_t)c->tensor_count);
  ++c->tensor_count;
  return tensor->value;
}

static void upload_inputs(const ks_case *c, const ks_device *d, void **in) {
  for (int t = 0; t < c->tensor_count; ++t)
    in[t] = ks_upload(d, c->tensor[t].value, c->tensor[t].count);
}

static void release_inputs(const ks_case *c, const ks_device *d, void **in) {
  for (int t = 0; t < c->tensor_count; ++t) {
    double *after = ks_zeros(c->tensor[t].count);
    if (in[t] != NULL) d->k->download(d->device, after, in[t], c->tensor[t].count);
    check_same_bits(after, c->tensor[t].value, (size_t)c->tensor[t].count * sizeof(double),
                    c->tensor[t].name);
    free(after);
    ks_release(d, in[t]);
  }
}

void ks_forward(const ks_case *c, const ks_device *d, double *out) {
  void *in[KS_MAX_TENSORS] = {NULL}, *grad[KS_MAX_TENSORS] = {NULL};
  upload_inputs(c, d, in);
  c->run(c, d, in, NULL, grad, out);
  check_finite_f64(out, c->out_count, c->op);
  release_inputs(c, d, in);
}

void ks_backward(const ks_case *c, const ks_device *d, int passes, double *const *grad) {
  void *in[KS_MAX_TENSORS] = {NULL}, *device_grad[KS_MAX_TENSORS] = {NULL};
  double *out = ks_zeros(c->out_count);
  upload_inputs(c, d, in);
  for (int t = 0; t < c->tensor_count; ++t)
    if (c->tensor[t].has_gradient && grad[t] != NULL)
      device_grad[t] = ks_reals(d, c->tensor[t].count);
  for (int pass = 0; pass < passes; ++pass) {
    void *dout = ks_upload(d, c->dout, c->out_count);
    c->run(c, d, in, dout, device_grad, out);
    ks_release(d, dout);
  }
  for (int t = 0; t < c->tensor_count; ++t) {
    if (device_grad[t] == NULL) continue;
    d->k->download(d->device, grad[t], device_grad[t], c->tensor[t].count);
    check_finite_f64(grad[t], c->tensor[t].count, c->tensor[t].name);
    ks_release(d, device_grad[t]);
  }
  release_inputs(c, d, in);
  free(out);
}

/* --- Checks
 * --------------------------------------------------------------------------------------- */

void ks_gradients_create(const ks_case *c, double **grad) {
  for (int t = 0; t < KS_MAX_TENSORS; ++t)
    grad[t] =
        t < c->tensor_count && c->tensor[t].has_gradient ? ks_zeros(c->tensor[t].count) : NULL;
}

void ks_gradients_destroy(double **grad) {
  for (int t = 0; t < KS_MAX_TENSORS; ++t) free(grad[t]);
}

static double largest(const double *values, int64_t count) {
  double result = 0.0;
  for (int64_t i = 0; i < count; ++i) result = fmax(result, fabs(values[i]));
  return result;
}

double ks_gradients_largest(const ks_case *c, double *const *grad) {
  double result = 0.0;
  for (int t = 0; t < c->tensor_count; ++t)
    if (grad[t] != NULL) result = fmax(result, largest(grad[t], c->tensor[t].count));
  return result;
}

/* Gradients that cancel to nothing are measured against a tenth of the case's largest. */
static void compare_gradients(const ks_case *c, const char *device, double *const *actual,
                              double *const *expected, double share) {
  const double all = ks_gradients_largest(c, expected);
  for (int t = 0; t < c->tensor_count; ++t) {
    if (expected[t] == NULL) continue;
    char what[128];
    snprintf(what, sizeof what, "%s on %s: d%s", c->op, device, c->tensor[t].name);
    const double scale = fmax(largest(expected[t], c->tensor[t].count), 0.1 * all);
    check_close_f64(actual[t], expected[t], c->tensor[t].count, share * scale, 0.0, what);
  }
}

static bool any_gradient(const ks_case *c) {
  for (int t = 0; t < c->tensor_count; ++t)
    if (c->tensor[t].has_gradient) return true;
  return false;
}

void ks_check_parity(const ks_devices *devices, const ks_case *c) {
  double *grad[KS_MAX_TENSORS], *expected_grad[KS_MAX_TENSORS];
  double *out = ks_zeros(c->out_count), *expected = ks_zeros(c->out_count);
  ks_gradients_create(c, grad);
  ks_gradients_create(c, expected_grad);
  ks_forward(c, devices->oracle, expected);
  if (any_gradient(c)) ks_backward(c, devices->oracle, 1, expected_grad);
  for (int i = 0; i < devices->count; ++i) {
    const ks_device *d = &devices->item[i];
    if (d == devices->oracle) continue;
    char what[128];
    snprintf(what, sizeof what, "%s on %s", c->op, d->name);
    ks_forward(c, d, out);
    check_scaled_f64(out, expected, c->out_count, c->forward_tolerance, what);
    if (!any_gradient(c)) continue;
    ks_backward(c, d, 1, grad);
    compare_gradients(c, d->name, grad, expected_grad, c->backward_tolerance);
  }
  ks_gradients_destroy(grad);
  ks_gradients_destroy(expected_grad);
  free(out);
  free(expected);
}

static void check_threads(const ks_case *c, const ks_device *d, double *const *one) {
  double *two[KS_MAX_TENSORS], *out1 = ks_zeros(c->out_count), *out2 = ks_zeros(c->out_count);
  ks_gradients_create(c, two);
  ks_forward(c, d, out1);
  edgefw_set_threads(d->ctx, 2);
  ks_forward(c, d, out2);
  if (any_gradient(c)) ks_backward(c, d, 1, two);
  edgefw_set_threads(d->ctx, 1);
  check_same_bits(out2, out1, (size_t)c->out_count * sizeof(double), "output, two threads");
  for (int t = 0; t < c->tensor_count; ++t)
    if (two[t] != NULL)
      check_same_bits(two[t], one[t], (size_t)c->tensor[t].count * sizeof(double),
                      c->tensor[t].name);
  ks_gradients_destroy(two);
  free(out1);
  free(out2);
}

static void check_adds(const ks_case *c, const ks_device *d, double *const *once) {
  double *twice[KS_MAX_TENSORS];
  ks_gradients_create(c, twice);
  ks_backward(c, d, 2, twice);
  for (int t = 0; t < c->tensor_count; ++t)
    for (int64_t i = 0; twice[t] != NULL && i < c->tensor[t].count; ++i) twice[t][i] *= 0.5;
  compare_gradients(c, d->name, twice, once, d->k->dtype == EDGEFW_F64 ? 1e-12 : 1e-5);
  ks_gradients_destroy(twice);
}

static void check_alone(const ks_case *c, const ks_device *d, double *const *together) {
  double *none[KS_MAX_TENSORS] = {NULL};
  ks_backward(c, d, 1, none);
  for (int t = 0; t < c->tensor_count; ++t) {
    if (together[t] == NULL) continue;
    double *alone[KS_MAX_TENSORS] = {NULL};
    alone[t] = ks_zeros(c->tensor[t].count);
    ks_backward(c, d, 1, alone);
    char what[128];
    snprintf(what, sizeof what, "%s on %s: d%s alone", c->op, d->name, c->tensor[t].name);
    check_close_f64(alone[t], together[t], c->tensor[t].count,
                    1e-6 * largest(together[t], c->tensor[t].count), 0.0, what);
    free(alone[t]);
  }
}

void ks_check_rules(const ks_devices *devices, const ks_case *c) {
  for (int i = 0; i < devices->count; ++i) {
    const ks_device *d = &devices->item[i];
    double *grad[KS_MAX_TENSORS];
    ks_gradients_create(c, grad);
    if (any_gradient(c)) ks_backward(c, d, 1, grad);
    check_threads(c, d, grad);
    if (any_gradient(c)) {
      check_adds(c, d, grad);
      check_alone(c, d, grad);
    }
    ks_gradients_destroy(grad);
  }
}
