/* Reading HTML strictly. */
#include "support/html_check.h"
#include "support/test.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { MOST_DEPTH = 128, MOST_IDS = 4096, MOST_ATTRIBUTES = 64 };

typedef struct piece {
  const char *at;
  size_t length;
} piece;

typedef struct checker {
  const char *begin, *at;
  piece open[MOST_DEPTH], ids[MOST_IDS];
  int depth, id_count;
} checker;

static bool same(piece a, piece b) {
  return a.length == b.length && strncmp(a.at, b.at, a.length) == 0;
}

static bool is(piece a, const char *text) {
  return same(a, (piece){text, strlen(text)});
}

static bool refuse(const checker *c, const char *why) {
  print_error("HTML, byte %zu: %s: %.80s\n", (size_t)(c->at - c->begin), why, c->at);
  return false;
}

/* Every '&' of a text begins an entity, and no control character but blanks is in it. */
static bool text_is_fine(const checker *c, piece text) {
  for (size_t i = 0; i < text.length; ++i) {
    const unsigned char byte = (unsigned char)text.at[i];
    if (byte < 0x20 && byte != '\n' && byte != '\t') return refuse(c, "a control character");
    if (byte != '&') continue;
    size_t end = i + 1;
    while (end < text.length && (isalnum((unsigned char)text.at[end]) || text.at[end] == '#'))
      ++end;
    if (end == i + 1 || end >= text.length || text.at[end] != ';')
      return refuse(c, "a bare ampersand");
  }
  return true;
}

static bool value_is_fine(checker *c, piece name, piece value) {
  if (!text_is_fine(c, value)) return false;
  if (is(name, "id")) {
    for (int i = 0; i < c->id_count; ++i)
      if (same(c->ids[i], value)) return refuse(c, "a name that is taken");
    if (c->id_count == MOST_IDS) return refuse(c, "too many names");
    c->ids[c->id_count++] = value;
  }
  if (strncasecmp(name.at, "on", 2) == 0 || is(name, "src") || is(name, "style"))
    return refuse(c, "an attribute that may do something");
  if (is(name, "href") && (value.length < 2 || *value.at != '#'))
    return refuse(c, "a link that leads elsewhere");
  for (size_t i = 0; i + 4 < value.length; ++i)
    if ((strncasecmp(value.at + i, "url(", 4) == 0 && value.at[i + 4] != '#') ||
        strncasecmp(value.at + i, "http:", 5) == 0)
      return refuse(c, "an address");
  return true;
}

static bool attributes_are_fine(checker *c) {
  piece seen[MOST_ATTRIBUTES];
  int count = 0;
  while (*c->at != '>' && *c->at != '/') {
    if (*c->at != ' ' && *c->at != '\n') return refuse(c, "no blank before an attribute");
    c->at += strspn(c->at, " \n");
    piece name = {c->at, strcspn(c->at, "=<>\"' \n")};
    if (name.length == 0 || strncmp(c->at + name.length, "=\"", 2) != 0)
      return refuse(c, "an attribute without a quoted value");
    const char *value = c->at + name.length + 2, *end = strchr(value, '"');
    if (!end || count == MOST_ATTRIBUTES) return refuse(c, "an open quote");
    for (int i = 0; i < count; ++i)
      if (same(seen[i], name)) return refuse(c, "an attribute twice");
    seen[count++] = name;
    if (!value_is_fine(c, name, (piece){value, (size_t)(end - value)})) return false;
    c->at = end + 1;
  }
  return true;
}

/* The content of <script> and <style> is no HTML. */
static bool skip_raw(checker *c, piece name) {
  char end[32];
  snprintf(end, sizeof end, "</%.*s>", (int)name.length, name.at);
  const char *found = strstr(c->at, end);
  if (!found) return refuse(c, "an open script or style");
  c->at = found;
  return true;
}

static bool begin_is_fine(checker *c) {
  const piece name = {c->at, strcspn(c->at, " \n/>")};
  c->at += name.length;
  if (name.length == 0 || !attributes_are_fine(c)) return refuse(c, "a bad tag");
  if (*c->at == '/' || is(name, "meta") || is(name, "br")) {
    c->at += strspn(c->at, "/");
    return *c->at++ == '>' || refuse(c, "a bad end of a tag");
  }
  ++c->at;
  if (c->depth == MOST_DEPTH) return refuse(c, "too deep");
  c->open[c->depth++] = name;
  return is(name, "script") || is(name, "style") ? skip_raw(c, name) : true;
}

static bool end_is_fine(checker *c) {
  const piece name = {c->at, strcspn(c->at, ">")};
  if (c->depth == 0 || !same(c->open[c->depth - 1], name)) return refuse(c, "a stray end tag");
  --c->depth;
  c->at += name.length;
  return *c->at++ == '>';
}

bool html_is_fine(const char *html) {
  static checker c; /* large */
  c = (checker){.begin = html, .at = html};
  static const char type[] = "<!DOCTYPE html>";
  if (strncmp(c.at, type, sizeof type - 1) == 0) c.at += sizeof type - 1;
  while (*c.at) {
    bool good = true;
    if (*c.at != '<') {
      const piece text = {c.at, strcspn(c.at, "<")};
      good = text_is_fine(&c, text);
      c.at += text.length;
    } else if (c.at[1] == '/') {
      c.at += 2;
      good = end_is_fine(&c);
    } else {
      ++c.at;
      good = begin_is_fine(&c);
    }
    if (!good) return false;
  }
  return c.depth == 0 || refuse(&c, "open elements at the end");
}
