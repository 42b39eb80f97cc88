/* HTML as text. */
#include "report/html.h"

#include <math.h>
#include <string.h>

#include "base/utf8.h"

/* U+FFFD stands for what is no text. */
#define REPLACEMENT "\xEF\xBF\xBD"

/* In place of a number that is not there. */
#define DASH "\xE2\x80\x93"

/* Bytes of the entity at the head of `text`, of at most `count`: one that XML and HTML share, or a
 * number; 0 if there is none. */
static size_t entity_length(const char *text, size_t count) {
  static const char *const names[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
  for (size_t n = 0; n < sizeof names / sizeof *names; ++n) {
    const size_t length = strlen(names[n]);
    if (count >= length && strncmp(text, names[n], length) == 0) return length;
  }
  if (count < 4 || strncmp(text, "&#", 2) != 0) return 0;
  size_t digits = 0;
  while (2 + digits < count && digits < 6 && text[2 + digits] >= '0' && text[2 + digits] <= '9')
    ++digits;
  if (digits < 2 || 2 + digits >= count || text[2 + digits] != ';') return 0;
  return text[2] == '0' || (digits == 2 && text[2] < '3') ? 0 : digits + 3; /* no control */
}

/* The text that stands for an ASCII character; NULL: itself. */
static const char *escape_of(char c) {
  switch (c) {
  case '&': return "&amp;";
  case '<': return "&lt;";
  case '>': return "&gt;";
  case '"': return "&quot;";
  case '\'': return "&#39;";
  default: return NULL;
  }
}

void edgefw__html_add_bytes(edgefw__text *html, const char *value, size_t count, bool entities) {
  for (const char *end = value + count; value < end;) {
    size_t length = edgefw__utf8_length(value);
    if (length > (size_t)(end - value)) length = 0; /* cut off */
    const char *escaped = escape_of(*value);
    const size_t entity = entities ? entity_length(value, (size_t)(end - value)) : 0;
    if (entity > 0) {
      escaped = NULL;
      length = entity;
    } else if (length == 0 || (edgefw__utf8_is_control(value, length) && !strchr("\t\n", *value))) {
      escaped = REPLACEMENT;
    }
    if (length == 0) length = 1;
    if (escaped)
      edgefw__text_add_bytes(html, escaped, strlen(escaped));
    else
      edgefw__text_add_bytes(html, value, length);
    value += length;
  }
}

void edgefw__html_add(edgefw__text *html, const char *value) {
  if (value) edgefw__html_add_bytes(html, value, strlen(value), false);
}

void edgefw__html_element(edgefw__text *html, const char *tag, const char *value) {
  edgefw__text_add(html, "<%s>", tag);
  edgefw__html_add(html, value);
  edgefw__text_add(html, "</%.*s>", (int)strcspn(tag, " "), tag);
}

void edgefw__html_number(edgefw__text *html, const char *tag, double value, int digits) {
  edgefw__text_add(html, "<%s>", tag);
  if (isfinite(value))
    edgefw__text_add(html, "%.*g", digits, value);
  else
    edgefw__text_add(html, DASH);
  edgefw__text_add(html, "</%.*s>", (int)strcspn(tag, " "), tag);
}

void edgefw__html_percent(edgefw__text *html, const char *tag, double value) {
  if (isfinite(value)) /* no "-0.00" */
    edgefw__text_add(html, "<%s>%.2f</%.*s>", tag, fabs(value) < 0.005 ? 0.0 : value,
                     (int)strcspn(tag, " "), tag);
  else
    edgefw__html_number(html, tag, value, 1);
}

void edgefw__html_table_begin(edgefw__text *html, const char *caption, edgefw__html_cells cells,
                              const char *const *columns, int count) {
  edgefw__text_add(html, "<div class=\"box\" role=\"group\" tabindex=\"0\" aria-label=\"");
  edgefw__html_add(html, caption ? caption : columns[0]);
  edgefw__text_add(html, "\"><table class=\"sort%s\">\n",
                   cells == EDGEFW__HTML_WORDS ? " words" : "");
  if (caption) edgefw__html_element(html, "caption", caption);
  edgefw__text_add(html, "<thead><tr>");
  for (int c = 0; c < count; ++c) {
    edgefw__text_add(html, "<th scope=\"col\" data-c=\"%d\">", c);
    edgefw__html_add(html, columns[c]);
    edgefw__text_add(html, "</th>");
  }
  edgefw__text_add(html, "</tr></thead>\n<tbody>\n");
}

void edgefw__html_table_end(edgefw__text *html) {
  edgefw__text_add(html, "</tbody></table></div>\n");
}
