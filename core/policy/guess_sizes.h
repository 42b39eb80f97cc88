/* Sizes of a model from the names and shapes of its tensors. No size is known by name here: each
 * whole number among the keys of [backbone] and [decoder] is changed in a trial composition, and
 * what changes with it among the parameters tells what it is in the file. */
#ifndef EDGEFW__GUESS_SIZES_H
#define EDGEFW__GUESS_SIZES_H

#include "files/weights.h"
#include "policy/model.h"

/* What the trials are made of. */
typedef struct edgefw__guess_frame {
  edgefw_context *ctx;
  edgefw_arena *arena; /* for texts of the results */
  const edgefw__registry *registry;
  const edgefw__engine *engine;
  const edgefw__weights *weights;
  const char *const *sets; /* the user's, "section.key=value" */
  int set_count;
} edgefw__guess_frame;

/* A composition and its model, declared and never sealed. */
typedef struct edgefw__guess_trial {
  edgefw__config *config;
  edgefw__model *model;
} edgefw__guess_trial;

/* Compose defaults with overrides, `first` and then `more`. Failures of
 * edgefw__compose_text_with and edgefw__model_declare. Close it also after a failure. */
EDGEFW_NODISCARD edgefw_status edgefw__guess_try(const edgefw__guess_frame *frame,
                                                 const char *const *first, int first_count,
                                                 const char *const *more, int more_count,
                                                 edgefw__guess_trial *out);
void edgefw__guess_close(edgefw__guess_trial *trial);

/* Forget a failure that is an ordinary answer, and return OK; out of memory stays. */
edgefw_status edgefw__guess_forget(edgefw_context *ctx, edgefw_status status);

enum { EDGEFW__GUESS_MAX_SIZES = 64 };

/* What became of each size. Texts are "section.key=value". */
typedef struct edgefw__guess_sizes {
  const char *seen[EDGEFW__GUESS_MAX_SIZES]; /* in the file */
  int seen_count;
  bool published;                              /* all of these are the defaults */
  const char *unseen[EDGEFW__GUESS_MAX_SIZES]; /* no shape depends on it: its default */
  int unseen_count;
} edgefw__guess_sizes;

/* Find the sizes of a composition of `base` ("problem.name=...", "backbone.name=...", terms), whose
 * backbone is `backbone`. Those that the user sets are neither looked for nor listed. CONFIG,
 * UNSUPPORTED if `base` is no composition, OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__guess_sizes_find(const edgefw__guess_frame *frame,
                                                        const char *const *base, int base_count,
                                                        const edgefw__plugin *backbone,
                                                        edgefw__guess_sizes *out);

#endif
