/* Making datasets of other programs' files. */
#include "data/import.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/dataset.h"
#include "data/forbidden.h"
#include "data/load_rounding.h"
#include "files/npz.h"
#include "files/tsplib.h"

/* Instances that are in memory at once: about this many numbers; and numbers that a search for an
 * array's maximum takes at a time. */
enum { BATCH_NUMBERS = 4000000, SCAN_NUMBERS = 4096 };

/* Files hold SCALED fields as values (costs around 1) or as multiples of a unit (a million times as
 * large), and do not say which. Fractions up to this number are taken as they stand; of anything
 * else somebody has to say what it is worth. */
#define MAX_VALUE 1000.0

/* --- What both kinds share --- */

/* A dataset being written and the batch that goes into it next. */
typedef struct output {
  edgefw_context *ctx;
  const edgefw__import *import;
  edgefw__batch *batch;
  edgefw__dataset_writer *writer;
  int64_t count, n, done;
  bool rounding_said; /* has load_rounding.h warned of this file? */
  edgefw__forbidden_rule forbidden;
  int64_t forbidden_arcs, all_arcs;
} output;

static edgefw_status check_size(edgefw_context *ctx, const edgefw__import *import, const char *path,
                                int64_t n) {
  if (n >= import->problem->min_nodes && n <= EDGEFW_MAX_NODES) return EDGEFW_OK;
  return edgefw_fail(ctx, EDGEFW_MISMATCH,
                     "'%s': its instances have %" PRId64 " nodes, the problem %s takes %" PRId64
                     " to %d",
                     path, n, import->problem_name, import->problem->min_nodes, EDGEFW_MAX_NODES);
}

/* Begin a dataset of `count` instances of `n` nodes, read `room` at a time. */
static edgefw_status output_begin(output *o, int64_t count, int64_t n, int64_t room) {
  const edgefw_field *fields = o->import->problem->fields;
  size_t needed = 0;
  for (const edgefw_field *field = fields; field->name; ++field)
    needed += (size_t)(edgefw_field_count(field->shape, n) * room) * sizeof(double);
  if (o->import->memory > 0 && needed > o->import->memory)
    return edgefw_fail(o->ctx, EDGEFW_OUT_OF_MEMORY,
                       "'%s': an instance of %" PRId64
                       " nodes takes %zu MiB, %zu MiB are available",
                       o->import->output, n, needed >> 20, o->import->memory >> 20);
  o->count = count;
  o->n = n;
  edgefw_status status = edgefw__forbidden_rule_of(o->ctx, o->import->options, &o->forbidden);
  if (status == EDGEFW_OK) status = edgefw__batch_create(o->ctx, fields, room, n, &o->batch);
  if (status == EDGEFW_OK)
    status = edgefw__dataset_create(o->ctx, o->import->output, o->import->problem_name, "",
                                    EDGEFW__DATASET_NO_SEED, fields, count, n, &o->writer);
  return status;
}

/* Let the problem examine the batch's instances, which came from `path`, and write them. */
static edgefw_status output_append(output *o, const char *path, const char *name) {
  for (int64_t b = 0; b < o->batch->count; ++b) {
    edgefw_instance instance = edgefw__batch_instance(o->batch, b);
    instance.name = name;
    double limit = 0.0;
    int64_t arcs = 0;
    const edgefw_status status = edgefw__forbidden_accept(
        o->ctx, o->import->problem, o->import->options, &o->forbidden, &instance, &limit, &arcs);
    if (status != EDGEFW_OK) return edgefw_note(o->ctx, status, "while reading %s", path);
    edgefw__forbidden_restore(o->import->problem, &instance, limit);
    o->forbidden_arcs += arcs;
    o->all_arcs += o->n * (o->n - 1);
  }
  edgefw__warn_of_rounded_loads(o->ctx, o->import->problem, o->batch, path, &o->rounding_said);
  const edgefw_status status = edgefw__dataset_append(o->writer, o->batch);
  o->done += o->batch->count;
  if (o->import->observer) o->import->observer(o->import->user, o->done, o->count);
  if (status != EDGEFW_OK || !edgefw_interrupted(o->ctx)) return status;
  return edgefw_fail(o->ctx, EDGEFW_INTERRUPTED, "interrupted; %s is not written",
                     o->import->output);
}

/* Put the dataset in place, or remove what there is of it. */
static edgefw_status output_end(output *o, edgefw_status status, edgefw__import_summary *out) {
  if (status == EDGEFW_OK)
    status = edgefw__dataset_finish(o->writer);
  else
    edgefw__dataset_abandon(o->writer);
  edgefw__batch_destroy(o->ctx, o->batch);
  if (status == EDGEFW_OK && o->forbidden_arcs > 0)
    edgefw_log(o->ctx, EDGEFW_LOG_INFO, "%s: %" PRId64 " of %" PRId64 " arcs are forbidden",
               o->import->output, o->forbidden_arcs, o->all_arcs);
  *out = (edgefw__import_summary){o->count, o->n};
  return status;
}

/* --- NumPy files: which array fills which field --- */

/* Where a field's numbers come from. */
typedef struct feed {
  int array;   /* in the file; -1: `constant` */
  bool single; /* the array is one number for all instances */
  double constant;
  edgefw__unit unit; /* scale 0: numbers are values */
} feed;

typedef struct npz_import {
  edgefw_context *ctx;
  const edgefw__import *import;
  const char *path;
  edgefw__npz *npz;
  int64_t count, n; /* -1: not known yet */
  bool unit_used;   /* is there an array that a unit is for? */
  feed feeds[EDGEFW_MAX_FIELDS];
} npz_import;

static int find_array(const npz_import *in, const edgefw_field *field) {
  int array = edgefw__npz_find(in->npz, field->name);
  if (array < 0 && field->shape == EDGEFW_FIELD_PAIR) array = edgefw__npz_find(in->npz, "data");
  if (array < 0 && field->shape == EDGEFW_FIELD_PAIR) array = edgefw__npz_find(in->npz, "dist");
  return array;
}

static const edgefw__import_value *find_value(const npz_import *in, const edgefw_field *field) {
  for (int v = 0; v < in->import->value_count; ++v)
    if (strcmp(in->import->values[v].field, field->name) == 0) return &in->import->values[v];
  return NULL;
}

static edgefw_status missing_array(const npz_import *in, const edgefw_field *field) {
  char found[512] = "";
  size_t used = 0;
  for (int i = 0; i < edgefw__npz_count(in->npz) && used + 70 < sizeof found; ++i)
    used += (size_t)snprintf(found + used, sizeof found - used, "%s%s", i ? ", " : "",
                             edgefw__npz_at(in->npz, i)->name);
  const bool pair = field->shape == EDGEFW_FIELD_PAIR;
  const bool scalar = field->shape == EDGEFW_FIELD_SCALAR;
  return edgefw_fail(in->ctx, EDGEFW_MISMATCH, "'%s' has no array '%s'%s (it has: %s)%s%s%s",
                     in->path, field->name, pair ? ", 'data' or 'dist'" : "", found,
                     scalar ? "; give its value with --field " : "", scalar ? field->name : "",
                     scalar ? "=NUMBER" : "");
}

/* Take over a size that an array says, or compare it with what another one said. */
static bool agrees(int64_t *known, int64_t size) {
  if (*known < 0) *known = size;
  return *known == size;
}

static edgefw_status check_shape(npz_import *in, const edgefw_field *field, feed *f) {
  const edgefw__npz_array *array = edgefw__npz_at(in->npz, f->array);
  const int64_t *shape = array->shape;
  const char *expected = "(N), (N,1) or one number";
  bool right = false;
  switch (field->shape) {
  case EDGEFW_FIELD_PAIR:
    expected = "(N,n,n)";
    right = array->rank == 3 && agrees(&in->count, shape[0]) && agrees(&in->n, shape[1]) &&
            shape[2] == in->n;
    break;
  case EDGEFW_FIELD_NODE:
    expected = "(N,n)";
    right = array->rank == 2 && agrees(&in->count, shape[0]) && agrees(&in->n, shape[1]);
    break;
  case EDGEFW_FIELD_POINT:
    expected = "(N,n,2)";
    right = array->rank == 3 && agrees(&in->count, shape[0]) && agrees(&in->n, shape[1]) &&
            shape[2] == 2;
    break;
  case EDGEFW_FIELD_SCALAR:
    f->single = array->count == 1;
    right = f->single || (array->count == shape[0] && agrees(&in->count, shape[0]));
    break;
  }
  if (right) return EDGEFW_OK;
  char found[80];
  char sizes[80] = "";
  if (in->count >= 0 && in->n >= 0)
    snprintf(sizes, sizeof sizes, " with N = %" PRId64 " and n = %" PRId64, in->count, in->n);
  return edgefw_fail(in->ctx, EDGEFW_MISMATCH, "'%s': the array '%s' has shape %s; expected %s%s",
                     in->path, array->name, edgefw__npy_shape_text(array, found), expected, sizes);
}

/* Is one of the array's numbers too large to be a value? */
static edgefw_status exceeds(npz_import *in, int index, bool *out) {
  double numbers[SCAN_NUMBERS];
  int64_t left = edgefw__npz_at(in->npz, index)->count;
  *out = false;
  edgefw_status status = edgefw__npz_rewind(in->npz, index);
  while (status == EDGEFW_OK && left > 0 && !*out) {
    const int64_t piece = left < SCAN_NUMBERS ? left : SCAN_NUMBERS;
    status = edgefw__npz_read(in->npz, index, piece, numbers);
    for (int64_t k = 0; status == EDGEFW_OK && k < piece; ++k)
      *out |= isfinite(numbers[k]) && numbers[k] > MAX_VALUE;
    left -= piece;
  }
  return status;
}

/* The unit of the numbers of a SCALED field, as the caller told it. */
static edgefw_status choose_unit(npz_import *in, const edgefw_field *field, feed *f) {
  const edgefw__import *import = in->import;
  const edgefw__npz_array *array = edgefw__npz_at(in->npz, f->array);
  if (field->storage != EDGEFW_STORE_SCALED) return EDGEFW_OK;
  in->unit_used = true;
  if (import->divide_by > 0.0)
    f->unit = (edgefw__unit){.scale = 1.0 / import->divide_by, .inverse = import->divide_by};
  else if (import->scale > 0.0)
    f->unit = edgefw__unit_of(import->scale);
  if (f->unit.scale > 0.0) return EDGEFW_OK;
  const bool whole = array->kind == 'i';
  bool large = false;
  const edgefw_status status = whole ? EDGEFW_OK : exceeds(in, f->array, &large);
  if (status != EDGEFW_OK || (!whole && !large)) return status;
  return edgefw_fail(in->ctx, EDGEFW_CONFIG,
                     "'%s': the numbers of '%s' are %s, and nothing says what one of them is "
                     "worth; say it with --scale (1: they are values as they stand; %g: they count "
                     "such units, as published test sets do)",
                     in->path, array->name, whole ? "whole" : "above 1000", field->scale);
}

/* Find the source of a field. SCALAR fields are looked at after the others know N. */
static edgefw_status plan_field(npz_import *in, const edgefw_field *field, feed *f) {
  if (field->storage == EDGEFW_STORE_DERIVED) { /* `accept` computes it */
    *f = (feed){.array = -1, .constant = (double)NAN};
    return EDGEFW_OK;
  }
  const edgefw__import_value *value = find_value(in, field);
  *f = (feed){.array = find_array(in, field)};
  if (value && (!value->fallback || f->array < 0)) {
    *f = (feed){.array = -1, .constant = value->value};
    return EDGEFW_OK;
  }
  if (f->array < 0) return missing_array(in, field);
  const edgefw_status status = check_shape(in, field, f);
  return status == EDGEFW_OK ? choose_unit(in, field, f) : status;
}

static void log_unused(const npz_import *in, int field_count) {
  for (int i = 0; i < edgefw__npz_count(in->npz); ++i) {
    bool used = false;
    for (int f = 0; f < field_count; ++f) used |= in->feeds[f].array == i;
    if (!used)
      edgefw_log(in->ctx, EDGEFW_LOG_WARNING, "%s: the array '%s' is not used", in->path,
                 edgefw__npz_at(in->npz, i)->name);
  }
}

static edgefw_status plan(npz_import *in) {
  const edgefw_field *fields = in->import->problem->fields;
  const int field_count = edgefw__field_table_size(fields);
  for (int scalar = 0; scalar < 2; ++scalar)
    for (int f = 0; f < field_count; ++f)
      if ((fields[f].shape == EDGEFW_FIELD_SCALAR) == (scalar == 1)) {
        const edgefw_status status = plan_field(in, &fields[f], &in->feeds[f]);
        if (status != EDGEFW_OK) return status;
      }
  log_unused(in, field_count);
  if (!in->unit_used && (in->import->divide_by > 0.0 || in->import->scale > 0.0))
    return edgefw_fail(in->ctx, EDGEFW_CONFIG,
                       "'%s': no array has a unit to tell: the problem %s reads no costs of files "
                       "like this",
                       in->path, in->import->problem_name);
  if (in->count < 1)
    return edgefw_fail(in->ctx, EDGEFW_MISMATCH, "'%s' holds no instances", in->path);
  return check_size(in->ctx, in->import, in->path, in->n);
}

/* --- NumPy files: reading --- */

/* The numbers of one field for `count` instances. */
static edgefw_status read_field(npz_import *in, const edgefw_field *field, const feed *f,
                                int64_t count, double *out) {
  const int64_t numbers = count * edgefw_field_count(field->shape, in->n);
  edgefw_status status = EDGEFW_OK;
  if (f->array >= 0 && !f->single) {
    status = edgefw__npz_read(in->npz, f->array, numbers, out);
  } else {
    for (int64_t k = 0; k < numbers; ++k) out[k] = f->constant;
  }
  for (int64_t k = 0; k < numbers && f->unit.scale > 0.0; ++k)
    out[k] = edgefw__unit_value(&f->unit, out[k]);
  return status;
}

/* Stand at the head of every array; a single number is read at once. */
static edgefw_status rewind_all(npz_import *in, int field_count) {
  edgefw_status status = EDGEFW_OK;
  for (int f = 0; f < field_count && status == EDGEFW_OK; ++f) {
    feed *source = &in->feeds[f];
    if (source->array < 0) continue;
    status = edgefw__npz_rewind(in->npz, source->array);
    if (status == EDGEFW_OK && source->single)
      status = edgefw__npz_read(in->npz, source->array, 1, &source->constant);
  }
  return status;
}

static edgefw_status read_all(npz_import *in, output *o) {
  const edgefw_field *fields = in->import->problem->fields;
  const int field_count = edgefw__field_table_size(fields);
  const int64_t room = BATCH_NUMBERS / (in->n * in->n) + 1;
  edgefw_status status = output_begin(o, in->count, in->n, room < in->count ? room : in->count);
  if (status == EDGEFW_OK) status = rewind_all(in, field_count);
  while (status == EDGEFW_OK && o->done < o->count) {
    const int64_t left = o->count - o->done;
    o->batch->count = left < o->batch->capacity ? left : o->batch->capacity;
    for (int f = 0; f < field_count && status == EDGEFW_OK; ++f)
      status = read_field(in, &fields[f], &in->feeds[f], o->batch->count, o->batch->data[f]);
    for (int64_t b = 0; b < o->batch->count; ++b) o->batch->ids[b] = (uint64_t)(o->done + b);
    if (status == EDGEFW_OK) status = output_append(o, in->path, NULL);
  }
  return status;
}

edgefw_status edgefw__import_npz(edgefw_context *ctx, const edgefw__import *import,
                                 const char *path, edgefw__import_summary *out) {
  npz_import in = {.ctx = ctx, .import = import, .path = path, .count = -1, .n = -1};
  output o = {.ctx = ctx, .import = import};
  edgefw_status status = edgefw__npz_open(ctx, path, &in.npz);
  if (status == EDGEFW_OK) status = plan(&in);
  if (status == EDGEFW_OK) status = read_all(&in, &o);
  status = output_end(&o, status, out);
  edgefw__npz_close(in.npz);
  return status;
}

/* --- Library files --- */

/* A dataset does not store DERIVED fields, because they can be computed from the others. A library
 * file that states such numbers itself (costs by its own rounding) would lose them: refuse it. */
static edgefw_status check_derived(const output *o, const char *path, bool places,
                                   const edgefw_instance *instance) {
  if (places) { /* its costs are what the problem makes of the coordinates: it is to do so */
    for (int f = 0; o->import->problem->fields[f].name; ++f)
      for (int64_t e = 0; o->import->problem->fields[f].storage == EDGEFW_STORE_DERIVED &&
                          e < edgefw_field_count(o->import->problem->fields[f].shape, o->n);
           ++e)
        instance->data[f][e] = (double)NAN;
    return EDGEFW_OK;
  }
  for (int f = 0; o->import->problem->fields[f].name; ++f)
    if (o->import->problem->fields[f].storage == EDGEFW_STORE_DERIVED &&
        !isnan(instance->data[f][0]))
      return edgefw_fail(
          o->ctx, EDGEFW_UNSUPPORTED,
          "'%s' says how its '%s' is rounded, which datasets of the problem %s do not "
          "keep; evaluate the file itself ([eval] files)",
          path, o->import->problem->fields[f].name, o->import->problem_name);
  return EDGEFW_OK;
}

/* What is in a file: one instance of a library, or those of another program. */
static edgefw_status read_file(const output *o, edgefw_arena *arena, const char *path,
                               edgefw__instance_file *out) {
  const edgefw__plugin *plugin = o->import->plugin;
  if (edgefw__instance_file_is(path))
    return edgefw__instance_file_read(o->ctx, arena, path, &o->import->reading, NULL, &plugin, out);
  *out = (edgefw__instance_file){.count = 1};
  out->items = edgefw_arena_take(arena, 1, sizeof *out->items);
  return out->items ? edgefw__tsplib_read(o->ctx, arena, path, out->items) : edgefw_failure(o->ctx);
}

/* Take the file's k-th instance, which becomes the `index`-th of the dataset. */
static edgefw_status import_item(output *o, const edgefw__instance_file *file, int64_t k,
                                 int64_t index) {
  const edgefw_tsplib *item = &file->items[k];
  edgefw_instance instance = edgefw__batch_instance(o->batch, 0);
  instance.name = item->name;
  o->batch->count = 1;
  o->batch->ids[0] = (uint64_t)index;
  edgefw_status status =
      edgefw__instance_file_load(o->ctx, o->import->problem, o->import->options, item, &instance);
  if (status == EDGEFW_OK) status = check_derived(o, item->path, file->places, &instance);
  return status == EDGEFW_OK ? output_append(o, item->path, item->name) : status;
}

/* Read one file into the batch; the first one's size is everyone's. */
static edgefw_status import_file(output *o, edgefw_arena *arena, const char *const *paths,
                                 int index, int count) {
  const edgefw__import *import = o->import;
  const char *path = paths[index];
  edgefw__instance_file file;
  int64_t n = 0;
  edgefw_status status = read_file(o, arena, path, &file);
  if (status == EDGEFW_OK)
    status = import->problem->file_nodes(o->ctx, import->options, file.items, &n);
  if (status == EDGEFW_OK && file.count > 1 && count > 1)
    status = edgefw_fail(o->ctx, EDGEFW_CONFIG,
                         "'%s' holds %" PRId64 " instances: a file of several is imported alone",
                         path, file.count);
  if (status == EDGEFW_OK && index == 0) {
    status = check_size(o->ctx, import, path, n);
    if (status == EDGEFW_OK) status = output_begin(o, count > 1 ? count : file.count, n, 1);
  }
  if (status == EDGEFW_OK && n != o->n)
    status = edgefw_fail(o->ctx, EDGEFW_MISMATCH,
                         "'%s' has %" PRId64 " nodes, '%s' has %" PRId64
                         "; the instances of a dataset have one size",
                         path, n, paths[0], o->n);
  for (int64_t k = 0; status == EDGEFW_OK && k < file.count; ++k)
    status = import_item(o, &file, k, index + k);
  return status;
}

edgefw_status edgefw__import_files(edgefw_context *ctx, const edgefw__import *import,
                                   const char *const *paths, int count,
                                   edgefw__import_summary *out) {
  output o = {.ctx = ctx, .import = import};
  edgefw_status status = EDGEFW_OK;
  if (!import->problem->file_nodes)
    return edgefw_fail(ctx, EDGEFW_UNSUPPORTED, "%s: the problem %s reads no library files",
                       paths[0], import->problem_name);
  for (int i = 0; i < count && status == EDGEFW_OK; ++i) {
    edgefw_arena *arena = NULL;
    status = edgefw_arena_create(ctx, &arena, "a file of instances", 0, true);
    if (status == EDGEFW_OK) status = import_file(&o, arena, paths, i, count);
    edgefw_arena_destroy(arena);
  }
  return output_end(&o, status, out);
}
