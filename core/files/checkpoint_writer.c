/* Writing checkpoints. */
#include <string.h>

#include "edgefw/version.h"
#include "files/checkpoint.h"
#include "files/hdf5_input.h"
#include "files/hdf5_output.h"

static edgefw_status check_name(edgefw_context *ctx, const char *path, const char *name) {
  if (name[0] != '\0' && !strchr(name, '/') && strcmp(name, ".") != 0) return EDGEFW_OK;
  return edgefw_fail(ctx, EDGEFW_INVALID_ARGUMENT,
                     "cannot write '%s': '%s' is no name for an array", path, name);
}

static edgefw_status check_tensor(edgefw_context *ctx, const char *path,
                                  const edgefw__checkpoint_tensor *tensor) {
  const edgefw_status status = check_name(ctx, path, tensor->name);
  if (status != EDGEFW_OK) return status;
  bool good = tensor->rank >= 1 && tensor->rank <= EDGEFW__CHECKPOINT_MAX_RANK;
  for (int axis = 0; good && axis < tensor->rank; ++axis) good = tensor->shape[axis] >= 1;
  good = good && tensor->value && (tensor->m == NULL) == (tensor->v == NULL);
  if (good) return EDGEFW_OK;
  return edgefw_fail(ctx, EDGEFW_INVALID_ARGUMENT,
                     "cannot write '%s': parameter '%s' has no values, a bad shape, or one moment "
                     "without the other",
                     path, tensor->name);
}

static edgefw_status check_content(edgefw_context *ctx, const char *path,
                                   const edgefw__checkpoint_content *content) {
  edgefw_status status = EDGEFW_OK;
  for (int64_t i = 0; i < content->tensor_count && status == EDGEFW_OK; ++i) {
    status = check_tensor(ctx, path, &content->tensors[i]);
    if (status == EDGEFW_OK && !content->tensors[i].ema != !content->tensors[0].ema)
      status = edgefw_fail(ctx, EDGEFW_INVALID_ARGUMENT,
                           "cannot write '%s': of parameters '%s' and '%s' one alone has a mean",
                           path, content->tensors[0].name, content->tensors[i].name);
  }
  for (int64_t i = 0; i < content->series_count && status == EDGEFW_OK; ++i) {
    status = check_name(ctx, path, content->series[i].name);
  }
  return status;
}

static void put_meta(edgefw__hdf5_output *output, const edgefw__checkpoint_meta *meta) {
  const hid_t root = output->file;
  edgefw__hdf5_put_text(output, root, "edgefw_version", EDGEFW_VERSION);
  edgefw__hdf5_put_text(output, root, "problem", meta->problem);
  edgefw__hdf5_put_text(output, root, "backbone", meta->backbone);
  edgefw__hdf5_put_text(output, root, "terms", meta->terms);
  edgefw__hdf5_put_text(output, root, "plugins", meta->plugins);
  edgefw__hdf5_put_text(output, root, "config", meta->config);
  edgefw__hdf5_put_number(output, root, "epoch", H5T_NATIVE_INT64, &meta->epoch);
  edgefw__hdf5_put_number(output, root, "step", H5T_NATIVE_INT64, &meta->step);
  edgefw__hdf5_put_number(output, root, "instances", H5T_NATIVE_UINT64, &meta->instances);
  if (meta->init_digest != 0)
    edgefw__hdf5_put_number(output, root, "init_digest", H5T_NATIVE_UINT64, &meta->init_digest);
  if (meta->data_digest != 0)
    edgefw__hdf5_put_number(output, root, "data_digest", H5T_NATIVE_UINT64, &meta->data_digest);
}

static void put_floats(edgefw__hdf5_output *output, hid_t group,
                       const edgefw__checkpoint_tensor *tensor, const float *data) {
  edgefw__hdf5_put_array(output, group, tensor->name, tensor->rank, tensor->shape, H5T_IEEE_F32LE,
                         H5T_NATIVE_FLOAT, data);
}

/* A file without means has no group for them. */
static void put_ema(edgefw__hdf5_output *output, const edgefw__checkpoint_content *content) {
  if (content->tensor_count == 0 || !content->tensors[0].ema) return;
  const hid_t group = edgefw__hdf5_put_group(output, output->file, "ema");
  for (int64_t i = 0; i < content->tensor_count && !output->failed; ++i)
    put_floats(output, group, &content->tensors[i], content->tensors[i].ema);
  if (group >= 0) H5Gclose(group);
}

static void put_tensors(edgefw__hdf5_output *output, const edgefw__checkpoint_content *content) {
  const hid_t parameters = edgefw__hdf5_put_group(output, output->file, "parameters");
  const hid_t optimizer = edgefw__hdf5_put_group(output, output->file, "optimizer");
  const hid_t m = edgefw__hdf5_put_group(output, optimizer, "m");
  const hid_t v = edgefw__hdf5_put_group(output, optimizer, "v");
  for (int64_t i = 0; i < content->tensor_count && !output->failed; ++i) {
    const edgefw__checkpoint_tensor *tensor = &content->tensors[i];
    put_floats(output, parameters, tensor, tensor->value);
    if (!tensor->m) continue;
    put_floats(output, m, tensor, tensor->m);
    put_floats(output, v, tensor, tensor->v);
  }
  put_ema(output, content);
  if (v >= 0) H5Gclose(v);
  if (m >= 0) H5Gclose(m);
  if (optimizer >= 0) H5Gclose(optimizer);
  if (parameters >= 0) H5Gclose(parameters);
}

static void put_records(edgefw__hdf5_output *output, const edgefw__checkpoint_content *content) {
  const hid_t history = edgefw__hdf5_put_group(output, output->file, "history");
  for (int64_t i = 0; i < content->series_count && !output->failed; ++i) {
    const edgefw__checkpoint_series *series = &content->series[i];
    if (series->count == 0) continue; /* a metric without values is no metric */
    edgefw__hdf5_put_array(output, history, series->name, 1, &series->count, H5T_IEEE_F64LE,
                           H5T_NATIVE_DOUBLE, series->values);
  }
  const hid_t partial = edgefw__hdf5_put_group(output, output->file, "partial");
  for (int64_t i = 0; i < content->scalar_count && !output->failed; ++i) {
    edgefw__hdf5_put_number(output, partial, content->scalars[i].name, H5T_NATIVE_DOUBLE,
                            &content->scalars[i].value);
  }
  if (partial >= 0) H5Gclose(partial);
  if (history >= 0) H5Gclose(history);
}

edgefw_status edgefw__checkpoint_write(edgefw_context *ctx, const char *path,
                                       const edgefw__checkpoint_content *content) {
  edgefw_status status = check_content(ctx, path, content);
  if (status != EDGEFW_OK) return status;
  edgefw__hdf5_silence silence;
  edgefw__hdf5_silence_begin(&silence);
  edgefw__hdf5_output output;
  status = edgefw__hdf5_create(ctx, path, EDGEFW__CHECKPOINT_FORMAT, EDGEFW__CHECKPOINT_VERSION,
                               EDGEFW__HDF5_IN_MEMORY, &output);
  if (status == EDGEFW_OK) {
    put_meta(&output, &content->meta);
    put_tensors(&output, content);
    put_records(&output, content);
    status = edgefw__hdf5_finish(&output);
  }
  edgefw__hdf5_silence_end(&silence);
  return status;
}
