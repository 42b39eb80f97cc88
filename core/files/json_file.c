/* Reading JSON files: jansson parses, and this says where something is wrong. */
#include "files/json_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/utf8.h"
#include "edgefw/instance.h"
#include "files/library_text.h"

static edgefw_status damaged(edgefw_context *ctx, const char *path, json_error_t *error) {
  if (json_error_code(error) == json_error_out_of_memory)
    return edgefw_fail(ctx, EDGEFW_OUT_OF_MEMORY, "out of memory: the values of '%s'", path);
  edgefw__utf8_clean(error->text, ""); /* it repeats what the file has there */
  return edgefw_fail(ctx, EDGEFW_FORMAT, "'%s' line %d, column %d: %s; expected JSON", path,
                     error->line, error->column, error->text);
}

edgefw_status edgefw__json_file_read(edgefw_context *ctx, const char *path, json_t **out) {
  char *text = NULL;
  size_t length = 0;
  json_error_t error;
  *out = NULL;
  edgefw_status status = edgefw__library_text_read(ctx, path, &text, &length);
  if (status != EDGEFW_OK) return status;
  if (length > EDGEFW__JSON_MOST_BYTES)
    status = edgefw_fail(ctx, EDGEFW_FORMAT, "'%s' has %zu bytes; expected JSON of at most %zu",
                         path, length, EDGEFW__JSON_MOST_BYTES);
  if (status == EDGEFW_OK) *out = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
  if (status == EDGEFW_OK && !*out) status = damaged(ctx, path, &error);
  edgefw_release(ctx, text);
  return status;
}

/* --- Places --- */

edgefw__json_place edgefw__json_member(const edgefw__json_place *place, const char *name) {
  edgefw__json_place inner = {.ctx = place->ctx, .path = place->path};
  snprintf(inner.where, sizeof inner.where, "%.90s%s%.32s", place->where, *place->where ? "." : "",
           name);
  edgefw__utf8_clean(inner.where, "");
  return inner;
}

edgefw__json_place edgefw__json_item(const edgefw__json_place *place, size_t index) {
  edgefw__json_place inner = {.ctx = place->ctx, .path = place->path};
  snprintf(inner.where, sizeof inner.where, "%.100s[%zu]", place->where, index);
  return inner;
}

/* What the value is, for a message. Returns `out`. */
static const char *describe(const json_t *value, char out[64]) {
  static const char *const kinds[] = {
      [JSON_OBJECT] = "an object", [JSON_ARRAY] = "an array", [JSON_TRUE] = "true",
      [JSON_FALSE] = "false",      [JSON_NULL] = "null",      [JSON_STRING] = "a text"};
  if (!value) {
    snprintf(out, 64, "missing");
  } else if (json_is_integer(value)) {
    snprintf(out, 64, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
  } else if (json_is_real(value)) {
    edgefw__number_text(json_real_value(value), out, 64);
  } else if (json_is_string(value) && json_string_length(value) <= 24) {
    snprintf(out, 64, "'%s'", json_string_value(value));
    edgefw__utf8_clean(out, "");
  } else if (json_is_array(value)) {
    snprintf(out, 64, "an array of %zu", json_array_size(value));
  } else {
    snprintf(out, 64, "%s", kinds[json_typeof(value)]);
  }
  return out;
}

edgefw_status edgefw__json_refuse(const edgefw__json_place *place, const json_t *value,
                                  const char *expected) {
  char found[64];
  return edgefw_fail(place->ctx, EDGEFW_FORMAT, "'%s': %s is %s; expected %s", place->path,
                     *place->where ? place->where : "the file", describe(value, found), expected);
}

/* --- Values --- */

edgefw_status edgefw__json_amount(const edgefw__json_place *place, const json_t *value,
                                  double *out) {
  *out = json_is_number(value) ? json_number_value(value) : -1.0;
  return *out >= 0.0 ? EDGEFW_OK : edgefw__json_refuse(place, value, "a number of at least 0");
}

edgefw_status edgefw__json_index(const edgefw__json_place *place, const json_t *value,
                                 int64_t bound, int64_t *out) {
  char expected[64];
  *out = json_is_integer(value) ? (int64_t)json_integer_value(value) : -1;
  if (*out >= 0 && *out < bound) return EDGEFW_OK;
  snprintf(expected, sizeof expected, "a whole number from 0 to %" PRId64, bound - 1);
  return edgefw__json_refuse(place, value, expected);
}

static edgefw_status check_row(const edgefw__json_place *place, const json_t *row, int64_t n) {
  char expected[64];
  if (json_is_array(row) && (int64_t)json_array_size(row) == n) return EDGEFW_OK;
  snprintf(expected, sizeof expected, "an array of %" PRId64 ", as there are rows", n);
  return edgefw__json_refuse(place, row, expected);
}

static edgefw_status read_row(const edgefw__json_place *place, const json_t *row, int64_t n,
                              double *out) {
  for (int64_t j = 0; j < n; ++j) {
    const json_t *value = json_array_get(row, (size_t)j);
    if (!json_is_number(value) && !json_is_null(value)) {
      const edgefw__json_place inner = edgefw__json_item(place, (size_t)j);
      return edgefw__json_refuse(&inner, value, "a number or null");
    }
    out[j] = json_is_null(value) ? (double)INFINITY : json_number_value(value);
  }
  return EDGEFW_OK;
}

edgefw_status edgefw__json_square(const edgefw__json_place *place, edgefw_arena *arena,
                                  const json_t *value, int64_t *n, double **cost) {
  *n = json_is_array(value) ? (int64_t)json_array_size(value) : 0;
  if (*n < 2 || *n > EDGEFW_MAX_NODES) {
    char expected[64];
    snprintf(expected, sizeof expected, "an array of 2 to %d rows", EDGEFW_MAX_NODES);
    return edgefw__json_refuse(place, value, expected);
  }
  edgefw_status status = EDGEFW_OK;
  /* The numbers are there before memory is taken for them. */
  for (int64_t i = 0; status == EDGEFW_OK && i < *n; ++i) {
    const edgefw__json_place inner = edgefw__json_item(place, (size_t)i);
    status = check_row(&inner, json_array_get(value, (size_t)i), *n);
  }
  if (status != EDGEFW_OK) return status;
  *cost = edgefw_arena_take(arena, (size_t)(*n * *n), sizeof **cost);
  if (!*cost) return edgefw_failure(place->ctx);
  for (int64_t i = 0; status == EDGEFW_OK && i < *n; ++i) {
    const edgefw__json_place inner = edgefw__json_item(place, (size_t)i);
    status = read_row(&inner, json_array_get(value, (size_t)i), *n, *cost + i * *n);
  }
  return status;
}
