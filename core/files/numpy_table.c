/* Tables out of NumPy files. */
#include "files/numpy_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "files/library_text.h"
#include "files/npy.h"
#include "files/npz.h"

/* What the steps share. */
typedef struct reader {
  edgefw_context *ctx;
  edgefw_arena *arena;
  edgefw__stop_table *out;
} reader;

static edgefw_status refuse_shape(const reader *r, const edgefw__npy_array *array,
                                  const char *expected) {
  char found[80];
  return edgefw_fail(r->ctx, EDGEFW_MISMATCH, "'%s': the array '%s' has shape %s; expected %s",
                     r->out->path, array->name, edgefw__npy_shape_text(array, found), expected);
}

/* What the shape says of the table, before memory is taken for it. */
static edgefw_status take_shape(const reader *r, const edgefw__npy_array *array) {
  edgefw__stop_table *out = r->out;
  const int64_t *shape = array->shape;
  const bool single = array->rank == 2;
  if (array->rank < 2)
    return refuse_shape(r, array, "(n,n) or (N,n,n), or for places (n,2) or (N,n,2)");
  const int64_t n = shape[single ? 0 : 1], width = shape[single ? 1 : 2];
  out->count = single ? 1 : shape[0];
  out->n = n;
  if (n != width && width != 2)
    return refuse_shape(r, array, "(n,n) or (N,n,n), or for places (n,2) or (N,n,2)");
  if (out->count < 1)
    return edgefw_fail(r->ctx, EDGEFW_MISMATCH, "'%s' holds no instances", out->path);
  return edgefw__stop_table_check_size(r->ctx, out);
}

/* Take the numbers for costs or places, as their shape says. */
static edgefw_status take_table(const reader *r, const edgefw__npy_array *array, double *numbers) {
  edgefw__stop_table *out = r->out;
  const int64_t n = out->n;
  if (array->shape[array->rank - 1] == n)
    out->cost = numbers;
  else
    out->points = numbers;
  for (int64_t k = 0; out->points && k < array->count; ++k)
    if (!isfinite(numbers[k]))
      return edgefw_fail(r->ctx, EDGEFW_FORMAT,
                         "'%s': place %" PRId64 " of the array '%s' has a coordinate that is %g; "
                         "expected a number",
                         out->path, k / 2 % n + 1, array->name, numbers[k]);
  return EDGEFW_OK;
}

/* --- Archives --- */

static edgefw_status read_array(const reader *r, edgefw__npz *npz, int index, double **out) {
  const int64_t count = edgefw__npz_at(npz, index)->count;
  edgefw_status status = edgefw__npz_rewind(npz, index);
  if (status != EDGEFW_OK) return status;
  *out = edgefw_arena_take(r->arena, (size_t)count, sizeof **out);
  return *out ? edgefw__npz_read(npz, index, count, *out) : edgefw_failure(r->ctx);
}

/* The array of the first of the names that there is; -1: none. */
static int find_array(edgefw__npz *npz, const char *const *names) {
  int index = -1;
  for (; index < 0 && *names; ++names) index = edgefw__npz_find(npz, *names);
  return index;
}

/* Numbers that go with every instance: `each` of them, or with every instance the same. */
static edgefw_status read_beside(const reader *r, edgefw__npz *npz, const char *name, int64_t each,
                                 const char *expected, double **out) {
  const int index = edgefw__npz_find(npz, name);
  if (index < 0) return EDGEFW_OK;
  const edgefw__npy_array *array = edgefw__npz_at(npz, index);
  const bool all = array->count == r->out->count * each, one = array->count == each;
  if (!all && !one) return refuse_shape(r, array, expected);
  double *numbers = NULL;
  edgefw_status status = read_array(r, npz, index, &numbers);
  if (status != EDGEFW_OK) return status;
  *out = edgefw_arena_take(r->arena, (size_t)(r->out->count * each), sizeof **out);
  if (!*out) return edgefw_failure(r->ctx);
  for (int64_t k = 0; k < r->out->count * each; ++k) {
    (*out)[k] = numbers[all ? k : k % each];
    if (isfinite((*out)[k]) && (*out)[k] >= 0.0) continue;
    return edgefw_fail(r->ctx, EDGEFW_FORMAT,
                       "'%s': number %" PRId64 " of the array '%s' is %g; expected at least 0",
                       r->out->path, k, name, (*out)[k]);
  }
  return EDGEFW_OK;
}

static edgefw_status read_archive(const reader *r, edgefw__npz *npz) {
  static const char *const tables[] = {"cost", "data", "dist", "coords", NULL};
  const int index = find_array(npz, tables);
  double *numbers = NULL;
  if (index < 0)
    return edgefw_fail(r->ctx, EDGEFW_MISMATCH,
                       "'%s' has no array 'cost', 'data', 'dist' or 'coords' (the first of its %d "
                       "is '%s')",
                       r->out->path, edgefw__npz_count(npz), edgefw__npz_at(npz, 0)->name);
  edgefw_status status = take_shape(r, edgefw__npz_at(npz, index));
  if (status == EDGEFW_OK) status = read_array(r, npz, index, &numbers);
  if (status == EDGEFW_OK) status = take_table(r, edgefw__npz_at(npz, index), numbers);
  if (status == EDGEFW_OK)
    status = read_beside(r, npz, "demand", r->out->n, "(n) or (N,n), as the costs have",
                         &r->out->demand);
  if (status == EDGEFW_OK)
    status = read_beside(r, npz, "capacity", 1, "one number, or (N)", &r->out->capacity);
  return status;
}

edgefw_status edgefw__numpy_table_read(edgefw_context *ctx, edgefw_arena *arena, const char *path,
                                       edgefw__stop_table *out) {
  const reader r = {ctx, arena, out};
  *out = (edgefw__stop_table){.path = path, .form = "NumPy array", .depot = -1};
  edgefw_status status = EDGEFW_OK;
  if (edgefw__library_has_extension(path, ".npz")) {
    edgefw__npz *npz = NULL;
    status = edgefw__npz_open(ctx, path, &npz);
    if (status == EDGEFW_OK) status = read_archive(&r, npz);
    edgefw__npz_close(npz);
  } else {
    edgefw__npy_array array = {.rank = 0};
    double *numbers = NULL;
    status = edgefw__npy_read(ctx, arena, path, &array, &numbers);
    if (status == EDGEFW_OK) status = take_shape(&r, &array);
    if (status == EDGEFW_OK) status = take_table(&r, &array, numbers);
  }
  return status == EDGEFW_OK ? edgefw__stop_table_check_costs(ctx, out) : status;
}
