/* A small trial of a composition on one device: a few instances, fixed tours, and what comes out.
 * The conformance suite compares trials and differentiates them numerically. */
#ifndef EDGEFW__TRIAL_H
#define EDGEFW__TRIAL_H

#include "data/generate.h"
#include "policy/policy.h"

#define EDGEFW__TRIAL_COUNT 2 /* instances */
#define EDGEFW__TRIAL_NODES 7

typedef struct edgefw__trial {
  edgefw_context *ctx;
  const edgefw__engine *engine;
  edgefw__model *model;
  edgefw__policy *policy; /* for training, all starts */
  edgefw__batch *batch;
  edgefw__generator_pool *pool;
  int64_t steps;   /* B * S * n: entries of `tours` */
  int32_t *tours;  /* (B,S,n): taken in every run */
  double *logits;  /* (B,S,n,n) of the last run */
  void *scratch;   /* the same in the device's numbers */
  double *lengths; /* (B,S) of the last run; the policy's */
  double loss;     /* mean over the instances, of the last run */
} edgefw__trial;

/* Make it: parameters and instances of a fixed seed; tours sampled from the policy, or, if `tours`
 * is given, those. Engine and composition outlive it. Call edgefw__trial_close also on failure. */
EDGEFW_NODISCARD edgefw_status edgefw__trial_open(const edgefw__engine *engine,
                                                  const edgefw__composition *composition,
                                                  const int32_t *tours, edgefw__trial *out);
void edgefw__trial_close(edgefw__trial *trial);

/* Forward and backward: loss, logits, and the gradients in the model's parameters. */
EDGEFW_NODISCARD edgefw_status edgefw__trial_run(edgefw__trial *trial);

/* All gradients of the last run, out[parameters->total]. */
void edgefw__trial_gradients(const edgefw__trial *trial, double *out);

/* Central difference of the loss by one number of the parameters. */
EDGEFW_NODISCARD edgefw_status edgefw__trial_difference(edgefw__trial *trial, int64_t entry,
                                                        double *slope);

/* Largest |a - b| over the open logits of two trials with the same tours; infinite if one of them
 * is not finite. */
double edgefw__trial_distance(const edgefw__trial *a, const edgefw__trial *b);

#endif
