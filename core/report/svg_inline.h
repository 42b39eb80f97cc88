/* Drawings (SVG) as a part of a page. */
#ifndef EDGEFW__SVG_INLINE_H
#define EDGEFW__SVG_INLINE_H

#include "base/text.h"

/* Append the drawing `svg`, the content of a file, as an element of HTML that shows it and does
 * nothing else: elements that draw are kept, and everything is left out that could run, load or
 * follow something (scripts, styles, links, images, events, references out of the drawing). Names
 * of its parts get `prefix` before them, so that several drawings may share a page. `label` says
 * what it shows. False if it is no well-formed SVG: then nothing is appended. */
bool edgefw__svg_inline(edgefw__text *html, const char *svg, const char *prefix, const char *label);

#endif
