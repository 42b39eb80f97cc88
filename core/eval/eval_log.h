/* What a rank has found of a set that several evaluate together: batch by batch, until rank 0 has
 * all of it, in the order of the instances. */
#ifndef EDGEFW__EVAL_LOG_H
#define EDGEFW__EVAL_LOG_H

#include "base/text.h"
#include "eval/evaluate.h"

/* A batch's figures. */
typedef struct edgefw__eval_entry {
  int64_t first, count; /* its instances */
  int64_t starts;       /* as edgefw__eval_result.starts */
} edgefw__eval_entry;

/* What is kept of an instance; its tour follows. */
typedef struct edgefw__eval_found {
  int64_t maker;              /* whose tour it was, by number: edgefw__incumbents.makers */
  edgefw__eval_answer answer; /* without its pointers */
} edgefw__eval_found;

typedef struct edgefw__eval_log {
  edgefw__text bytes; /* entries, each followed by its instances */
} edgefw__eval_log;

/* Begin a batch, then add its instances in order. What fails is recorded in the context. */
void edgefw__eval_log_batch(edgefw__eval_log *log, const edgefw__eval_entry *entry);
void edgefw__eval_log_add(edgefw__eval_log *log, const edgefw__eval_found *found);

/* All ranks at once: rank 0 gets the logs of all in place of its own. OUT_OF_MEMORY, IO. */
EDGEFW_NODISCARD edgefw_status edgefw__eval_log_collect(edgefw__eval_log *log,
                                                        edgefw__group *group);

/* Takes what a log has, in the order of the instances. */
typedef struct edgefw__eval_reader {
  void (*batch)(void *user, const edgefw__eval_entry *entry);
  edgefw_status (*instance)(void *user, edgefw__eval_found *found); /* its tour is in the answer */
  void *user;
} edgefw__eval_reader;

/* Read the log of a set of `count` instances. INTERNAL if a batch of them is missing,
 * OUT_OF_MEMORY, what the reader fails with. */
EDGEFW_NODISCARD edgefw_status edgefw__eval_log_read(const edgefw__eval_log *log, int64_t count,
                                                     const edgefw__eval_reader *reader);

void edgefw__eval_log_release(edgefw__eval_log *log);

#endif
