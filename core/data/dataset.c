/* Reading datasets. */
#include "data/dataset.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "files/hdf5_input.h"

struct edgefw__dataset {
  edgefw__hdf5_input input;
  edgefw__dataset_summary summary;
  const edgefw_field *fields;
  int field_count;
  edgefw__hdf5_array arrays[EDGEFW_MAX_FIELDS];
  edgefw__unit units[EDGEFW_MAX_FIELDS]; /* scale 0: values are stored as they are */
  char path[];
};

edgefw__unit edgefw__unit_of(double scale) {
  const double inverse = rint(1.0 / scale);
  /* A decimal scale such as 1e-6 is no exact double, so 1 / scale may miss the whole number that it
   * stands for by its rounding. */
  const bool whole = scale < 1.0 && fabs(inverse * scale - 1.0) < 1e-12;
  return (edgefw__unit){scale, whole ? inverse : 0.0};
}

double edgefw__unit_value(const edgefw__unit *unit, double units) {
  return unit->inverse > 0.0 ? units / unit->inverse : units * unit->scale;
}

/* --- Head of the file --- */

static edgefw_status copy_text(const edgefw__hdf5_input *input, hid_t object, const char *name,
                               char *out, size_t size) {
  char *text = NULL;
  const edgefw_status status = edgefw__hdf5_get_text(input, object, name, &text);
  if (status == EDGEFW_OK) snprintf(out, size, "%s", text);
  edgefw_release(input->ctx, text);
  return status;
}

/* Are there reference costs, and what are they? A file that does not say has costs of solutions. */
static edgefw_status read_reference_head(const edgefw__hdf5_input *input,
                                         edgefw__dataset_summary *out) {
  hid_t group = H5I_INVALID_HID;
  char *remark = NULL;
  edgefw_status status = edgefw__hdf5_group(input, input->file, "reference", &group);
  out->has_reference = group >= 0 && edgefw__hdf5_exists(group, "cost");
  if (status == EDGEFW_OK && out->has_reference && edgefw__hdf5_has(group, "costs"))
    status = edgefw__hdf5_get_text(input, group, "costs", &remark);
  if (remark) out->reference_kind = edgefw__reference_kind_of_remark(remark);
  edgefw_release(input->ctx, remark);
  if (status == EDGEFW_OK && out->has_reference && edgefw__hdf5_has(group, "forbidden"))
    status = copy_text(input, group, "forbidden", out->reference_forbidden,
                       sizeof out->reference_forbidden);
  if (group >= 0) H5Gclose(group);
  return status;
}

static edgefw_status read_head(const edgefw__hdf5_input *input, edgefw__dataset_summary *out) {
  memset(out, 0, sizeof *out);
  edgefw_status status =
      copy_text(input, input->file, "problem", out->problem, sizeof out->problem);
  /* The rest is for people; a file made by other tools may lack it. */
  if (status == EDGEFW_OK && edgefw__hdf5_has(input->file, "distribution")) {
    status =
        copy_text(input, input->file, "distribution", out->distribution, sizeof out->distribution);
  }
  out->has_seed = edgefw__hdf5_has(input->file, "seed");
  if (status == EDGEFW_OK && out->has_seed) {
    status = edgefw__hdf5_get_number(input, input->file, "seed", H5T_NATIVE_UINT64, &out->seed);
  }
  out->has_labels = edgefw__hdf5_exists(input->file, "label");
  return status == EDGEFW_OK ? read_reference_head(input, out) : status;
}

/* --- Fields --- */

/* Scale of an array, 0 if it has none. */
static edgefw_status read_scale(const edgefw__hdf5_input *input, const edgefw__hdf5_array *array,
                                const char *name, double *out) {
  *out = 0.0;
  if (!edgefw__hdf5_has(array->id, "scale")) return EDGEFW_OK;
  const edgefw_status status =
      edgefw__hdf5_get_number(input, array->id, "scale", H5T_NATIVE_DOUBLE, out);
  if (status == EDGEFW_OK && !(isfinite(*out) && *out > 0.0)) {
    return edgefw_fail(input->ctx, EDGEFW_FORMAT,
                       "'%s': the array '%s' has scale %g, expected a positive number", input->path,
                       name, *out);
  }
  return edgefw_note(input->ctx, status, "in the array '%s'", name);
}

/* Add an array to a summary: its name and storage, and the sizes that must agree. */
static edgefw_status add_to_summary(const edgefw__hdf5_input *input,
                                    const edgefw__hdf5_array *array, const char *name, double scale,
                                    edgefw__dataset_summary *out) {
  const int64_t count = array->shape[0];
  const int64_t n = array->rank > 1 ? array->shape[1] : out->n;
  if (out->field_count > 0 && out->count != count) {
    return edgefw_fail(input->ctx, EDGEFW_FORMAT,
                       "'%s': the array '%s' has %" PRId64 " instances, '%s' has %" PRId64,
                       input->path, name, count, out->fields[0].name, out->count);
  }
  if (n > EDGEFW_MAX_NODES || (out->n > 0 && out->n != n)) {
    return edgefw_fail(input->ctx, EDGEFW_FORMAT,
                       "'%s': the array '%s' has %" PRId64 " nodes, expected %s%" PRId64,
                       input->path, name, n, out->n > 0 ? "" : "at most ",
                       out->n > 0 ? out->n : EDGEFW_MAX_NODES);
  }
  out->count = count;
  out->n = n;
  const int f = out->field_count++;
  snprintf(out->fields[f].name, sizeof out->fields[f].name, "%s", name);
  const char *kind = array->class == H5T_INTEGER ? "int" : "float";
  const int used = snprintf(out->fields[f].storage, sizeof out->fields[f].storage, "%s%d", kind,
                            (int)array->width * 8);
  if (scale > 0.0) {
    snprintf(out->fields[f].storage + used, sizeof out->fields[f].storage - (size_t)used, " x %g",
             scale);
  }
  return EDGEFW_OK;
}

static edgefw_status check_shape(const edgefw__hdf5_input *input, const edgefw__hdf5_array *array,
                                 const edgefw_field *field) {
  static const char *const shapes[] = {[EDGEFW_FIELD_PAIR] = "(N,n,n)",
                                       [EDGEFW_FIELD_NODE] = "(N,n)",
                                       [EDGEFW_FIELD_SCALAR] = "(N)",
                                       [EDGEFW_FIELD_POINT] = "(N,n,2)"};
  const char *expected = shapes[field->shape];
  const int rank = edgefw__field_rank(field->shape);
  if (array->rank != rank) {
    return edgefw_fail(input->ctx, EDGEFW_FORMAT,
                       "'%s': the array '%s' has %d axes, expected %d: %s", input->path,
                       field->name, array->rank, rank, expected);
  }
  if (field->shape == EDGEFW_FIELD_POINT && array->shape[2] != 2) {
    return edgefw_fail(input->ctx, EDGEFW_FORMAT,
                       "'%s': the array '%s' has %" PRId64 " numbers for a node, expected 2: %s",
                       input->path, field->name, array->shape[2], expected);
  }
  if (field->shape == EDGEFW_FIELD_PAIR && array->shape[1] != array->shape[2]) {
    return edgefw_fail(input->ctx, EDGEFW_FORMAT,
                       "'%s': the array '%s' holds matrices of %" PRId64 " by %" PRId64
                       ", expected square ones",
                       input->path, field->name, array->shape[1], array->shape[2]);
  }
  return EDGEFW_OK;
}

static edgefw_status open_fields(edgefw__dataset *dataset) {
  const edgefw__hdf5_input *input = &dataset->input;
  for (int f = 0; f < dataset->field_count; ++f) {
    const edgefw_field *field = &dataset->fields[f];
    edgefw__hdf5_array *array = &dataset->arrays[f];
    double scale = 0.0;
    if (field->storage == EDGEFW_STORE_DERIVED) continue;
    edgefw_status status = edgefw__hdf5_array_open(input, input->file, field->name, array);
    if (status == EDGEFW_OK) status = check_shape(input, array, field);
    if (status == EDGEFW_OK) status = read_scale(input, array, field->name, &scale);
    if (status == EDGEFW_OK) {
      status = add_to_summary(input, array, field->name, scale, &dataset->summary);
    }
    if (status != EDGEFW_OK) return status;
    if (scale > 0.0) dataset->units[f] = edgefw__unit_of(scale);
  }
  return EDGEFW_OK;
}

/* --- Any problem's file --- */

/* A link counts as one: it is not followed to find out, and refused as an array. */
static bool is_array(hid_t group, const char *name) {
  if (!edgefw__hdf5_is_own(group, name)) return true;
  const hid_t object = H5Oopen(group, name, H5P_DEFAULT);
  if (object < 0) return false;
  const bool array = H5Iget_type(object) == H5I_DATASET;
  H5Oclose(object);
  return array;
}

static edgefw_status summarize_arrays(const edgefw__hdf5_input *input,
                                      edgefw__dataset_summary *out) {
  H5G_info_t root;
  edgefw_status status = EDGEFW_OK;
  if (H5Gget_info(input->file, &root) < 0) root.nlinks = 0;
  for (hsize_t i = 0; i < root.nlinks && out->field_count < EDGEFW_MAX_FIELDS; ++i) {
    char name[64];
    const ssize_t length = H5Lget_name_by_idx(input->file, ".", H5_INDEX_NAME, H5_ITER_INC, i, name,
                                              sizeof name, H5P_DEFAULT);
    if (length < 0 || (size_t)length >= sizeof name || !is_array(input->file, name)) continue;
    edgefw__hdf5_array array;
    double scale = 0.0;
    status = edgefw__hdf5_array_open(input, input->file, name, &array);
    if (status == EDGEFW_OK) status = read_scale(input, &array, name, &scale);
    if (status == EDGEFW_OK) status = add_to_summary(input, &array, name, scale, out);
    edgefw__hdf5_array_close(&array);
    if (status != EDGEFW_OK) return status;
  }
  if (out->field_count > 0) return EDGEFW_OK;
  return edgefw_fail(input->ctx, EDGEFW_FORMAT, "'%s' holds no instances", input->path);
}

edgefw_status edgefw__dataset_info(edgefw_context *ctx, const char *path,
                                   edgefw__dataset_summary *out) {
  edgefw__hdf5_silence silence;
  edgefw__hdf5_silence_begin(&silence);
  edgefw__hdf5_input input;
  edgefw_status status =
      edgefw__hdf5_open(ctx, path, EDGEFW__DATASET_FORMAT, EDGEFW__DATASET_VERSION, &input);
  if (status == EDGEFW_OK) status = read_head(&input, out);
  if (status == EDGEFW_OK) status = summarize_arrays(&input, out);
  edgefw__hdf5_close(&input);
  edgefw__hdf5_silence_end(&silence);
  return status;
}

/* --- Open, read, close --- */

edgefw_status edgefw__dataset_open(edgefw_context *ctx, const char *path, const char *problem_name,
                                   const edgefw_field *fields, edgefw__dataset **out) {
  *out = NULL;
  const int field_count = edgefw__field_table_size(fields);
  if (field_count < 1) {
    return edgefw_fail(ctx, EDGEFW_INVALID_ARGUMENT, "problem '%s' declares no or too many fields",
                       problem_name);
  }
  const size_t length = strlen(path);
  edgefw__dataset *dataset =
      edgefw_allocate(ctx, 1, sizeof *dataset + length + 1, "an open dataset");
  if (!dataset) return EDGEFW_OUT_OF_MEMORY;
  memcpy(dataset->path, path, length + 1);
  dataset->fields = fields;
  dataset->field_count = field_count;
  for (int f = 0; f < field_count; ++f) dataset->arrays[f].id = H5I_INVALID_HID;

  edgefw__hdf5_silence silence;
  edgefw__hdf5_silence_begin(&silence);
  edgefw_status status = edgefw__hdf5_open(ctx, dataset->path, EDGEFW__DATASET_FORMAT,
                                           EDGEFW__DATASET_VERSION, &dataset->input);
  if (status == EDGEFW_OK) status = read_head(&dataset->input, &dataset->summary);
  if (status == EDGEFW_OK && strcmp(dataset->summary.problem, problem_name) != 0) {
    status =
        edgefw_fail(ctx, EDGEFW_MISMATCH, "'%s' holds instances of the problem '%s', expected '%s'",
                    path, dataset->summary.problem, problem_name);
  }
  if (status == EDGEFW_OK) status = open_fields(dataset);
  edgefw__hdf5_silence_end(&silence);
  if (status != EDGEFW_OK) {
    edgefw__dataset_close(dataset);
    return status;
  }
  *out = dataset;
  return EDGEFW_OK;
}

void edgefw__dataset_close(edgefw__dataset *dataset) {
  if (!dataset) return;
  for (int f = 0; f < dataset->field_count; ++f) edgefw__hdf5_array_close(&dataset->arrays[f]);
  edgefw__hdf5_close(&dataset->input);
  edgefw_release(dataset->input.ctx, dataset);
}

const edgefw__dataset_summary *edgefw__dataset_describe(const edgefw__dataset *dataset) {
  return &dataset->summary;
}

double edgefw__dataset_value(const edgefw__unit *unit, double stored) {
  return stored == (double)EDGEFW__DATASET_FORBIDDEN ? (double)INFINITY
                                                     : edgefw__unit_value(unit, stored);
}

static edgefw_status read_field(edgefw__dataset *dataset, int f, int64_t first, int64_t count,
                                double *out) {
  const edgefw_field *field = &dataset->fields[f];
  const int64_t numbers = count * edgefw_field_count(field->shape, dataset->summary.n);
  if (field->storage == EDGEFW_STORE_DERIVED) {
    for (int64_t k = 0; k < numbers; ++k) out[k] = (double)NAN;
    return EDGEFW_OK;
  }
  const edgefw_status status = edgefw__hdf5_array_read(
      &dataset->input, &dataset->arrays[f], field->name, first, count, H5T_NATIVE_DOUBLE, out);
  const edgefw__unit *unit = &dataset->units[f];
  if (status != EDGEFW_OK || unit->scale == 0.0) return status;
  for (int64_t k = 0; k < numbers; ++k) out[k] = edgefw__dataset_value(unit, out[k]);
  return EDGEFW_OK;
}

edgefw_status edgefw__dataset_read(edgefw__dataset *dataset, int64_t first, int64_t count,
                                   edgefw__batch *out) {
  edgefw_context *ctx = dataset->input.ctx;
  const edgefw__dataset_summary *summary = &dataset->summary;
  out->count = 0;
  if (first < 0 || count < 0 || first > summary->count || count > summary->count - first) {
    return edgefw_fail(ctx, EDGEFW_INVALID_ARGUMENT,
                       "'%s' has %" PRId64 " instances, asked for %" PRId64 " from %" PRId64 " on",
                       dataset->path, summary->count, count, first);
  }
  const bool has_nodes = summary->n > 0;
  if (count > out->capacity || (has_nodes && out->n != summary->n) ||
      out->fields != dataset->fields) {
    return edgefw_fail(ctx, EDGEFW_INVALID_ARGUMENT,
                       "'%s': a batch of room for %" PRId64 " and %" PRId64
                       " nodes cannot take %" PRId64 " instances of %" PRId64 " nodes",
                       dataset->path, out->capacity, out->n, count, summary->n);
  }
  if (count == 0) return EDGEFW_OK;
  edgefw__hdf5_silence silence;
  edgefw__hdf5_silence_begin(&silence);
  edgefw_status status = EDGEFW_OK;
  for (int f = 0; f < dataset->field_count && status == EDGEFW_OK; ++f) {
    status = read_field(dataset, f, first, count, out->data[f]);
  }
  edgefw__hdf5_silence_end(&silence);
  if (status != EDGEFW_OK) return status;
  for (int64_t i = 0; i < count; ++i) out->ids[i] = (uint64_t)(first + i);
  out->count = count;
  return EDGEFW_OK;
}

static edgefw_status read_reference(edgefw__dataset *dataset, double *out) {
  const edgefw__hdf5_input *input = &dataset->input;
  const int64_t count = dataset->summary.count;
  hid_t group = H5I_INVALID_HID;
  edgefw_status status = edgefw__hdf5_group(input, input->file, "reference", &group);
  if (status != EDGEFW_OK) return status;
  if (group < 0 || !dataset->summary.has_reference) {
    if (group >= 0) H5Gclose(group);
    return edgefw_fail(input->ctx, EDGEFW_MISMATCH, "'%s' has no reference costs", dataset->path);
  }
  edgefw__hdf5_array array;
  status = edgefw__hdf5_array_open(input, group, "cost", &array);
  if (status == EDGEFW_OK && (array.rank != 1 || array.count != count)) {
    status = edgefw_fail(input->ctx, EDGEFW_FORMAT,
                         "'%s' has %" PRId64 " reference costs for %" PRId64 " instances",
                         dataset->path, array.count, count);
  }
  if (status == EDGEFW_OK) {
    status =
        edgefw__hdf5_array_read(input, &array, "reference/cost", 0, count, H5T_NATIVE_DOUBLE, out);
  }
  for (int64_t i = 0; i < count && status == EDGEFW_OK; ++i) {
    if (!isfinite(out[i])) {
      status = edgefw_fail(input->ctx, EDGEFW_FORMAT,
                           "'%s': the reference cost of instance %" PRId64 " is not finite",
                           dataset->path, i);
    }
  }
  edgefw__hdf5_array_close(&array);
  H5Gclose(group);
  return status;
}

edgefw_status edgefw__dataset_reference(edgefw__dataset *dataset, double *out) {
  edgefw__hdf5_silence silence;
  edgefw__hdf5_silence_begin(&silence);
  const edgefw_status status = read_reference(dataset, out);
  edgefw__hdf5_silence_end(&silence);
  return status;
}
