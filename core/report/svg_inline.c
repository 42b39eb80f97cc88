/* Reading SVG element by element, and writing what is known to be harmless. */
#include "report/svg_inline.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "report/html.h"

#define BLANKS " \t\r\n"

enum { MOST_DEPTH = 100 };

/* A piece of the file. */
typedef struct piece {
  const char *at;
  size_t length;
} piece;

typedef struct drawing {
  edgefw__text *html;
  const char *at;
  const char *prefix, *label;
  piece open[MOST_DEPTH]; /* elements that are open */
  int depth;
  int dropped; /* depth of the element that is being left out; 0: none */
  bool ended;  /* the outermost element */
} drawing;

static bool is(piece p, const char *text) {
  return strlen(text) == p.length && strncmp(p.at, text, p.length) == 0;
}

static bool begins(piece p, const char *text) {
  return p.length >= strlen(text) && strncasecmp(p.at, text, strlen(text)) == 0;
}

/* Where `text` is in it, whatever the case; NULL if nowhere. */
static const char *find(piece p, const char *text) {
  const size_t length = strlen(text);
  for (size_t i = 0; i + length <= p.length; ++i)
    if (strncasecmp(p.at + i, text, length) == 0) return p.at + i;
  return NULL;
}

static bool is_drawn(piece name) {
  static const char *const names[] = {
      "svg",         "g",        "defs",           "symbol",         "use",
      "path",        "rect",     "circle",         "ellipse",        "line",
      "polyline",    "polygon",  "text",           "tspan",          "title",
      "desc",        "clipPath", "linearGradient", "radialGradient", "stop",
      "pattern",     "mask",     "marker",         "filter",         "feFlood",
      "feComposite", "feBlend"};
  for (size_t n = 0; n < sizeof names / sizeof *names; ++n)
    if (is(name, names[n])) return true;
  return false;
}

/* Attributes that draw nothing, or may do something. */
static bool is_idle(piece name) {
  return begins(name, "on") || begins(name, "xml") || begins(name, "data") || is(name, "style") ||
         is(name, "class") || is(name, "src") || is(name, "tabindex") || is(name, "role") ||
         begins(name, "aria");
}

/* --- Attributes --- */

static void add_attribute(const drawing *d, piece name, const char *before, piece value) {
  edgefw__text_add(d->html, " %.*s=\"%s", (int)name.length, name.at, before);
  edgefw__html_add_bytes(d->html, value.at, value.length, true);
  edgefw__text_add(d->html, "\"");
}

/* url(#NAME): the name gets the prefix. Other values of that kind lead out of the drawing. */
static void add_reference(const drawing *d, piece name, piece value) {
  static const char head[] = "url(#";
  const size_t length = sizeof head - 1;
  if (!begins(value, head) || find((piece){value.at + length, value.length - length}, "url("))
    return;
  edgefw__text_add(d->html, " %.*s=\"%s%s", (int)name.length, name.at, head, d->prefix);
  edgefw__html_add_bytes(d->html, value.at + length, value.length - length, true);
  edgefw__text_add(d->html, "\"");
}

/* No drawing needs these: other ways to write an address, or a scheme. */
static bool is_suspicious(piece value) {
  static const char *const parts[] = {"\\", "&#", "//", "script:", "data:", "image", "@"};
  for (size_t p = 0; p < sizeof parts / sizeof *parts; ++p)
    if (find(value, parts[p])) return true;
  return false;
}

static void keep_attribute(const drawing *d, piece name, piece value) {
  const bool outermost = d->depth == 1;
  if (is_idle(name)) return;
  if (outermost && (is(name, "width") || is(name, "height"))) return; /* the page's to say */
  if (is(name, "href") || is(name, "xlink:href")) {
    if (value.length > 1 && *value.at == '#') {
      edgefw__text_add(d->html, " href=\"#%s", d->prefix);
      edgefw__html_add_bytes(d->html, value.at + 1, value.length - 1, true);
      edgefw__text_add(d->html, "\"");
    }
  } else if (memchr(name.at, ':', name.length) || is_suspicious(value)) {
    return;
  } else if (find(value, "url(")) {
    add_reference(d, name, value);
  } else {
    add_attribute(d, name, is(name, "id") ? d->prefix : "", value);
  }
}

static bool is_name_character(char c) {
  return isalnum((unsigned char)c) || c == '-' || c == '_' || c == ':' || c == '.';
}

static piece read_name(drawing *d) {
  piece name = {d->at, 0};
  while (is_name_character(*d->at)) ++d->at;
  name.length = (size_t)(d->at - name.at);
  return name;
}

/* NAME = "VALUE"; it is written if `keep`. `seen` holds those before it: none may come twice. */
static bool read_attribute(drawing *d, bool keep, piece *seen, int *count) {
  enum { MOST = 64 };
  const piece name = read_name(d);
  d->at += strspn(d->at, BLANKS);
  if (name.length == 0 || *d->at != '=' || *count == MOST) return false;
  ++d->at;
  d->at += strspn(d->at, BLANKS);
  const char quote = *d->at;
  if (quote != '"' && quote != '\'') return false;
  const char *end = strchr(d->at + 1, quote);
  const piece value = {d->at + 1, end ? (size_t)(end - d->at - 1) : 0};
  if (!end || memchr(value.at, '<', value.length)) return false;
  for (int i = 0; i < *count; ++i)
    if (seen[i].length == name.length && strncmp(seen[i].at, name.at, name.length) == 0)
      return false;
  seen[(*count)++] = name;
  d->at = end + 1;
  if (keep) keep_attribute(d, name, value);
  return true;
}

/* --- Elements --- */

static void close_element(drawing *d, piece name) {
  if (!d->dropped) edgefw__text_add(d->html, "</%.*s>", (int)name.length, name.at);
  if (d->dropped == d->depth) d->dropped = 0;
  if (--d->depth == 0) d->ended = true;
}

/* Behind "<". */
static bool read_begin(drawing *d) {
  piece seen[64];
  int count = 0;
  const piece name = read_name(d);
  if (name.length == 0 || d->depth == MOST_DEPTH || d->ended) return false;
  if (d->depth == 0 && !is(name, "svg")) return false;
  d->open[d->depth++] = name;
  const bool own_title = d->depth == 2 && (is(name, "title") || is(name, "desc"));
  if (!d->dropped && (!is_drawn(name) || own_title)) d->dropped = d->depth;
  if (!d->dropped) edgefw__text_add(d->html, "<%.*s", (int)name.length, name.at);
  if (d->depth == 1) {
    edgefw__text_add(d->html, " role=\"img\" aria-label=\"");
    edgefw__html_add(d->html, d->label);
    edgefw__text_add(d->html, "\"");
  }
  for (d->at += strspn(d->at, BLANKS); *d->at != '>' && *d->at != '/';
       d->at += strspn(d->at, BLANKS))
    if (!read_attribute(d, !d->dropped, seen, &count)) return false;
  const bool empty = *d->at == '/';
  d->at += empty;
  if (*d->at++ != '>') return false;
  if (!d->dropped) edgefw__text_add(d->html, ">");
  if (empty) close_element(d, name);
  return true;
}

/* Behind "</". */
static bool read_end(drawing *d) {
  const piece name = read_name(d);
  d->at += strspn(d->at, BLANKS);
  if (d->depth == 0 || *d->at++ != '>') return false;
  const piece open = d->open[d->depth - 1];
  if (open.length != name.length || strncmp(open.at, name.at, name.length) != 0) return false;
  close_element(d, name);
  return true;
}

/* What begins with "<!" or "<?" and is no element: passed over. */
static bool read_other(drawing *d) {
  static const char *const marks[][2] = {{"<!--", "-->"}, {"<?", "?>"}, {"<!DOCTYPE", ">"}};
  for (size_t m = 0; m < sizeof marks / sizeof *marks; ++m) {
    const size_t length = strlen(marks[m][0]);
    if (strncmp(d->at, marks[m][0], length) != 0) continue;
    const char *end = strstr(d->at + length, marks[m][1]);
    /* A DOCTYPE with rules of its own could give names to texts. */
    if (!end || (m == 2 && memchr(d->at, '[', (size_t)(end - d->at)))) return false;
    d->at = end + strlen(marks[m][1]);
    return true;
  }
  return false; /* CDATA, which gnuplot does not write, included */
}

static bool read_text(drawing *d) {
  const size_t length = strcspn(d->at, "<");
  if (d->depth == 0 && strspn(d->at, BLANKS) < length) return false;
  if (d->depth > 0 && !d->dropped) edgefw__html_add_bytes(d->html, d->at, length, true);
  d->at += length;
  return true;
}

bool edgefw__svg_inline(edgefw__text *html, const char *svg, const char *prefix,
                        const char *label) {
  drawing d = {.html = html, .at = svg, .prefix = prefix, .label = label};
  const size_t before = html->length;
  bool good = true;
  while (good && *d.at) {
    if (*d.at != '<')
      good = read_text(&d);
    else if (d.at[1] == '!' || d.at[1] == '?')
      good = read_other(&d);
    else if (d.at[1] == '/')
      good = (d.at += 2, read_end(&d));
    else
      good = (d.at += 1, read_begin(&d));
  }
  if (good && d.ended) return true;
  if (html->data && html->length > before) {
    html->length = before;
    html->data[before] = '\0';
  }
  return false;
}
