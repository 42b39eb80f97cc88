/* Reading TSPLIB files: the meaning of the keywords. */
#include "io/tsplib.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "io/batch.h"
#include "io/path.h"
#include "io/text_file.h"
#include "io/tsplib_matrix.h"
#include "io/tsplib_scan.h"

/* First word of a value in upper case ("" if there is none); NULL when out of memory. */
static char *first_word(const edgefw__tsplib_document *document, edgefw_arena *arena,
                        edgefw__tsplib_keyword keyword) {
  edgefw__tsplib_span span = document->spans[keyword];
  edgefw__tsplib_word word = {.text = ""};
  (void)edgefw__tsplib_next_word(&span, &word);
  for (char *c = word.text; *c; ++c) *c = (char)toupper((unsigned char)*c);
  return edgefw_arena_text(arena, word.text);
}

/* NAME up to the end of its line without blanks around it, or the file's own. */
static char *name_of(const edgefw__tsplib_document *document, edgefw_arena *arena) {
  const edgefw__tsplib_span *span = &document->spans[EDGEFW__TSPLIB_NAME];
  if (!span->begin) return edgefw__path_stem(arena, document->path);
  const char *begin = span->begin + strspn(span->begin, " \t");
  size_t length = strcspn(begin, "\n");
  while (length > 0 && isspace((unsigned char)begin[length - 1])) --length;
  if (length == 0) return edgefw__path_stem(arena, document->path);
  return edgefw_arena_format(arena, "%.*s", (int)(length < 255 ? length : 255), begin);
}

static edgefw_status read_dimension(const edgefw__tsplib_document *document, int64_t *out) {
  edgefw__tsplib_span span = document->spans[EDGEFW__TSPLIB_DIMENSION];
  edgefw__tsplib_word word = {.text = "", .line = span.line};
  if (!span.begin) {
    return edgefw_fail(document->ctx, EDGEFW_FORMAT, "'%s' has no DIMENSION", document->path);
  }
  (void)edgefw__tsplib_next_word(&span, &word);
  if (edgefw__parse_integer(word.text, out) && *out >= 1 && *out <= EDGEFW_MAX_NODES) {
    return EDGEFW_OK;
  }
  return edgefw_fail(document->ctx, EDGEFW_FORMAT,
                     "'%s' line %" PRId64 ": DIMENSION is '%s', expected a number from 1 to %d",
                     document->path, word.line, word.text, EDGEFW_MAX_NODES);
}

static edgefw_status read_weights(const edgefw__tsplib_document *document, edgefw_arena *arena,
                                  edgefw_tsplib *file) {
  const bool has_section = document->spans[EDGEFW__TSPLIB_EDGE_WEIGHT_SECTION].begin != NULL;
  const bool is_explicit = strcmp(file->edge_weight_type, "EXPLICIT") == 0;
  if (!is_explicit && (file->edge_weight_type[0] != '\0' || !has_section)) return EDGEFW_OK;
  if (!has_section) {
    return edgefw_fail(document->ctx, EDGEFW_FORMAT,
                       "'%s': EDGE_WEIGHT_TYPE is EXPLICIT, but there is no EDGE_WEIGHT_SECTION",
                       document->path);
  }
  return edgefw__tsplib_read_weights(document, arena, file->dimension, &file->weights);
}

static edgefw_status interpret(const edgefw__tsplib_document *document, edgefw_arena *arena,
                               edgefw_tsplib *out) {
  edgefw_tsplib file = {
      .path = edgefw_arena_text(arena, document->path),
      .name = name_of(document, arena),
      .type = first_word(document, arena, EDGEFW__TSPLIB_TYPE),
      .edge_weight_type = first_word(document, arena, EDGEFW__TSPLIB_EDGE_WEIGHT_TYPE),
  };
  if (!file.path || !file.name || !file.type || !file.edge_weight_type) return EDGEFW_OUT_OF_MEMORY;
  edgefw_status status = read_dimension(document, &file.dimension);
  if (status == EDGEFW_OK) status = read_weights(document, arena, &file);
  if (status == EDGEFW_OK) *out = file;
  return status;
}

edgefw_status edgefw__tsplib_read(edgefw_context *ctx, edgefw_arena *arena, const char *path,
                                  edgefw_tsplib *out) {
  char *text = NULL;
  size_t length = 0;
  edgefw_status status = edgefw__text_read(ctx, path, &text, &length);
  if (status != EDGEFW_OK) return status;
  edgefw__tsplib_document document;
  status = edgefw__tsplib_scan(ctx, path, text, &document);
  if (status == EDGEFW_OK) status = interpret(&document, arena, out);
  edgefw_release(ctx, text);
  return status;
}
