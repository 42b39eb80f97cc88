/* The formats of an explicit cost matrix. */
#include "files/tsplib_matrix.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <strings.h>

typedef enum triangle { TRIANGLE_NONE, TRIANGLE_UPPER, TRIANGLE_LOWER } triangle;

typedef struct matrix_format {
  const char *name;
  triangle triangle; /* which part each row lists */
  bool diagonal;     /* is the diagonal listed? */
} matrix_format;

/* Columns of one triangle are the rows of the other, and the mirrored matrix is the same. */
static const matrix_format formats[] = {
    {"FULL_MATRIX", TRIANGLE_NONE, true},     {"UPPER_ROW", TRIANGLE_UPPER, false},
    {"LOWER_ROW", TRIANGLE_LOWER, false},     {"UPPER_DIAG_ROW", TRIANGLE_UPPER, true},
    {"LOWER_DIAG_ROW", TRIANGLE_LOWER, true}, {"UPPER_COL", TRIANGLE_LOWER, false},
    {"LOWER_COL", TRIANGLE_UPPER, false},     {"UPPER_DIAG_COL", TRIANGLE_LOWER, true},
    {"LOWER_DIAG_COL", TRIANGLE_UPPER, true},
};

static int64_t numbers_of(const matrix_format *format, int64_t n) {
  if (format->triangle == TRIANGLE_NONE) return n * n;
  return n * (n - 1) / 2 + (format->diagonal ? n : 0);
}

/* Format of the document. One that names none must list a full matrix. */
static edgefw_status find_format(const edgefw__tsplib_document *document,
                                 const matrix_format **out) {
  edgefw__tsplib_span span = document->spans[EDGEFW__TSPLIB_EDGE_WEIGHT_FORMAT];
  edgefw__tsplib_word word;
  *out = &formats[0];
  if (!edgefw__tsplib_next_word(&span, &word)) return EDGEFW_OK;
  for (size_t f = 0; f < sizeof formats / sizeof *formats; ++f) {
    if (strcasecmp(word.text, formats[f].name) != 0) continue;
    *out = &formats[f];
    return EDGEFW_OK;
  }
  return edgefw_fail(document->ctx, EDGEFW_UNSUPPORTED,
                     "'%s' line %" PRId64 ": EDGE_WEIGHT_FORMAT is '%s', expected FULL_MATRIX, "
                     "{UPPER,LOWER}_{ROW,COL} or {UPPER,LOWER}_DIAG_{ROW,COL}",
                     document->path, word.line, word.text);
}

/* A word that says that an arc is forbidden. */
static bool says_forbidden(const char *word) {
  static const char *const words[] = {"inf", "+inf", "infinity", "+infinity", "nan", "null"};
  for (size_t w = 0; w < sizeof words / sizeof *words; ++w)
    if (strcasecmp(word, words[w]) == 0) return true;
  return false;
}

/* The next entry: a number, or infinity for a forbidden arc. */
static edgefw_status next_entry(const edgefw__tsplib_document *document, edgefw__tsplib_span *rest,
                                double *value) {
  edgefw__tsplib_span ahead = *rest;
  edgefw__tsplib_word word;
  if (edgefw__tsplib_next_word(&ahead, &word) && says_forbidden(word.text)) {
    *rest = ahead;
    *value = (double)INFINITY;
    return EDGEFW_OK;
  }
  return edgefw__tsplib_next_number(document, EDGEFW__TSPLIB_EDGE_WEIGHT_SECTION, rest, value);
}

static edgefw_status fill(const edgefw__tsplib_document *document, const matrix_format *format,
                          int64_t n, double *weights) {
  edgefw__tsplib_span rest = document->spans[EDGEFW__TSPLIB_EDGE_WEIGHT_SECTION];
  const int64_t beside = format->diagonal ? 0 : 1;
  for (int64_t i = 0; i < n; ++i) {
    const int64_t begin = format->triangle == TRIANGLE_UPPER ? i + beside : 0;
    const int64_t end = format->triangle == TRIANGLE_LOWER ? i + 1 - beside : n;
    for (int64_t j = begin; j < end; ++j) {
      double value = 0.0;
      const edgefw_status status = next_entry(document, &rest, &value);
      if (status != EDGEFW_OK) return status;
      weights[i * n + j] = value;
      if (format->triangle != TRIANGLE_NONE) weights[j * n + i] = value;
    }
  }
  return EDGEFW_OK;
}

edgefw_status edgefw__tsplib_read_weights(const edgefw__tsplib_document *document,
                                          edgefw_arena *arena, int64_t n, double **out) {
  *out = NULL;
  const matrix_format *format = NULL;
  edgefw_status status = find_format(document, &format);
  if (status != EDGEFW_OK) return status;
  const edgefw__tsplib_span *section = &document->spans[EDGEFW__TSPLIB_EDGE_WEIGHT_SECTION];
  const int64_t expected = numbers_of(format, n);
  const int64_t found = edgefw__tsplib_count_words(*section);
  if (found != expected) {
    return edgefw_fail(document->ctx, EDGEFW_FORMAT,
                       "'%s' lines %" PRId64 " to %" PRId64 ": EDGE_WEIGHT_SECTION has %" PRId64
                       " numbers, expected %" PRId64 " (%s, DIMENSION %" PRId64 ")",
                       document->path, section->line, section->end_line, found, expected,
                       format->name, n);
  }
  double *weights = edgefw_arena_take(arena, (size_t)(n * n), sizeof *weights);
  if (!weights) return EDGEFW_OUT_OF_MEMORY;
  status = fill(document, format, n, weights);
  if (status == EDGEFW_OK) *out = weights;
  return status;
}
