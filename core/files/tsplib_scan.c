/* The outer form of a TSPLIB file. */
#include "files/tsplib_scan.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/text_file.h"

static const char *const keyword_names[] = {
#define KEYWORD_NAME(name) #name,
    EDGEFW__TSPLIB_KEYWORDS(KEYWORD_NAME)
#undef KEYWORD_NAME
};

enum { NAME_SIZE = EDGEFW__TSPLIB_NAME_SIZE };

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static const char *skip_blanks(const char *p) {
  while (is_blank(*p)) ++p;
  return p;
}

/* Copy the name that begins at `p`; returns what follows it. Of a longer one the end is kept, which
 * says whether it is a section. */
static const char *take_name(const char *p, char name[NAME_SIZE]) {
  const char *end = p;
  while (isalnum((unsigned char)*end) || *end == '_' || *end == '-') ++end;
  size_t length = (size_t)(end - p);
  if (length >= NAME_SIZE) length = NAME_SIZE - 1;
  memcpy(name, end - length, length);
  name[length] = '\0';
  return end;
}

/* "nan", "inf" and "null" at the head of a line are entries, if of a matrix, not keywords. */
static bool is_keyword(const char *name) {
  return strcasecmp(name, "nan") != 0 && strcasecmp(name, "inf") != 0 &&
         strcasecmp(name, "infinity") != 0 && strcasecmp(name, "null") != 0;
}

static int keyword_of(const char *name) {
  for (int k = 0; k < EDGEFW__TSPLIB_KEYWORD_COUNT; ++k) {
    if (strcasecmp(name, keyword_names[k]) == 0) return k;
  }
  return -1;
}

const char *edgefw__tsplib_keyword_name(edgefw__tsplib_keyword keyword) {
  return keyword_names[keyword];
}

/* --- Scanning --- */

typedef struct scanner {
  edgefw__tsplib_document *document;
  edgefw__tsplib_span *open;   /* what the current lines belong to */
  edgefw__tsplib_span ignored; /* of a further comment, or an unknown keyword's second one */
} scanner;

/* Where the value of an unknown keyword goes. */
static edgefw_status open_unknown(scanner *scan, const char *name, int64_t line) {
  edgefw__tsplib_document *document = scan->document;
  int k = 0;
  while (k < document->unknown_count && strcasecmp(document->unknown[k].name, name) != 0) ++k;
  if (k == EDGEFW__TSPLIB_MAX_UNKNOWN)
    return edgefw_fail(document->ctx, EDGEFW_FORMAT,
                       "'%s' line %" PRId64
                       ": '%s' is unknown too, after %d other keywords that are; expected a TSPLIB "
                       "or VRPLIB file",
                       document->path, line, name, k);
  edgefw__tsplib_unknown *unknown = &document->unknown[k];
  if (k == document->unknown_count) {
    memcpy(unknown->name, name, NAME_SIZE);
    ++document->unknown_count;
  } else if (!edgefw__tsplib_is_empty(unknown->span)) {
    return EDGEFW_OK;
  }
  scan->open = &unknown->span;
  return EDGEFW_OK;
}

static edgefw_status begin_keyword(scanner *scan, const char *name, const char *value,
                                   int64_t line) {
  edgefw__tsplib_document *document = scan->document;
  const int keyword = keyword_of(name);
  scan->open = &scan->ignored;
  if (keyword < 0) {
    const edgefw_status status = open_unknown(scan, name, line);
    if (status != EDGEFW_OK) return status;
  } else if (!document->spans[keyword].begin) {
    scan->open = &document->spans[keyword];
  } else if (keyword != EDGEFW__TSPLIB_COMMENT) {
    return edgefw_fail(document->ctx, EDGEFW_FORMAT,
                       "'%s' line %" PRId64 ": %s comes again, it is already in line %" PRId64,
                       document->path, line, keyword_names[keyword], document->spans[keyword].line);
  }
  value = skip_blanks(value);
  if (*value == ':') ++value;
  *scan->open = (edgefw__tsplib_span){.begin = value, .end = value, .line = line};
  return EDGEFW_OK;
}

/* Look at one line; *more turns false at EOF. */
static edgefw_status scan_line(scanner *scan, const char *line_text, int64_t line, bool *more) {
  const char *head = skip_blanks(line_text);
  char name[NAME_SIZE] = "";
  if (*head == '\n' || *head == '\0' || *head == '#') return EDGEFW_OK;
  if (isalpha((unsigned char)*head)) {
    const char *value = take_name(head, name);
    if (strcasecmp(name, "EOF") == 0) {
      *more = false;
      return EDGEFW_OK;
    }
    if (is_keyword(name)) return begin_keyword(scan, name, value, line);
  }
  if (scan->open) return EDGEFW_OK; /* data of the keyword before */
  char found[NAME_SIZE];
  size_t length = strcspn(head, " \t\r\n");
  if (length >= sizeof found) length = sizeof found - 1;
  memcpy(found, head, length);
  found[length] = '\0';
  return edgefw_fail(scan->document->ctx, EDGEFW_FORMAT,
                     "'%s' line %" PRId64
                     ": found '%s', expected a keyword such as NAME or DIMENSION",
                     scan->document->path, line, found);
}

/* One warning for all of them. */
static void warn_of_unknown(const edgefw__tsplib_document *document) {
  /* A name, 15 other characters, and a line of up to 20 digits. */
  char list[EDGEFW__TSPLIB_MAX_UNKNOWN * (NAME_SIZE + 40)] = "";
  size_t used = 0;
  for (int k = 0; k < document->unknown_count && used < sizeof list; ++k)
    used +=
        (size_t)snprintf(list + used, sizeof list - used, "%s'%s' in line %" PRId64, k ? ", " : "",
                         document->unknown[k].name, document->unknown[k].span.line);
  if (document->unknown_count > 0)
    edgefw_log(document->ctx, EDGEFW_LOG_WARNING, "'%s': unknown keyword%s: %s", document->path,
               document->unknown_count > 1 ? "s" : "", list);
}

edgefw_status edgefw__tsplib_scan(edgefw_context *ctx, const char *path, const char *text,
                                  edgefw__tsplib_document *out) {
  *out = (edgefw__tsplib_document){.ctx = ctx, .path = path};
  scanner scan = {.document = out};
  int64_t line = 0;
  bool more = true;
  for (const char *p = text; *p;) {
    const char *end = p + strcspn(p, "\n");
    const edgefw_status status = scan_line(&scan, p, ++line, &more);
    if (status != EDGEFW_OK) return status;
    if (!more) break;
    if (scan.open) {
      scan.open->end = end;
      scan.open->end_line = line;
    }
    p = *end ? end + 1 : end;
  }
  warn_of_unknown(out);
  return EDGEFW_OK;
}

/* --- Words --- */

bool edgefw__tsplib_next_word(edgefw__tsplib_span *rest, edgefw__tsplib_word *out) {
  const char *p = rest->begin;
  while (p && p < rest->end && (is_blank(*p) || *p == '\n')) {
    if (*p++ != '\n') continue;
    ++rest->line;
    const char *head = skip_blanks(p);
    if (head < rest->end && *head == '#') p = head + strcspn(head, "\n");
  }
  rest->begin = p;
  if (!p || p >= rest->end) return false;
  while (p < rest->end && !is_blank(*p) && *p != '\n') ++p;
  const size_t length = (size_t)(p - rest->begin);
  const size_t kept = length < sizeof out->text ? length : 0;
  memcpy(out->text, rest->begin, kept);
  out->text[kept] = '\0';
  out->line = rest->line;
  rest->begin = p;
  return true;
}

edgefw_status edgefw__tsplib_next_number(const edgefw__tsplib_document *document,
                                         edgefw__tsplib_keyword keyword, edgefw__tsplib_span *rest,
                                         double *out) {
  edgefw__tsplib_word word = {.text = "", .line = rest->line};
  (void)edgefw__tsplib_next_word(rest, &word);
  if (edgefw__parse_number(word.text, out)) return EDGEFW_OK;
  return edgefw_fail(document->ctx, EDGEFW_FORMAT,
                     "'%s' line %" PRId64 ": found '%s' in %s, expected a finite number",
                     document->path, word.line, word.text, keyword_names[keyword]);
}

edgefw_status edgefw__tsplib_no_more(const edgefw__tsplib_document *document,
                                     edgefw__tsplib_keyword keyword, edgefw__tsplib_span rest) {
  edgefw__tsplib_word word;
  if (!edgefw__tsplib_next_word(&rest, &word)) return EDGEFW_OK;
  return edgefw_fail(document->ctx, EDGEFW_FORMAT,
                     "'%s' line %" PRId64 ": found '%s' behind the number of %s, expected one "
                     "number without blanks in it",
                     document->path, word.line, word.text, keyword_names[keyword]);
}

edgefw_status edgefw__tsplib_one_number(const edgefw__tsplib_document *document,
                                        edgefw__tsplib_keyword keyword, double *out) {
  edgefw__tsplib_span rest = document->spans[keyword];
  const edgefw_status status = edgefw__tsplib_next_number(document, keyword, &rest, out);
  return status == EDGEFW_OK ? edgefw__tsplib_no_more(document, keyword, rest) : status;
}

edgefw_status edgefw__tsplib_next_node(const edgefw__tsplib_document *document,
                                       edgefw__tsplib_keyword keyword, int64_t n,
                                       edgefw__tsplib_span *rest, int64_t *out) {
  edgefw__tsplib_word word = {.text = "", .line = rest->line};
  (void)edgefw__tsplib_next_word(rest, &word);
  int64_t node = 0;
  if (edgefw__parse_integer(word.text, &node) && node >= 1 && node <= n) {
    *out = node - 1;
    return EDGEFW_OK;
  }
  return edgefw_fail(document->ctx, EDGEFW_FORMAT,
                     "'%s' line %" PRId64 ": found '%s' in %s, expected a node from 1 to %" PRId64,
                     document->path, word.line, word.text, keyword_names[keyword], n);
}

bool edgefw__tsplib_is_empty(edgefw__tsplib_span span) {
  edgefw__tsplib_word word;
  while (edgefw__tsplib_next_word(&span, &word)) {
    double value = 1.0;
    if (strcmp(word.text, "-1") == 0) continue;
    if (!edgefw__parse_number(word.text, &value) || value != 0.0) return false;
  }
  return true;
}

int64_t edgefw__tsplib_count_words(edgefw__tsplib_span span) {
  edgefw__tsplib_word word;
  int64_t count = 0;
  while (edgefw__tsplib_next_word(&span, &word)) ++count;
  return count;
}
