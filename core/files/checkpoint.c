/* Reading checkpoints, whole, into memory of their own. */
#include "files/checkpoint.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "files/hdf5_input.h"

/* Longest name of a parameter or metric, and most entries of a group, that are read. */
enum { NAME_SIZE = 256, MAX_ENTRIES = 4096, FIRST_BLOCK = 1 << 16 };

struct edgefw__checkpoint {
  edgefw_context *ctx;
  edgefw_arena *arena; /* everything read */
  char *path;
  edgefw__hdf5_input input; /* while it is read */
  int64_t bytes_left;       /* how much more data the file can hold */
  edgefw__checkpoint_content content;
};

/* --- Pieces --- */

static edgefw_status get_text(edgefw__checkpoint *checkpoint, const char *name, const char **out) {
  char *text = NULL;
  edgefw_status status =
      edgefw__hdf5_get_text(&checkpoint->input, checkpoint->input.file, name, &text);
  if (status == EDGEFW_OK) {
    *out = edgefw_arena_text(checkpoint->arena, text);
    if (!*out) status = EDGEFW_OUT_OF_MEMORY;
  }
  edgefw_release(checkpoint->ctx, text);
  return status;
}

static edgefw_status read_meta(edgefw__checkpoint *checkpoint) {
  const edgefw__hdf5_input *input = &checkpoint->input;
  edgefw__checkpoint_meta *meta = &checkpoint->content.meta;
  edgefw_status status = get_text(checkpoint, "problem", &meta->problem);
  if (status == EDGEFW_OK) status = get_text(checkpoint, "backbone", &meta->backbone);
  if (status == EDGEFW_OK) status = get_text(checkpoint, "terms", &meta->terms);
  if (status == EDGEFW_OK) status = get_text(checkpoint, "plugins", &meta->plugins);
  if (status == EDGEFW_OK) status = get_text(checkpoint, "config", &meta->config);
  if (status == EDGEFW_OK) {
    status = edgefw__hdf5_get_number(input, input->file, "epoch", H5T_NATIVE_INT64, &meta->epoch);
  }
  if (status == EDGEFW_OK) {
    status = edgefw__hdf5_get_number(input, input->file, "step", H5T_NATIVE_INT64, &meta->step);
  }
  if (status == EDGEFW_OK) {
    status = edgefw__hdf5_get_number(input, input->file, "instances", H5T_NATIVE_UINT64,
                                     &meta->instances);
  }
  if (status == EDGEFW_OK && edgefw__hdf5_has(input->file, "init_digest")) {
    status = edgefw__hdf5_get_number(input, input->file, "init_digest", H5T_NATIVE_UINT64,
                                     &meta->init_digest);
  }
  if (status == EDGEFW_OK && edgefw__hdf5_has(input->file, "data_digest")) {
    status = edgefw__hdf5_get_number(input, input->file, "data_digest", H5T_NATIVE_UINT64,
                                     &meta->data_digest);
  }
  if (status == EDGEFW_OK && (meta->epoch < 0 || meta->step < 0)) {
    status = edgefw_fail(checkpoint->ctx, EDGEFW_FORMAT, "'%s': epoch or step is negative",
                         checkpoint->path);
  }
  return status;
}

/* Read an array whole into the arena, as `type` of `width` bytes. A file cannot hold more than its
 * size (arrays of checkpoints are not compressed), however often its entries claim it. */
static edgefw_status read_whole(edgefw__checkpoint *checkpoint, hid_t group, const char *name,
                                hid_t type, size_t width, edgefw__hdf5_array *shape, void **out) {
  const edgefw__hdf5_input *input = &checkpoint->input;
  edgefw_status status = edgefw__hdf5_array_open(input, group, name, shape);
  if (status != EDGEFW_OK) return status;
  if (shape->class != H5T_FLOAT || shape->width != width) {
    status = edgefw_fail(checkpoint->ctx, EDGEFW_FORMAT,
                         "'%s': the array '%s' does not hold %zu-bit floating point numbers",
                         checkpoint->path, name, width * 8);
  } else if (shape->count > checkpoint->bytes_left / (int64_t)width) {
    status = edgefw_fail(checkpoint->ctx, EDGEFW_FORMAT,
                         "'%s': the array '%s' is larger than the file", checkpoint->path, name);
  } else {
    checkpoint->bytes_left -= shape->count * (int64_t)width;
    *out = edgefw_arena_take(checkpoint->arena, (size_t)shape->count, width);
    status = *out ? edgefw__hdf5_array_read(input, shape, name, 0, shape->shape[0], type, *out)
                  : EDGEFW_OUT_OF_MEMORY;
  }
  edgefw__hdf5_array_close(shape);
  return status;
}

/* Number of entries of a group, 0 if it is absent (< 0). */
static edgefw_status count_entries(const edgefw__checkpoint *checkpoint, hid_t group,
                                   int64_t *out) {
  H5G_info_t info = {.nlinks = 0};
  *out = 0;
  if (group < 0) return EDGEFW_OK;
  if (H5Gget_info(group, &info) < 0 || info.nlinks > MAX_ENTRIES) {
    return edgefw_fail(checkpoint->ctx, EDGEFW_FORMAT, "'%s': a group has too many entries",
                       checkpoint->path);
  }
  *out = (int64_t)info.nlinks;
  return EDGEFW_OK;
}

/* Name of entry `index` of a group, in the order of names; in the arena. */
static edgefw_status entry_name(edgefw__checkpoint *checkpoint, hid_t group, int64_t index,
                                const char **out) {
  char name[NAME_SIZE];
  const ssize_t length = H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, (hsize_t)index,
                                            name, sizeof name, H5P_DEFAULT);
  if (length < 1 || length >= NAME_SIZE || strchr(name, '/')) {
    return edgefw_fail(checkpoint->ctx, EDGEFW_FORMAT, "'%s': the name of an array is damaged",
                       checkpoint->path);
  }
  *out = edgefw_arena_text(checkpoint->arena, name);
  return *out ? EDGEFW_OK : EDGEFW_OUT_OF_MEMORY;
}

/* --- Parameters and moments --- */

static bool same_shape(int rank_a, const int64_t *a, int rank_b, const int64_t *b) {
  return rank_a == rank_b && memcmp(a, b, (size_t)rank_a * sizeof *a) == 0;
}

/* Text of a shape: "(3,16)". */
static const char *shape_text(int rank, const int64_t *shape, char out[64]) {
  size_t used = 0;
  for (int axis = 0; axis < rank; ++axis) {
    used += (size_t)snprintf(out + used, 64 - used, "%s%" PRId64, axis ? "," : "(", shape[axis]);
    if (used >= 62) break;
  }
  if (used < 62) snprintf(out + used, 64 - used, ")");
  return out;
}

static edgefw_status read_floats(edgefw__checkpoint *checkpoint, hid_t group, const char *what,
                                 edgefw__checkpoint_tensor *tensor, const float **out) {
  edgefw__hdf5_array array;
  void *data = NULL;
  const edgefw_status status =
      read_whole(checkpoint, group, tensor->name, H5T_NATIVE_FLOAT, sizeof(float), &array, &data);
  if (status != EDGEFW_OK) return edgefw_note(checkpoint->ctx, status, "in %s", what);
  if (tensor->rank == 0) {
    tensor->rank = array.rank;
    memcpy(tensor->shape, array.shape, sizeof tensor->shape);
  } else if (!same_shape(array.rank, array.shape, tensor->rank, tensor->shape)) {
    char found[64], expected[64];
    return edgefw_fail(checkpoint->ctx, EDGEFW_FORMAT, "'%s': %s of '%s' has shape %s, expected %s",
                       checkpoint->path, what, tensor->name,
                       shape_text(array.rank, array.shape, found),
                       shape_text(tensor->rank, tensor->shape, expected));
  }
  *out = data;
  return EDGEFW_OK;
}

static int64_t entries_of(const edgefw__checkpoint_tensor *tensor) {
  int64_t count = 1;
  for (int axis = 0; axis < tensor->rank; ++axis) count *= tensor->shape[axis];
  return count;
}

/* Training that went on from other moments would spoil every parameter in its first step. */
static edgefw_status check_moments(const edgefw__checkpoint *checkpoint,
                                   const edgefw__checkpoint_tensor *tensor) {
  for (int64_t e = 0; e < entries_of(tensor); ++e) {
    const bool m = isfinite(tensor->m[e]), v = isfinite(tensor->v[e]) && tensor->v[e] >= 0.0F;
    if (m && v) continue;
    return edgefw_fail(checkpoint->ctx, EDGEFW_FORMAT,
                       "'%s': optimizer/%s of '%s' holds %g, expected a finite number%s: it is "
                       "damaged",
                       checkpoint->path, m ? "v" : "m", tensor->name,
                       (double)(m ? tensor->v[e] : tensor->m[e]), m ? " that is not negative" : "");
  }
  return EDGEFW_OK;
}

/* The mean is what is evaluated. */
static edgefw_status check_ema(const edgefw__checkpoint *checkpoint,
                               const edgefw__checkpoint_tensor *tensor) {
  for (int64_t e = 0; e < entries_of(tensor); ++e)
    if (!isfinite(tensor->ema[e]))
      return edgefw_fail(checkpoint->ctx, EDGEFW_FORMAT,
                         "'%s': ema of '%s' holds %g, expected finite numbers: it is damaged",
                         checkpoint->path, tensor->name, (double)tensor->ema[e]);
  return EDGEFW_OK;
}

/* The groups of parameters, optimizer, m, v and ema, in this order; < 0: there is none. */
enum { PARAMETERS, OPTIMIZER, M, V, EMA, GROUPS };

/* Either moment of a parameter without the other is damage, and so is one of no parameter, or a
 * mean of some parameters alone. */
static edgefw_status read_tensor(edgefw__checkpoint *checkpoint, const hid_t groups[GROUPS],
                                 edgefw__checkpoint_tensor *tensor) {
  const hid_t m = groups[M], v = groups[V];
  edgefw_status status =
      read_floats(checkpoint, groups[PARAMETERS], "parameters", tensor, &tensor->value);
  if (status == EDGEFW_OK && groups[EMA] >= 0) {
    status = read_floats(checkpoint, groups[EMA], "ema", tensor, &tensor->ema);
    if (status == EDGEFW_OK) status = check_ema(checkpoint, tensor);
  }
  const bool has_m = m >= 0 && edgefw__hdf5_exists(m, tensor->name);
  const bool has_v = v >= 0 && edgefw__hdf5_exists(v, tensor->name);
  if (status != EDGEFW_OK || (!has_m && !has_v)) return status;
  status = read_floats(checkpoint, m, "optimizer/m", tensor, &tensor->m);
  if (status == EDGEFW_OK) status = read_floats(checkpoint, v, "optimizer/v", tensor, &tensor->v);
  return status == EDGEFW_OK ? check_moments(checkpoint, tensor) : status;
}

static edgefw_status open_groups(const edgefw__checkpoint *checkpoint, hid_t out[GROUPS]) {
  const edgefw__hdf5_input *input = &checkpoint->input;
  for (int g = 0; g < GROUPS; ++g) out[g] = H5I_INVALID_HID;
  edgefw_status status = edgefw__hdf5_group(input, input->file, "parameters", &out[PARAMETERS]);
  if (status == EDGEFW_OK && out[PARAMETERS] < 0)
    status = edgefw_fail(checkpoint->ctx, EDGEFW_FORMAT, "'%s' has no group 'parameters'",
                         checkpoint->path);
  if (status == EDGEFW_OK)
    status = edgefw__hdf5_group(input, input->file, "optimizer", &out[OPTIMIZER]);
  if (status == EDGEFW_OK) status = edgefw__hdf5_group(input, out[OPTIMIZER], "m", &out[M]);
  if (status == EDGEFW_OK) status = edgefw__hdf5_group(input, out[OPTIMIZER], "v", &out[V]);
  if (status == EDGEFW_OK) status = edgefw__hdf5_group(input, input->file, "ema", &out[EMA]);
  return status;
}

static edgefw_status read_tensors(edgefw__checkpoint *checkpoint) {
  hid_t groups[GROUPS];
  int64_t count = 0;
  edgefw_status status = open_groups(checkpoint, groups);
  if (status == EDGEFW_OK) status = count_entries(checkpoint, groups[PARAMETERS], &count);
  edgefw__checkpoint_tensor *tensors = NULL;
  if (status == EDGEFW_OK) {
    tensors = edgefw_arena_take(checkpoint->arena, (size_t)count, sizeof *tensors);
    if (!tensors) status = EDGEFW_OUT_OF_MEMORY;
  }
  for (int64_t i = 0; i < count && status == EDGEFW_OK; ++i) {
    status = entry_name(checkpoint, groups[PARAMETERS], i, &tensors[i].name);
    if (status == EDGEFW_OK) status = read_tensor(checkpoint, groups, &tensors[i]);
  }
  checkpoint->content.tensors = tensors;
  checkpoint->content.tensor_count = count;
  for (int g = GROUPS - 1; g >= 0; --g) {
    if (groups[g] >= 0) H5Gclose(groups[g]);
  }
  return status;
}

/* --- History and partial epoch --- */

static edgefw_status check_finite(const edgefw__checkpoint *checkpoint, const char *what,
                                  const char *name, const double *values, int64_t count) {
  for (int64_t e = 0; e < count; ++e)
    if (!isfinite(values[e]))
      return edgefw_fail(checkpoint->ctx, EDGEFW_FORMAT,
                         "'%s': the %s '%s' holds %g, expected finite numbers: it is damaged",
                         checkpoint->path, what, name, values[e]);
  return EDGEFW_OK;
}

static edgefw_status read_history(edgefw__checkpoint *checkpoint) {
  const edgefw__hdf5_input *input = &checkpoint->input;
  hid_t group = H5I_INVALID_HID;
  int64_t count = 0;
  edgefw_status status = edgefw__hdf5_group(input, input->file, "history", &group);
  if (status == EDGEFW_OK) status = count_entries(checkpoint, group, &count);
  edgefw__checkpoint_series *series =
      edgefw_arena_take(checkpoint->arena, (size_t)count, sizeof *series);
  if (!series) status = EDGEFW_OUT_OF_MEMORY;
  for (int64_t i = 0; i < count && status == EDGEFW_OK; ++i) {
    edgefw__hdf5_array array;
    void *data = NULL;
    status = entry_name(checkpoint, group, i, &series[i].name);
    if (status == EDGEFW_OK) {
      status = read_whole(checkpoint, group, series[i].name, H5T_NATIVE_DOUBLE, sizeof(double),
                          &array, &data);
    }
    if (status != EDGEFW_OK) break;
    series[i].values = data;
    series[i].count = array.count;
    status = check_finite(checkpoint, "metric", series[i].name, data, array.count);
  }
  checkpoint->content.series = series;
  checkpoint->content.series_count = count;
  if (group >= 0) H5Gclose(group);
  return status;
}

static edgefw_status read_scalar(edgefw__checkpoint *checkpoint, hid_t group, int64_t index,
                                 edgefw__checkpoint_scalar *out) {
  char name[NAME_SIZE];
  const ssize_t length = H5Aget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, (hsize_t)index,
                                            name, sizeof name, H5P_DEFAULT);
  if (length < 1 || length >= NAME_SIZE) {
    return edgefw_fail(checkpoint->ctx, EDGEFW_FORMAT, "'%s': the name of a number is damaged",
                       checkpoint->path);
  }
  out->name = edgefw_arena_text(checkpoint->arena, name);
  if (!out->name) return EDGEFW_OUT_OF_MEMORY;
  const edgefw_status status =
      edgefw__hdf5_get_number(&checkpoint->input, group, name, H5T_NATIVE_DOUBLE, &out->value);
  return status == EDGEFW_OK ? check_finite(checkpoint, "sum", name, &out->value, 1) : status;
}

static herr_t count_attribute(hid_t object, const char *name, const H5A_info_t *info, void *user) {
  (void)object, (void)name, (void)info;
  ++*(int64_t *)user;
  return 0;
}

static edgefw_status read_partial(edgefw__checkpoint *checkpoint) {
  const edgefw__hdf5_input *input = &checkpoint->input;
  hid_t group = H5I_INVALID_HID;
  edgefw_status status = edgefw__hdf5_group(input, input->file, "partial", &group);
  if (group < 0) return status;
  int64_t count = 0;
  const bool counted =
      H5Aiterate2(group, H5_INDEX_NAME, H5_ITER_INC, NULL, count_attribute, &count) >= 0;
  edgefw__checkpoint_scalar *scalars = NULL;
  if (!counted || count > MAX_ENTRIES) {
    status = edgefw_fail(checkpoint->ctx, EDGEFW_FORMAT, "'%s': the group 'partial' is damaged",
                         checkpoint->path);
  } else {
    scalars = edgefw_arena_take(checkpoint->arena, (size_t)count, sizeof *scalars);
    if (!scalars) status = EDGEFW_OUT_OF_MEMORY;
  }
  for (int64_t i = 0; i < count && status == EDGEFW_OK; ++i) {
    status = read_scalar(checkpoint, group, i, &scalars[i]);
  }
  checkpoint->content.scalars = scalars;
  checkpoint->content.scalar_count = count;
  H5Gclose(group);
  return status;
}

/* --- Open, close, look up --- */

static edgefw_status read_all(edgefw__checkpoint *checkpoint) {
  edgefw_status status =
      edgefw__hdf5_open(checkpoint->ctx, checkpoint->path, EDGEFW__CHECKPOINT_FORMAT,
                        EDGEFW__CHECKPOINT_VERSION, &checkpoint->input);
  hsize_t size = 0;
  if (status == EDGEFW_OK && H5Fget_filesize(checkpoint->input.file, &size) >= 0) {
    checkpoint->bytes_left = (int64_t)size;
  }
  if (status == EDGEFW_OK) status = read_meta(checkpoint);
  if (status == EDGEFW_OK) status = read_tensors(checkpoint);
  if (status == EDGEFW_OK) status = read_history(checkpoint);
  if (status == EDGEFW_OK) status = read_partial(checkpoint);
  edgefw__hdf5_close(&checkpoint->input);
  return status;
}

edgefw_status edgefw__checkpoint_open(edgefw_context *ctx, const char *path,
                                      edgefw__checkpoint **out) {
  *out = NULL;
  edgefw__checkpoint *checkpoint = edgefw_allocate(ctx, 1, sizeof *checkpoint, "a checkpoint");
  if (!checkpoint) return EDGEFW_OUT_OF_MEMORY;
  checkpoint->ctx = ctx;
  edgefw_status status =
      edgefw_arena_create(ctx, &checkpoint->arena, "checkpoint", FIRST_BLOCK, true);
  if (status == EDGEFW_OK) {
    checkpoint->path = edgefw_arena_text(checkpoint->arena, path);
    if (!checkpoint->path) status = EDGEFW_OUT_OF_MEMORY;
  }
  if (status == EDGEFW_OK) {
    edgefw__hdf5_silence silence;
    edgefw__hdf5_silence_begin(&silence);
    status = read_all(checkpoint);
    edgefw__hdf5_silence_end(&silence);
  }
  if (status != EDGEFW_OK) {
    edgefw__checkpoint_close(checkpoint);
    return status;
  }
  *out = checkpoint;
  return EDGEFW_OK;
}

void edgefw__checkpoint_close(edgefw__checkpoint *checkpoint) {
  if (!checkpoint) return;
  edgefw_arena_destroy(checkpoint->arena);
  edgefw_release(checkpoint->ctx, checkpoint);
}

const edgefw__checkpoint_content *
edgefw__checkpoint_content_of(const edgefw__checkpoint *checkpoint) {
  return &checkpoint->content;
}

const double *edgefw__checkpoint_metric(const edgefw__checkpoint *checkpoint, const char *name,
                                        int64_t *count) {
  const edgefw__checkpoint_content *content = &checkpoint->content;
  *count = 0;
  for (int64_t i = 0; i < content->series_count; ++i) {
    if (strcmp(content->series[i].name, name) != 0) continue;
    *count = content->series[i].count;
    return content->series[i].values;
  }
  return NULL;
}

bool edgefw__checkpoint_scalar_value(const edgefw__checkpoint *checkpoint, const char *name,
                                     double *out) {
  const edgefw__checkpoint_content *content = &checkpoint->content;
  for (int64_t i = 0; i < content->scalar_count; ++i) {
    if (strcmp(content->scalars[i].name, name) != 0) continue;
    *out = content->scalars[i].value;
    return true;
  }
  return false;
}

static const edgefw__checkpoint_tensor *find(const edgefw__checkpoint_tensor *tensors,
                                             int64_t count, const char *name) {
  for (int64_t i = 0; i < count; ++i) {
    if (strcmp(tensors[i].name, name) == 0) return &tensors[i];
  }
  return NULL;
}

/* Parameter `name`, which must have that shape; NULL with a recorded MISMATCH. */
static const edgefw__checkpoint_tensor *find_shaped(const edgefw__checkpoint *checkpoint,
                                                    const char *name, int rank,
                                                    const int64_t *shape) {
  const edgefw__checkpoint_tensor *tensor =
      find(checkpoint->content.tensors, checkpoint->content.tensor_count, name);
  char found[64], expected[64];
  if (tensor && same_shape(tensor->rank, tensor->shape, rank, shape)) return tensor;
  edgefw_fail(checkpoint->ctx, EDGEFW_MISMATCH,
              "'%s': parameter '%s' %s%s, the model expects shape %s: is it a model of other "
              "settings?",
              checkpoint->path, name, tensor ? "has shape " : "is missing",
              tensor ? shape_text(tensor->rank, tensor->shape, found) : "",
              shape_text(rank, shape, expected));
  return NULL;
}

edgefw_status edgefw__checkpoint_expect(const edgefw__checkpoint *checkpoint,
                                        const edgefw__checkpoint_tensor *expected, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    const edgefw__checkpoint_tensor *wanted = &expected[i];
    if (wanted->rank > 0 && !find_shaped(checkpoint, wanted->name, wanted->rank, wanted->shape)) {
      return edgefw_failure(checkpoint->ctx);
    }
  }
  for (int64_t i = 0; i < checkpoint->content.tensor_count; ++i) {
    const char *name = checkpoint->content.tensors[i].name;
    if (find(expected, count, name)) continue;
    return edgefw_fail(checkpoint->ctx, EDGEFW_MISMATCH,
                       "'%s' has a parameter '%s' that the model does not: is it a model of other "
                       "settings?",
                       checkpoint->path, name);
  }
  return EDGEFW_OK;
}

edgefw_status edgefw__checkpoint_load_tensor(const edgefw__checkpoint *checkpoint, const char *name,
                                             int rank, const int64_t *shape,
                                             const edgefw__checkpoint_arrays *to) {
  const edgefw__checkpoint_tensor *tensor = find_shaped(checkpoint, name, rank, shape);
  if (!tensor) return edgefw_failure(checkpoint->ctx);
  const bool lacks_moments = to->m && !tensor->m;
  if (lacks_moments || (to->ema && !tensor->ema)) {
    return edgefw_fail(checkpoint->ctx, EDGEFW_MISMATCH,
                       "'%s' has no %s for parameter '%s': training cannot go on from it",
                       checkpoint->path,
                       lacks_moments ? "optimizer state" : "exponential mean (ema)", name);
  }
  size_t bytes = sizeof(float);
  for (int axis = 0; axis < rank; ++axis) bytes *= (size_t)shape[axis];
  memcpy(to->value, to->m ? tensor->value : edgefw__checkpoint_evaluated(tensor), bytes);
  if (to->m) memcpy(to->m, tensor->m, bytes);
  if (to->v) memcpy(to->v, tensor->v, bytes);
  if (to->ema) memcpy(to->ema, tensor->ema, bytes);
  return EDGEFW_OK;
}
