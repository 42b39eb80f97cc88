/* A model, a file of its parameters, and the frame in which a guess is made of that file. */
#ifndef EDGEFW_TESTS_SUPPORT_GUESS_CASE_H
#define EDGEFW_TESTS_SUPPORT_GUESS_CASE_H

#include "policy/guess.h"
#include "support/tiny_model.h"
#include "support/weights_support.h"

typedef struct guess_case {
  char folder[64]; /* of the file */
  tiny_model tiny;
  weights_list list;
  edgefw_arena *arena;
  edgefw__weights *weights;
  edgefw__guess_frame frame;
} guess_case;

/* The file of the model of `text`, in which the parameter `renamed` (NULL: none) is called
 * "unknown"; `sets` is what the user says. The case keeps its place. */
void guess_case_open(guess_case *c, const char *text, const char *const *sets, int set_count,
                     const char *renamed);
void guess_case_close(guess_case *c);

#endif
