/* Reading TSPLIB files: the meaning of the keywords. */
#include "files/tsplib.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "edgefw/instance.h"

#include "base/text_file.h"
#include "base/utf8.h"
#include "files/library_text.h"
#include "files/tsplib_distance.h"
#include "files/tsplib_matrix.h"
#include "files/tsplib_nodes.h"
#include "files/tsplib_restrictions.h"
#include "files/tsplib_scan.h"

/* First word of a value in upper case ("" if there is none); NULL when out of memory. */
static char *first_word(const edgefw__tsplib_document *document, edgefw_arena *arena,
                        edgefw__tsplib_keyword keyword) {
  edgefw__tsplib_span span = document->spans[keyword];
  edgefw__tsplib_word word = {.text = ""};
  (void)edgefw__tsplib_next_word(&span, &word);
  for (char *c = word.text; *c; ++c) *c = (char)toupper((unsigned char)*c);
  return edgefw_arena_text(arena, word.text);
}

/* NAME up to the end of its line without blanks around it, or the file's own; NULL when out of
 * memory. Names go into tables and logs, so no control character is left in them. */
static char *name_of(const edgefw__tsplib_document *document, edgefw_arena *arena) {
  const edgefw__tsplib_span *span = &document->spans[EDGEFW__TSPLIB_NAME];
  size_t length = 0;
  const char *begin = "";
  if (span->begin) {
    begin = span->begin + strspn(span->begin, " \t");
    length = strcspn(begin, "\n");
  }
  while (length > 0 && isspace((unsigned char)begin[length - 1])) --length;
  char *name = length > 0
                   ? edgefw_arena_format(arena, "%.*s", (int)(length < 255 ? length : 255), begin)
                   : edgefw__library_stem(arena, document->path);
  if (name) edgefw__utf8_clean(name, "");
  return name;
}

static edgefw_status read_dimension(const edgefw__tsplib_document *document, int64_t *out) {
  edgefw__tsplib_span span = document->spans[EDGEFW__TSPLIB_DIMENSION];
  edgefw__tsplib_word word = {.text = "", .line = span.line};
  if (!span.begin) {
    return edgefw_fail(document->ctx, EDGEFW_FORMAT, "'%s' has no DIMENSION", document->path);
  }
  (void)edgefw__tsplib_next_word(&span, &word);
  if (edgefw__parse_integer(word.text, out) && *out >= 1 && *out <= EDGEFW_MAX_NODES) {
    return edgefw__tsplib_no_more(document, EDGEFW__TSPLIB_DIMENSION, span);
  }
  return edgefw_fail(document->ctx, EDGEFW_FORMAT,
                     "'%s' line %" PRId64 ": DIMENSION is '%s', expected a number from 1 to %d",
                     document->path, word.line, word.text, EDGEFW_MAX_NODES);
}

/* --- Edge weights --- */

static edgefw_status read_explicit(const edgefw__tsplib_document *document, edgefw_arena *arena,
                                   edgefw_tsplib *file) {
  if (!document->spans[EDGEFW__TSPLIB_EDGE_WEIGHT_SECTION].begin) {
    return edgefw_fail(document->ctx, EDGEFW_FORMAT,
                       "'%s': EDGE_WEIGHT_TYPE is EXPLICIT, but there is no EDGE_WEIGHT_SECTION",
                       document->path);
  }
  return edgefw__tsplib_read_weights(document, arena, file->dimension, &file->weights);
}

static edgefw_status read_computed(const edgefw__tsplib_document *document, edgefw_arena *arena,
                                   const edgefw__tsplib_distance *distance, edgefw_tsplib *file) {
  const edgefw__tsplib_span *section = &document->spans[EDGEFW__TSPLIB_EDGE_WEIGHT_SECTION];
  if (section->begin) {
    return edgefw_fail(document->ctx, EDGEFW_FORMAT,
                       "'%s' line %" PRId64
                       ": EDGE_WEIGHT_SECTION, but EDGE_WEIGHT_TYPE is %s, expected EXPLICIT",
                       document->path, section->line, file->edge_weight_type);
  }
  if (!file->coordinates) {
    return edgefw_fail(document->ctx, EDGEFW_FORMAT,
                       "'%s': EDGE_WEIGHT_TYPE is %s, but there is no NODE_COORD_SECTION",
                       document->path, file->edge_weight_type);
  }
  const size_t pairs = (size_t)(file->dimension * file->dimension);
  file->lengths = edgefw_arena_take(arena, pairs, sizeof *file->lengths);
  file->weights = edgefw_arena_take(arena, pairs, sizeof *file->weights);
  if (!file->lengths || !file->weights) return EDGEFW_OUT_OF_MEMORY;
  return edgefw__tsplib_measure(document, distance, file->coordinates, file->dimension,
                                file->lengths, file->weights);
}

static edgefw_status read_coordinates(const edgefw__tsplib_document *document, edgefw_arena *arena,
                                      edgefw_tsplib *file) {
  edgefw__tsplib_span span = document->spans[EDGEFW__TSPLIB_NODE_COORD_TYPE];
  edgefw__tsplib_word word;
  if (edgefw__tsplib_next_word(&span, &word) && strcasecmp(word.text, "THREED_COORDS") == 0) {
    return edgefw_fail(document->ctx, EDGEFW_UNSUPPORTED,
                       "'%s' line %" PRId64 ": NODE_COORD_TYPE is '%s', expected TWOD_COORDS",
                       document->path, word.line, word.text);
  }
  return edgefw__tsplib_read_rows(document, arena, EDGEFW__TSPLIB_NODE_COORD_SECTION,
                                  file->dimension, 2, &file->coordinates);
}

/* Coordinates, and weights from them or from a matrix. A file that names no type may list a
 * matrix; otherwise its weights stay NULL. */
static edgefw_status read_geometry(const edgefw__tsplib_document *document, edgefw_arena *arena,
                                   edgefw_tsplib *file) {
  const char *type = file->edge_weight_type;
  const edgefw__tsplib_distance *distance = edgefw__tsplib_find_distance(type);
  const bool is_explicit = strcmp(type, "EXPLICIT") == 0;
  if (type[0] && !is_explicit && !distance) {
    return edgefw_fail(document->ctx, EDGEFW_UNSUPPORTED,
                       "'%s' line %" PRId64 ": EDGE_WEIGHT_TYPE is %s, expected EXPLICIT, EUC_2D, "
                       "CEIL_2D, FLOOR_2D, EXACT_2D, MAX_2D, MAN_2D, ATT or GEO",
                       document->path, document->spans[EDGEFW__TSPLIB_EDGE_WEIGHT_TYPE].line, type);
  }
  const edgefw_status status = read_coordinates(document, arena, file);
  if (status != EDGEFW_OK) return status;
  if (distance) return read_computed(document, arena, distance, file);
  if (is_explicit || document->spans[EDGEFW__TSPLIB_EDGE_WEIGHT_SECTION].begin) {
    return read_explicit(document, arena, file);
  }
  return EDGEFW_OK;
}

/* --- Demand and capacity --- */

static edgefw_status read_capacity(const edgefw__tsplib_document *document, edgefw_tsplib *file) {
  const edgefw__tsplib_span *span = &document->spans[EDGEFW__TSPLIB_CAPACITY];
  if (!span->begin) return EDGEFW_OK;
  const edgefw_status status =
      edgefw__tsplib_one_number(document, EDGEFW__TSPLIB_CAPACITY, &file->capacity);
  if (status != EDGEFW_OK) return status;
  file->has_capacity = true;
  if (file->capacity >= 0.0) return EDGEFW_OK;
  return edgefw_fail(document->ctx, EDGEFW_FORMAT,
                     "'%s' line %" PRId64 ": CAPACITY is %g, expected at least 0", document->path,
                     span->line, file->capacity);
}

static edgefw_status read_demand(const edgefw__tsplib_document *document, edgefw_arena *arena,
                                 edgefw_tsplib *file) {
  const edgefw_status status = edgefw__tsplib_read_rows(
      document, arena, EDGEFW__TSPLIB_DEMAND_SECTION, file->dimension, 1, &file->demand);
  if (status != EDGEFW_OK || !file->demand) return status;
  for (int64_t node = 0; node < file->dimension; ++node) {
    if (file->demand[node] >= 0.0) continue;
    return edgefw_fail(document->ctx, EDGEFW_FORMAT,
                       "'%s': DEMAND_SECTION gives node %" PRId64 " the demand %g, expected at "
                       "least 0",
                       document->path, node + 1, file->demand[node]);
  }
  return EDGEFW_OK;
}

static edgefw_status interpret(const edgefw__tsplib_document *document, edgefw_arena *arena,
                               edgefw_tsplib *out) {
  edgefw_tsplib file = {
      .path = edgefw_arena_text(arena, document->path),
      .name = name_of(document, arena),
      .type = first_word(document, arena, EDGEFW__TSPLIB_TYPE),
      .edge_weight_type = first_word(document, arena, EDGEFW__TSPLIB_EDGE_WEIGHT_TYPE),
      .depot = -1,
  };
  if (!file.path || !file.name || !file.type || !file.edge_weight_type) return EDGEFW_OUT_OF_MEMORY;
  edgefw_status status = edgefw__tsplib_refuse_restrictions(document, file.type);
  if (status == EDGEFW_OK) status = read_dimension(document, &file.dimension);
  if (status == EDGEFW_OK) {
    status = edgefw__tsplib_read_depot(document, file.dimension, &file.depot);
  }
  if (status == EDGEFW_OK) status = read_capacity(document, &file);
  if (status == EDGEFW_OK) status = read_demand(document, arena, &file);
  if (status == EDGEFW_OK) status = read_geometry(document, arena, &file);
  if (status == EDGEFW_OK) *out = file;
  return status;
}

edgefw_status edgefw__tsplib_read(edgefw_context *ctx, edgefw_arena *arena, const char *path,
                                  edgefw_tsplib *out) {
  char *text = NULL;
  size_t length = 0;
  edgefw_status status = edgefw__library_text_read(ctx, path, &text, &length);
  if (status != EDGEFW_OK) return status;
  edgefw__tsplib_document document;
  status = edgefw__tsplib_scan(ctx, path, text, &document);
  if (status == EDGEFW_OK) status = interpret(&document, arena, out);
  edgefw_release(ctx, text);
  return status;
}
