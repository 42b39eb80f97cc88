/* One page for a run: report.html, a file that needs no other one and no network. It is made of the
 * run directory alone, so that it is the same whoever writes it and when. */
#ifndef EDGEFW__PAGE_H
#define EDGEFW__PAGE_H

#include "report/run_record.h"

/* The page's name in a run directory. */
#define EDGEFW__PAGE_FILE "report.html"

/* Append the page of a run to `html`: results, figures (plots/ *.svg), training, instances,
 * diagnostics, machine, configuration. What is not there is left out, or said to be missing.
 * IO, FORMAT if a file of the run cannot be read or is damaged. */
EDGEFW_NODISCARD edgefw_status edgefw__page_make(edgefw_context *ctx, edgefw_arena *arena,
                                                 const edgefw__run_record *record,
                                                 edgefw__text *html);

/* Write FOLDER/report.html, whole or not at all, unless it is that page already; *changed becomes
 * true if it was written. Nothing else is touched. CONFIG if the folder is no run directory. */
EDGEFW_NODISCARD edgefw_status edgefw__page_write(edgefw_context *ctx, const char *folder,
                                                  bool *changed);

#endif
