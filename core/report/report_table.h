/* The table at the end of a run: measured rows, library instances, and apart from them the rows
 * that a publication reports. */
#ifndef EDGEFW__REPORT_TABLE_H
#define EDGEFW__REPORT_TABLE_H

#include "base/text.h"
#include "config/ini.h"
#include "report/buckets.h"

typedef struct edgefw__report {
  const char *experiment;
  const char *problem;         /* name of the problem; sets are called PROBLEM-SIZE */
  const char *const *variants; /* rows, in order */
  int variant_count;
  const char *const *families; /* of each variant: what its tours come from before any search, by
                                  which variants belong together; NULL: each is its own */
  const edgefw__instance_set *sets; /* columns, in order */
  int set_count;
  const edgefw__results *results;
  edgefw__buckets buckets; /* of the same variants and sets */
  const char *folder;      /* of the run */
  edgefw__ini *config;     /* what its config.ini says; NULL: not known */
  const char *reported;    /* CSV (method,set,size,obj,gap_percent,time_minutes,note); NULL or "" */
} edgefw__report;

typedef enum edgefw__report_style {
  EDGEFW__REPORT_PLAIN = 0, /* for a terminal of 100 columns */
  EDGEFW__REPORT_MARKDOWN = 1,
  EDGEFW__REPORT_HTML = 2 /* a part of a page; its headings are of the third level */
} edgefw__report_style;

/* Append the table to `text`; `arena` takes what is needed meanwhile. What was not evaluated shows
 * as "-". IO or FORMAT for the CSV of reported rows. */
EDGEFW_NODISCARD edgefw_status edgefw__report_write(edgefw_context *ctx, edgefw_arena *arena,
                                                    const edgefw__report *report,
                                                    edgefw__report_style style, edgefw__text *text);

#endif
