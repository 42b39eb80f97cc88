/* One part of a run's page by itself, for its test. */
#ifndef EDGEFW_TESTS_SUPPORT_PAGE_CASE_H
#define EDGEFW_TESTS_SUPPORT_PAGE_CASE_H

#include "report/page_parts.h"
#include "support/run_sample.h"

/* What `part` appends for the run directory NAME of the sandbox, which is checked to be well
 * formed. In the arena. A failure of the part ends the test. */
const char *page_case(const workspace *w, const char *name,
                      edgefw_status (*part)(edgefw__page *page));

/* All of the texts (ended by NULL) are in the page; prints the first that is not. */
void page_case_has(const char *html, const char *const *texts);
#define page_has(html, ...) page_case_has((html), (const char *const[]){__VA_ARGS__, NULL})

/* How often `text` is in the page. */
int page_count(const char *html, const char *text);

#endif
