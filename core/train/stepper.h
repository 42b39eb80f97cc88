/* The steps of a training: each one's batch is made and run slice by slice ([train] slice), the
 * gradients of the slices are added up in their order, and Adam takes the sum. */
#ifndef EDGEFW__STEPPER_H
#define EDGEFW__STEPPER_H

#include "train/feed.h"
#include "train/lesson.h"
#include "train/share.h"

/* Which step it is. */
typedef struct edgefw__step_order {
  int64_t step;   /* batches before it */
  int64_t epoch;  /* from 1, for the learning rate */
  uint64_t first; /* number of the first instance since training began */
  int64_t count;  /* instances of the batch */
} edgefw__step_order;

/* What steps are made with. Zero is a closed one. */
typedef struct edgefw__stepper {
  edgefw__model *model;
  edgefw__feed feed;      /* of a slice */
  edgefw__lesson lesson;  /* its request points into it */
  edgefw__policy *policy; /* of a slice; NULL before edgefw__stepper_allocate */
  int64_t batch;          /* instances of a step at most */
  int64_t slice;          /* instances of a slice; the last one of a batch may have fewer */
  void *sum; /* device (total): of the slices' gradients; NULL: a batch is one slice, or shared */
  edgefw__share share;  /* on several ranks */
  bool leads;           /* other ranks wait for calls (train/team.h) */
  int64_t led;          /* steps that they have answered */
  double led_seconds;   /* of these steps */
  double waited_before; /* of the group's, when they began */
  uint64_t sent_before;
  double *scores, *losses; /* (batch) of the last step: the shortest rollout, or the label, of each
                              instance, and its loss */
  double gradient_norm;    /* of the last step */
} edgefw__stepper;

/* Begin one for the model, which was made for training and stays where it is, as does `out`.
 * Nothing is read yet. */
void edgefw__stepper_begin(edgefw__model *model, edgefw__stepper *out);
void edgefw__stepper_end(edgefw__stepper *stepper);

/* Open instances and labels; with a dataset the fingerprint of both is in feed.digest afterwards.
 * As edgefw__feed_open, edgefw__feed_digest, edgefw__lesson_open and edgefw__labels_examine. */
EDGEFW_NODISCARD edgefw_status edgefw__stepper_open(edgefw__stepper *stepper);

/* Take the memory of all steps, which is that of a slice of the largest instances.
 * OUT_OF_MEMORY, with what would fit. */
EDGEFW_NODISCARD edgefw_status edgefw__stepper_allocate(edgefw__stepper *stepper);

/* Do a step. What it computes depends on the model, the order and the configuration alone. NUMERIC
 * if a loss or the gradient is not finite, INTERRUPTED while labels are made, what instances and
 * labels fail with: parameters and moments are as they were then. */
EDGEFW_NODISCARD edgefw_status edgefw__stepper_run(edgefw__stepper *stepper,
                                                   const edgefw__step_order *order);

/* Instances whose gradient the options of [train] compute at once. */
int64_t edgefw__train_slice(const edgefw_options *train);

#endif
