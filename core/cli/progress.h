/* The live line at the bottom of a terminal, and how log lines get past it. Where stderr is no
 * terminal there is no live line: the log's lines (one per epoch, one per set) are all there is. */
#ifndef EDGEFW__CLI_PROGRESS_H
#define EDGEFW__CLI_PROGRESS_H

#include "eval/evaluate.h"
#include "experiment/run.h"

typedef struct edgefw__live {
  bool terminal;
  edgefw_log_level level; /* lines below it are not shown */
  bool shown;             /* a live line stands there */
  double last;            /* when it was drawn */
} edgefw__live;

/* Find out whether stderr is a terminal. */
edgefw__live edgefw__live_begin(edgefw_log_level level);

/* Remove the live line. */
void edgefw__live_clear(edgefw__live *live);

/* An edgefw_log_sink: print a line on stderr; `user` is an edgefw__live. */
void edgefw__live_log(void *user, edgefw_log_level level, const char *line);

/* An edgefw__run_observer: draw the live line, at most ten times a second. */
void edgefw__live_show(void *user, const edgefw__run_progress *progress);

/* An edgefw__eval_watch's function: draw the best cost and gap of an instance so far, as often. */
void edgefw__live_best(void *user, const edgefw__eval_best *best);

#endif
