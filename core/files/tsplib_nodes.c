/* The sections of a TSPLIB file that say something of each node, and its depot. */
#include "files/tsplib_nodes.h"

#include <inttypes.h>
#include <string.h>

static edgefw_status fill_rows(const edgefw__tsplib_document *document,
                               edgefw__tsplib_keyword keyword, int64_t n, int64_t columns,
                               bool *seen, double *rows) {
  edgefw__tsplib_span rest = document->spans[keyword];
  for (int64_t row = 0; row < n; ++row) {
    int64_t node = 0;
    edgefw_status status = edgefw__tsplib_next_node(document, keyword, n, &rest, &node);
    if (status != EDGEFW_OK) return status;
    if (seen[node]) {
      return edgefw_fail(document->ctx, EDGEFW_FORMAT,
                         "'%s' line %" PRId64 ": node %" PRId64 " comes again in %s",
                         document->path, rest.line, node + 1, edgefw__tsplib_keyword_name(keyword));
    }
    seen[node] = true;
    for (int64_t column = 0; column < columns; ++column) {
      status = edgefw__tsplib_next_number(document, keyword, &rest, &rows[node * columns + column]);
      if (status != EDGEFW_OK) return status;
    }
  }
  return EDGEFW_OK;
}

edgefw_status edgefw__tsplib_read_rows(const edgefw__tsplib_document *document, edgefw_arena *arena,
                                       edgefw__tsplib_keyword keyword, int64_t n, int64_t columns,
                                       double **out) {
  *out = NULL;
  const edgefw__tsplib_span *section = &document->spans[keyword];
  if (!section->begin) return EDGEFW_OK;
  const int64_t expected = n * (1 + columns);
  const int64_t found = edgefw__tsplib_count_words(*section);
  if (found != expected) {
    return edgefw_fail(document->ctx, EDGEFW_FORMAT,
                       "'%s' lines %" PRId64 " to %" PRId64 ": %s has %" PRId64
                       " numbers, expected %" PRId64 " (%" PRId64 " for each of %" PRId64 " nodes)",
                       document->path, section->line, section->end_line,
                       edgefw__tsplib_keyword_name(keyword), found, expected, 1 + columns, n);
  }
  bool *seen = edgefw_allocate(document->ctx, (size_t)n, sizeof *seen, "the nodes of a section");
  double *rows = edgefw_arena_take(arena, (size_t)(n * columns), sizeof *rows);
  edgefw_status status = EDGEFW_OUT_OF_MEMORY;
  if (seen && rows) status = fill_rows(document, keyword, n, columns, seen, rows);
  if (status == EDGEFW_OK) *out = rows;
  edgefw_release(document->ctx, seen);
  return status;
}

edgefw_status edgefw__tsplib_read_depot(const edgefw__tsplib_document *document, int64_t n,
                                        int64_t *out) {
  const edgefw__tsplib_keyword keyword = EDGEFW__TSPLIB_DEPOT_SECTION;
  edgefw__tsplib_span rest = document->spans[keyword];
  *out = -1;
  for (;;) {
    edgefw__tsplib_span ahead = rest;
    edgefw__tsplib_word word;
    if (!edgefw__tsplib_next_word(&ahead, &word)) return EDGEFW_OK;
    if (strcmp(word.text, "-1") == 0) break;
    int64_t node = 0;
    const edgefw_status status = edgefw__tsplib_next_node(document, keyword, n, &rest, &node);
    if (status != EDGEFW_OK) return status;
    if (*out >= 0) {
      return edgefw_fail(document->ctx, EDGEFW_UNSUPPORTED,
                         "'%s' line %" PRId64 ": DEPOT_SECTION names a second depot, node %" PRId64
                         "; only one depot is supported",
                         document->path, word.line, node + 1);
    }
    *out = node;
  }
  edgefw__tsplib_word word;
  (void)edgefw__tsplib_next_word(&rest, &word); /* the -1 */
  if (!edgefw__tsplib_next_word(&rest, &word)) return EDGEFW_OK;
  return edgefw_fail(document->ctx, EDGEFW_FORMAT,
                     "'%s' line %" PRId64 ": found '%s' in DEPOT_SECTION behind its end (-1)",
                     document->path, word.line, word.text);
}
