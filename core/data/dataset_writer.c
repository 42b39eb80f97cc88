/* Writing datasets. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "data/dataset.h"
#include "files/hdf5_input.h"
#include "files/hdf5_output.h"

/* How an array is stored, from the most compact on. A field begins with the first form that holds
 * its first batch exactly and goes on to FORM_DOUBLE when a later batch needs more. */
typedef enum storage_form { FORM_SCALED, FORM_FLOAT, FORM_DOUBLE } storage_form;

/* HDF5 wants chunks below 4 GiB; larger matrices are cut by rows. */
#define MAX_CHUNK_NUMBERS (INT64_C(1) << 27)

typedef struct field_writer {
  hid_t array; /* < 0: no batch has been seen yet */
  storage_form form;
  edgefw__unit unit; /* FORM_SCALED */
} field_writer;

struct edgefw__dataset_writer {
  edgefw__hdf5_output output;
  const edgefw_field *fields;
  int field_count;
  int64_t count, n, written;
  field_writer field[EDGEFW_MAX_FIELDS];
  double *row;    /* one instance's numbers of the largest field */
  int32_t *units; /* the same in units */
};

/* --- Forms --- */

static bool same_bits(double a, double b) {
  return memcmp(&a, &b, sizeof a) == 0; /* tells -0 from 0, which == does not */
}

/* Whole units of a value, or what stands for a forbidden arc; false if it is no multiple, or too
 * large. */
static bool to_units(const edgefw__unit *unit, double value, int32_t *out) {
  if (value == (double)INFINITY) {
    *out = EDGEFW__DATASET_FORBIDDEN;
    return true;
  }
  const double units = rint(unit->inverse > 0.0 ? value * unit->inverse : value / unit->scale);
  if (!(fabs(units) <= INT32_MAX)) return false;
  *out = (int32_t)units;
  return same_bits(edgefw__unit_value(unit, *out), value);
}

static bool holds(storage_form form, const edgefw__unit *unit, double value) {
  int32_t units = 0;
  switch (form) {
  case FORM_SCALED: return to_units(unit, value, &units);
  case FORM_FLOAT:
    /* Converting a double beyond float's range is undefined, infinities are not. */
    return (!isfinite(value) || fabs(value) <= 3.4028234663852886e38) &&
           same_bits((double)(float)value, value);
  case FORM_DOUBLE: break;
  }
  return true;
}

/* First form from `form` on that holds all values. */
static storage_form form_for(storage_form form, const edgefw__unit *unit, const double *values,
                             int64_t count) {
  for (int64_t k = 0; k < count && form != FORM_DOUBLE; ++k) {
    while (!holds(form, unit, values[k])) form = (storage_form)(form + 1);
  }
  return form;
}

/* --- Arrays --- */

/* Length of the third axis, where there is one. */
static int64_t last_axis(const edgefw__dataset_writer *writer, int f) {
  return writer->fields[f].shape == EDGEFW_FIELD_POINT ? 2 : writer->n;
}

static hid_t new_array(edgefw__dataset_writer *writer, int f, storage_form form, const char *name) {
  const edgefw_field *field = &writer->fields[f];
  const int64_t n = writer->n;
  const int64_t last = last_axis(writer, f);
  const int64_t shape[3] = {writer->count, n, last};
  int64_t chunk[3] = {1, n, last};
  const int rank = edgefw__field_rank(field->shape);
  if (rank == 3 && n * last > MAX_CHUNK_NUMBERS) chunk[1] = MAX_CHUNK_NUMBERS / last;
  if (rank < 3) chunk[0] = writer->count < 256 ? writer->count : 256;
  const hid_t stored = form == FORM_SCALED  ? H5T_STD_I32LE
                       : form == FORM_FLOAT ? H5T_IEEE_F32LE
                                            : H5T_IEEE_F64LE;
  const hid_t array = edgefw__hdf5_new_array(&writer->output, writer->output.file, name, rank,
                                             shape, chunk, stored);
  if (array >= 0 && form == FORM_SCALED) {
    edgefw__hdf5_put_number(&writer->output, array, "scale", H5T_NATIVE_DOUBLE, &field->scale);
  }
  return array;
}

/* Write `count` instances from number `first` on, in the array's form. */
static void put_values(edgefw__dataset_writer *writer, int f, int64_t first, int64_t count,
                       const double *values) {
  const field_writer *field = &writer->field[f];
  if (field->form != FORM_SCALED) {
    edgefw__hdf5_put_rows(&writer->output, field->array, first, count, H5T_NATIVE_DOUBLE, values);
    return;
  }
  const int64_t numbers = edgefw_field_count(writer->fields[f].shape, writer->n);
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t k = 0; k < numbers; ++k) {
      (void)to_units(&field->unit, values[i * numbers + k], &writer->units[k]);
    }
    edgefw__hdf5_put_rows(&writer->output, field->array, first + i, 1, H5T_NATIVE_INT32,
                          writer->units);
  }
}

/* Room on the disk for `count` more instances of a field in its widest form. */
static edgefw_status reserve(const edgefw__dataset_writer *writer, int f, int64_t count) {
  const int64_t numbers = count * edgefw_field_count(writer->fields[f].shape, writer->n);
  return edgefw__hdf5_reserve(&writer->output, numbers * (int64_t)sizeof(double));
}

/* Replace a field's array by one of a wider form, with what has been written so far. */
static edgefw_status widen(edgefw__dataset_writer *writer, int f, storage_form form) {
  const char *name = writer->fields[f].name;
  edgefw__hdf5_output *output = &writer->output;
  const edgefw__hdf5_input input = {output->ctx, output->path, output->file};
  const field_writer old = writer->field[f];
  const edgefw__hdf5_array source = {.id = old.array,
                                     .rank = edgefw__field_rank(writer->fields[f].shape),
                                     .shape = {writer->count, writer->n, last_axis(writer, f)}};
  const int64_t numbers = edgefw_field_count(writer->fields[f].shape, writer->n);
  edgefw_status status = reserve(writer, f, writer->written);
  if (status != EDGEFW_OK) return status;
  writer->field[f].array = new_array(writer, f, form, "edgefw-widened");
  writer->field[f].form = form;
  for (int64_t i = 0; i < writer->written && !output->failed && status == EDGEFW_OK; ++i) {
    status = edgefw__hdf5_array_read(&input, &source, name, i, 1, H5T_NATIVE_DOUBLE, writer->row);
    for (int64_t k = 0; k < numbers && old.form == FORM_SCALED; ++k) {
      writer->row[k] = edgefw__dataset_value(&old.unit, writer->row[k]);
    }
    if (status == EDGEFW_OK) put_values(writer, f, i, 1, writer->row);
  }
  H5Dclose(old.array);
  if (H5Ldelete(output->file, name, H5P_DEFAULT) < 0 ||
      H5Lmove(output->file, "edgefw-widened", output->file, name, H5P_DEFAULT, H5P_DEFAULT) < 0) {
    output->failed = true;
  }
  return status;
}

static edgefw_status append_field(edgefw__dataset_writer *writer, int f,
                                  const edgefw__batch *batch) {
  field_writer *field = &writer->field[f];
  const int64_t numbers = batch->count * edgefw_field_count(writer->fields[f].shape, writer->n);
  edgefw_status status = reserve(writer, f, batch->count);
  if (status != EDGEFW_OK) return status;
  const storage_form form = form_for(field->form, &field->unit, batch->data[f], numbers);
  if (field->array < 0) {
    field->form = form;
    field->array = new_array(writer, f, form, writer->fields[f].name);
  } else if (form != field->form) {
    /* What was written in any other form is exact in this one. */
    status = widen(writer, f, FORM_DOUBLE);
    if (status != EDGEFW_OK) return status;
  }
  if (field->array >= 0) put_values(writer, f, writer->written, batch->count, batch->data[f]);
  return edgefw__hdf5_check(&writer->output);
}

/* --- The file --- */

static edgefw_status check_sizes(edgefw_context *ctx, const char *path, int field_count,
                                 int64_t count, int64_t n) {
  if (field_count >= 1 && count >= 1 && count <= INT32_MAX && n >= 1 && n <= EDGEFW_MAX_NODES) {
    return EDGEFW_OK;
  }
  return edgefw_fail(ctx, EDGEFW_INVALID_ARGUMENT,
                     "cannot write '%s': a dataset has at least 1 field, 1 to %d instances and 1 "
                     "to %d nodes, asked for %" PRId64 " instances of %" PRId64 " nodes",
                     path, INT32_MAX, EDGEFW_MAX_NODES, count, n);
}

edgefw_status edgefw__dataset_create(edgefw_context *ctx, const char *path, const char *problem,
                                     const char *distribution, uint64_t seed,
                                     const edgefw_field *fields, int64_t count, int64_t n,
                                     edgefw__dataset_writer **out) {
  *out = NULL;
  const int field_count = edgefw__field_table_size(fields);
  edgefw_status status = check_sizes(ctx, path, field_count, count, n);
  if (status != EDGEFW_OK) return status;
  edgefw__dataset_writer *writer = edgefw_allocate(ctx, 1, sizeof *writer, "a dataset writer");
  if (!writer) return EDGEFW_OUT_OF_MEMORY;
  writer->output = (edgefw__hdf5_output){.ctx = ctx, .file = H5I_INVALID_HID};
  writer->fields = fields;
  writer->field_count = field_count;
  writer->count = count;
  writer->n = n;
  int64_t largest = 1;
  for (int f = 0; f < field_count; ++f) {
    const bool scaled = fields[f].storage == EDGEFW_STORE_SCALED;
    writer->field[f] =
        (field_writer){.array = H5I_INVALID_HID, .form = scaled ? FORM_SCALED : FORM_FLOAT};
    if (scaled) writer->field[f].unit = edgefw__unit_of(fields[f].scale);
    const int64_t numbers = edgefw_field_count(fields[f].shape, n);
    if (numbers > largest) largest = numbers;
  }
  writer->row = edgefw_allocate(ctx, (size_t)largest, sizeof *writer->row, "a dataset row");
  writer->units = edgefw_allocate(ctx, (size_t)largest, sizeof *writer->units, "a dataset row");
  edgefw__hdf5_silence silence;
  edgefw__hdf5_silence_begin(&silence);
  status = writer->row && writer->units
               ? edgefw__hdf5_create(ctx, path, EDGEFW__DATASET_FORMAT, EDGEFW__DATASET_VERSION,
                                     EDGEFW__HDF5_ON_DISK, &writer->output)
               : EDGEFW_OUT_OF_MEMORY;
  if (status == EDGEFW_OK) {
    const hid_t root = writer->output.file;
    edgefw__hdf5_put_text(&writer->output, root, "problem", problem);
    edgefw__hdf5_put_text(&writer->output, root, "distribution", distribution);
    if (seed != EDGEFW__DATASET_NO_SEED)
      edgefw__hdf5_put_number(&writer->output, root, "seed", H5T_NATIVE_UINT64, &seed);
  }
  edgefw__hdf5_silence_end(&silence);
  if (status != EDGEFW_OK) {
    edgefw__dataset_abandon(writer);
    return status;
  }
  *out = writer;
  return EDGEFW_OK;
}

edgefw_status edgefw__dataset_append(edgefw__dataset_writer *writer, const edgefw__batch *batch) {
  if (batch->n != writer->n || batch->fields != writer->fields ||
      batch->count > writer->count - writer->written) {
    return edgefw_fail(
        writer->output.ctx, EDGEFW_INVALID_ARGUMENT,
        "'%s' takes %" PRId64 " more instances of %" PRId64 " nodes, given %" PRId64 " of %" PRId64,
        writer->output.path, writer->count - writer->written, writer->n, batch->count, batch->n);
  }
  if (batch->count == 0) return EDGEFW_OK;
  edgefw__hdf5_silence silence;
  edgefw__hdf5_silence_begin(&silence);
  edgefw_status status = EDGEFW_OK;
  for (int f = 0; f < writer->field_count && status == EDGEFW_OK; ++f) {
    if (writer->fields[f].storage != EDGEFW_STORE_DERIVED) status = append_field(writer, f, batch);
  }
  if (status == EDGEFW_OK) writer->written += batch->count;
  edgefw__hdf5_silence_end(&silence);
  return status;
}

/* The group of reference costs. */
static void put_reference(edgefw__hdf5_output *output, int64_t count, const double *cost,
                          const edgefw__reference_note *note) {
  const hid_t group = edgefw__hdf5_put_group(output, output->file, "reference");
  if (group < 0) return;
  if (note->kind != EDGEFW__REFERENCE_UNKNOWN)
    edgefw__hdf5_put_text(output, group, "costs", edgefw__reference_kind_remark(note->kind));
  if (note->forbidden) edgefw__hdf5_put_text(output, group, "forbidden", note->forbidden);
  edgefw__hdf5_put_text(output, group, "solver", note->solver);
  edgefw__hdf5_put_text(output, group, "settings", note->settings);
  edgefw__hdf5_put_array(output, group, "cost", 1, &count, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, cost);
  H5Gclose(group);
}

void edgefw__dataset_put_reference(edgefw__dataset_writer *writer, const double *cost,
                                   const edgefw__reference_note *note) {
  edgefw__hdf5_silence silence;
  edgefw__hdf5_silence_begin(&silence);
  put_reference(&writer->output, writer->count, cost, note);
  edgefw__hdf5_silence_end(&silence);
}

edgefw_status edgefw__dataset_store_reference(edgefw_context *ctx, const char *path, int64_t count,
                                              const double *cost,
                                              const edgefw__reference_note *note) {
  edgefw__dataset_summary summary;
  edgefw_status status = edgefw__dataset_info(ctx, path, &summary);
  if (status == EDGEFW_OK && summary.count != count)
    status = edgefw_fail(ctx, EDGEFW_MISMATCH,
                         "'%s' has %" PRId64 " instances, there are %" PRId64 " reference costs",
                         path, summary.count, count);
  if (status != EDGEFW_OK) return status;
  edgefw__hdf5_silence silence;
  edgefw__hdf5_silence_begin(&silence);
  edgefw__hdf5_output output;
  status = edgefw__hdf5_extend(ctx, path, &output);
  if (status == EDGEFW_OK) {
    if (edgefw__hdf5_exists(output.file, "reference") &&
        H5Ldelete(output.file, "reference", H5P_DEFAULT) < 0)
      output.failed = true;
    put_reference(&output, count, cost, note);
    status = edgefw__hdf5_finish(&output);
  }
  edgefw__hdf5_silence_end(&silence);
  return status;
}

static void destroy(edgefw__dataset_writer *writer) {
  edgefw_context *ctx = writer->output.ctx;
  edgefw_release(ctx, writer->row);
  edgefw_release(ctx, writer->units);
  edgefw_release(ctx, writer);
}

edgefw_status edgefw__dataset_finish(edgefw__dataset_writer *writer) {
  if (writer->written != writer->count) {
    const edgefw_status status =
        edgefw_fail(writer->output.ctx, EDGEFW_INVALID_ARGUMENT,
                    "cannot write '%s': %" PRId64 " of %" PRId64 " instances were given",
                    writer->output.path, writer->written, writer->count);
    edgefw__dataset_abandon(writer);
    return status;
  }
  edgefw__hdf5_silence silence;
  edgefw__hdf5_silence_begin(&silence);
  const edgefw_status status = edgefw__hdf5_finish(&writer->output);
  edgefw__hdf5_silence_end(&silence);
  destroy(writer);
  return status;
}

void edgefw__dataset_abandon(edgefw__dataset_writer *writer) {
  if (!writer) return;
  edgefw__hdf5_silence silence;
  edgefw__hdf5_silence_begin(&silence);
  edgefw__hdf5_abandon(&writer->output);
  edgefw__hdf5_silence_end(&silence);
  destroy(writer);
}
