/* A small, strict reader of HTML for tests: what passes here is well-formed for any browser, and
 * loads and runs nothing but what it holds itself. */
#ifndef EDGEFW_TESTS_SUPPORT_HTML_CHECK_H
#define EDGEFW_TESTS_SUPPORT_HTML_CHECK_H

#include <stdbool.h>

/* Does the page, or the part of one, pass? Elements are closed in order, attributes quoted and
 * given once, names (id) unique, every '&' begins an entity, links lead to the page's own parts,
 * and there are no events and no foreign scripts. Prints what is wrong and where. */
bool html_is_fine(const char *html);

#endif
