/* Training: an objective (lesson.h), Adam, MultiStep learning rate, checkpoints and exact
 * resumption. */
#ifndef EDGEFW__TRAIN_H
#define EDGEFW__TRAIN_H

#include "policy/policy.h"

/* Where training stands; given to the observer after every batch and at the end of an epoch. */
typedef struct edgefw__train_state {
  int64_t epoch, epochs;      /* epoch: the running one, from 1 */
  int64_t step, steps;        /* batches done in this epoch, and in a whole one */
  uint64_t instances;         /* instances seen since the beginning of training */
  uint64_t session_instances; /* ... since this process began to train (for rates) */
  double seconds;             /* wall clock since this process began to train */
  bool epoch_done;            /* the figures below are those of the finished epoch */
  double score; /* mean cost of each instance's best rollout, or its label, so far this epoch */
  double loss;  /* mean loss so far this epoch */
  double gradient_norm; /* of the last batch */
  double learning_rate;
} edgefw__train_state;

typedef void (*edgefw__train_observer)(void *user, const edgefw__train_state *state);

typedef struct edgefw__train_request {
  edgefw__model *model; /* made for training; holds the trained parameters afterwards, as they are
                           evaluated (their mean with [train] ema) */
  const char *folder; /* the variant's folder: checkpoint-EPOCH.h5, metrics.csv; made if missing */
  bool fresh;         /* ignore checkpoints that are there */
  const char *init; /* where [train] init_from names a variant: its checkpoint, or "" where training
                       goes on anyway; else NULL */
  edgefw__train_observer observer; /* may be NULL */
  void *observer_user;
} edgefw__train_request;

/* Train model->composition to its last epoch, from the newest checkpoint in `folder` if there is
 * one (a run that was interrupted and resumed equals an uninterrupted one bit for bit). After each
 * epoch one row is added to FOLDER/metrics.csv
 * (epoch,score,loss,gradient_norm,learning_rate,instances, seconds); a checkpoint is written every
 * `checkpoint_every` epochs and after the last. On interruption (edgefw_interrupted) the running
 * batch is finished, a checkpoint of the state inside the epoch is written, and INTERRUPTED is
 * returned. A loss or gradient that is not finite stops with NUMERIC, naming epoch, step, seed and
 * first instance. `checkpoint` (path_size bytes, may be NULL) receives the path of the last
 * checkpoint. */
EDGEFW_NODISCARD edgefw_status edgefw__train(const edgefw__train_request *request, char *checkpoint,
                                             size_t path_size);

/* One optimisation step: run `batch`, back-propagate, apply Adam as step `adam_step` (1, 2, ...) at
 * `learning_rate`. `policy` is a training policy. Gradient norm out.
 *
 * Which logits take part says model->step, the steps done before, adam_step - 1 in training.
 * Parameters of a logit that joins later are not looked at: no weight decay, no step, their moments
 * stay 0. At the step where one joins Adam starts anew: the moments of all parameters are set to 0,
 * and its own count of steps begins again at 1. */
EDGEFW_NODISCARD edgefw_status edgefw__train_step(edgefw__policy *policy,
                                                  const edgefw__batch *batch,
                                                  const edgefw__rollout_request *request,
                                                  int64_t adam_step, double learning_rate,
                                                  double *gradient_norm);

#endif
