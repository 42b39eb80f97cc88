/* Writing HTML: text from anywhere, in any bytes, comes out as text. */
#ifndef EDGEFW__HTML_H
#define EDGEFW__HTML_H

#include "base/text.h"

/* `value` as the content of an element or of a quoted attribute. Characters with a meaning are
 * escaped; U+FFFD stands for each byte that is no UTF-8 and for control characters other than tabs
 * and line ends. NULL adds nothing. */
void edgefw__html_add(edgefw__text *html, const char *value);

/* The same of `count` bytes, which hold no 0. With `entities` a '&' that begins one of XML's own
 * entities or a character's number stays as it is. */
void edgefw__html_add_bytes(edgefw__text *html, const char *value, size_t count, bool entities);

/* An element with text in it. `tag` is the name, with attributes where there are some
 * ("td class=\"n\""), and is written as it stands. */
void edgefw__html_element(edgefw__text *html, const char *tag, const char *value);

/* A number of at most `digits` significant digits in an element; a dash where it is not finite. */
void edgefw__html_number(edgefw__text *html, const char *tag, double value, int digits);

/* The same for a number of percent, with two digits behind the point. */
void edgefw__html_percent(edgefw__text *html, const char *tag, double value);

/* What the cells of a table hold: numbers stand at the right, words at the left. */
typedef enum edgefw__html_cells { EDGEFW__HTML_NUMBERS, EDGEFW__HTML_WORDS } edgefw__html_cells;

/* A table head of one row, whose columns can be sorted by, in a box of its own that scrolls; ended
 * by edgefw__html_table_end. `caption` may be NULL. The first column holds the rows' names. */
void edgefw__html_table_begin(edgefw__text *html, const char *caption, edgefw__html_cells cells,
                              const char *const *columns, int count);
void edgefw__html_table_end(edgefw__text *html);

#endif
