/* Solution files: TSPLIB TOUR. */
#include "files/tour.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "base/text_file.h"
#include "files/library_text.h"
#include "files/tsplib_scan.h"

/* --- Turning --- */

static void reverse(int32_t *nodes, int64_t count) {
  for (int64_t i = 0; i < count / 2; ++i) {
    const int32_t other = nodes[count - 1 - i];
    nodes[count - 1 - i] = nodes[i];
    nodes[i] = other;
  }
}

void edgefw__tour_turn_to(int32_t *tour, int64_t n, int64_t node) {
  int64_t first = 0;
  while (first < n && tour[first] != node) ++first;
  if (first == n) return;
  reverse(tour, first); /* both parts and then the whole: the parts change places */
  reverse(tour + first, n - first);
  reverse(tour, n);
}

/* --- Writing --- */

void edgefw__tour_add(edgefw__text *text, const char *instance_name, const int32_t *tour, int64_t n,
                      double cost) {
  char number[32];
  edgefw__text_add(text, "NAME : ");
  for (const char *c = instance_name; *c; ++c) /* a line end would begin a new keyword line */
    edgefw__text_add_bytes(text, iscntrl((unsigned char)*c) ? "_" : c, 1);
  edgefw__text_add(text,
                   ".tour\nCOMMENT : cost %s\nTYPE : TOUR\nDIMENSION : %" PRId64 "\nTOUR_SECTION\n",
                   edgefw__number_text(cost, number, sizeof number), n);
  for (int64_t i = 0; i < n; ++i) edgefw__text_add(text, "%" PRId64 "\n", (int64_t)tour[i] + 1);
  edgefw__text_add(text, "-1\nEOF\n");
}

/* --- Reading --- */

static edgefw_status check_head(const edgefw__tsplib_document *document, int64_t n) {
  edgefw__tsplib_span type = document->spans[EDGEFW__TSPLIB_TYPE];
  edgefw__tsplib_word word;
  if (edgefw__tsplib_next_word(&type, &word) && strcasecmp(word.text, "TOUR") != 0) {
    return edgefw_fail(document->ctx, EDGEFW_FORMAT,
                       "'%s' line %" PRId64 ": TYPE is '%s', expected TOUR", document->path,
                       word.line, word.text);
  }
  const edgefw__tsplib_span *dimension = &document->spans[EDGEFW__TSPLIB_DIMENSION];
  if (!dimension->begin) return EDGEFW_OK;
  double value = 0.0;
  const edgefw_status status =
      edgefw__tsplib_one_number(document, EDGEFW__TSPLIB_DIMENSION, &value);
  if (status != EDGEFW_OK || value == (double)n) return status;
  return edgefw_fail(document->ctx, EDGEFW_MISMATCH,
                     "'%s' line %" PRId64 ": DIMENSION is %g, expected %" PRId64
                     " as in the instance",
                     document->path, dimension->line, value, n);
}

/* Words of TOUR_SECTION before its -1; behind it nothing but further -1 may stand. */
static edgefw_status count_nodes(const edgefw__tsplib_document *document, int64_t *out) {
  edgefw__tsplib_span rest = document->spans[EDGEFW__TSPLIB_TOUR_SECTION];
  edgefw__tsplib_word word;
  bool ended = false;
  for (*out = 0; edgefw__tsplib_next_word(&rest, &word);) {
    const bool is_end = strcmp(word.text, "-1") == 0;
    if (ended && !is_end) {
      return edgefw_fail(document->ctx, EDGEFW_FORMAT,
                         "'%s' line %" PRId64 ": found '%s' behind the end of the tour (-1), "
                         "expected one tour",
                         document->path, word.line, word.text);
    }
    ended = is_end;
    *out += !is_end;
  }
  return EDGEFW_OK;
}

/* The tour has `found` nodes and not `n`: name one that shows it. */
static edgefw_status refuse_count(const edgefw__tsplib_document *document, int64_t n, int64_t found,
                                  bool *seen) {
  const edgefw__tsplib_span *section = &document->spans[EDGEFW__TSPLIB_TOUR_SECTION];
  edgefw__tsplib_span rest = *section;
  edgefw__tsplib_word word;
  char detail[96] = "";
  for (int64_t node = 0; edgefw__tsplib_next_word(&rest, &word);) {
    if (!edgefw__parse_integer(word.text, &node) || node < 1 || node > n) continue;
    if (seen[node - 1] && !*detail)
      snprintf(detail, sizeof detail, "; node %" PRId64 " comes again in line %" PRId64, node,
               word.line);
    seen[node - 1] = true;
  }
  for (int64_t node = 0; node < n && !*detail; ++node)
    if (!seen[node]) snprintf(detail, sizeof detail, "; it does not visit node %" PRId64, node + 1);
  return edgefw_fail(document->ctx, EDGEFW_MISMATCH,
                     "'%s' lines %" PRId64 " to %" PRId64 ": the tour has %" PRId64
                     " nodes, expected %" PRId64 "%s",
                     document->path, section->line, section->end_line, found, n, detail);
}

static edgefw_status read_nodes(const edgefw__tsplib_document *document, int64_t n, bool *seen,
                                int32_t *tour) {
  const edgefw__tsplib_keyword keyword = EDGEFW__TSPLIB_TOUR_SECTION;
  edgefw__tsplib_span rest = document->spans[keyword];
  for (int64_t t = 0; t < n; ++t) {
    int64_t node = 0;
    const edgefw_status status = edgefw__tsplib_next_node(document, keyword, n, &rest, &node);
    if (status != EDGEFW_OK) return status;
    if (seen[node]) {
      return edgefw_fail(document->ctx, EDGEFW_FORMAT,
                         "'%s' line %" PRId64 ": the tour visits node %" PRId64 " twice",
                         document->path, rest.line, node + 1);
    }
    seen[node] = true;
    tour[t] = (int32_t)node;
  }
  return EDGEFW_OK;
}

static edgefw_status read_tour(const edgefw__tsplib_document *document, int64_t n, int32_t *tour) {
  const edgefw__tsplib_span *section = &document->spans[EDGEFW__TSPLIB_TOUR_SECTION];
  if (!section->begin) {
    return edgefw_fail(document->ctx, EDGEFW_FORMAT, "'%s' has no TOUR_SECTION", document->path);
  }
  int64_t found = 0;
  edgefw_status status = check_head(document, n);
  if (status == EDGEFW_OK) status = count_nodes(document, &found);
  if (status != EDGEFW_OK) return status;
  bool *seen = edgefw_allocate(document->ctx, (size_t)n, sizeof *seen, "the nodes of a tour");
  if (!seen) return edgefw_failure(document->ctx);
  status =
      found == n ? read_nodes(document, n, seen, tour) : refuse_count(document, n, found, seen);
  edgefw_release(document->ctx, seen);
  return status;
}

/* The number behind "cost" or "length" (and a '=' or ':') in `text`; false if there is none. */
static bool named_cost(const char *text, double *out) {
  static const char *const names[] = {"cost", "length"};
  for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
    const size_t length = strlen(names[k]);
    for (const char *at = text; *at; ++at) {
      if (strncasecmp(at, names[k], length) != 0) continue;
      if (at > text && isalnum((unsigned char)at[-1])) continue;
      char number[32] = "";
      const char *begin = at + length + strspn(at + length, " \t=:");
      if (begin == at + length) continue; /* a longer word */
      const size_t digits = strspn(begin, "+-.0123456789eE");
      if (digits == 0 || digits >= sizeof number || !strchr(" \t,;)", begin[digits])) continue;
      memcpy(number, begin, digits);
      if (edgefw__parse_number(number, out)) return true;
    }
  }
  return false;
}

/* The cost that COMMENT states: "cost 39" (ours), "Length = 39" (LKH), or a number in parentheses
 * at its end (TSPLIB's own tours). */
static bool stated_cost(const edgefw__tsplib_document *document, double *out) {
  const edgefw__tsplib_span *comment = &document->spans[EDGEFW__TSPLIB_COMMENT];
  char text[256] = "";
  if (!comment->begin) return false;
  size_t length = strcspn(comment->begin, "\r\n");
  if (length >= sizeof text) return false;
  memcpy(text, comment->begin, length);
  if (named_cost(text, out)) return true;
  while (length > 0 && isspace((unsigned char)text[length - 1])) --length;
  char *open = strrchr(text, '(');
  if (!open || text[length - 1] != ')') return false;
  text[length - 1] = '\0';
  return edgefw__parse_number(open + 1, out);
}

edgefw_status edgefw__tour_read_stated(edgefw_context *ctx, const char *path, int64_t n,
                                       int32_t *tour, double *cost, bool *stated) {
  char *text = NULL;
  size_t length = 0;
  *stated = false;
  edgefw_status status = edgefw__library_text_read(ctx, path, &text, &length);
  if (status != EDGEFW_OK) return status;
  edgefw__tsplib_document document;
  status = edgefw__tsplib_scan(ctx, path, text, &document);
  if (status == EDGEFW_OK) status = read_tour(&document, n, tour);
  *stated = status == EDGEFW_OK && stated_cost(&document, cost);
  edgefw_release(ctx, text);
  return status;
}

edgefw_status edgefw__tour_read(edgefw_context *ctx, const char *path, int64_t n, int32_t *tour) {
  double cost = 0.0;
  bool stated = false;
  return edgefw__tour_read_stated(ctx, path, n, tour, &cost, &stated);
}
