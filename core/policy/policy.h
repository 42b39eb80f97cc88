/* A policy: a model with the memory to run batches of up to `capacity` instances of n nodes. */
#ifndef EDGEFW__POLICY_H
#define EDGEFW__POLICY_H

#include "device/memory.h"
#include "policy/model.h"
#include "policy/objective.h"

typedef struct edgefw__policy {
  edgefw__model *model;
  edgefw__policy_graph graph;
  int64_t capacity, n, rollouts; /* S rollouts per instance */
  int64_t steps;                 /* T entries of a tour */
  bool training;
  /* Results of the last run, host: */
  int32_t *tours;                  /* (B,S,T) */
  double *lengths;                 /* (B,S): length of the closed tour as the decoder added it up */
  double *log_probability;         /* (B,S) */
  double *losses;                  /* (B): by the objective, training only */
  edgefw_decode_plan plan;         /* that of the graph, with the logits that are in force */
  int in_force[EDGEFW_MAX_LOGITS]; /* which of the graph's logits those are */
  double *slack;                   /* (resources,capacity) tolerance of each resource */
} edgefw__policy;

/* How to run: see edgefw_decode_args for the members. */
typedef struct edgefw__rollout_request {
  double clip;
  edgefw_select select;
  uint64_t sample_seed;
  const int32_t *tours; /* (B,S,T): with FORCED, or with `given` as far as they are given */
  const int32_t *given; /* (B,S): entries of each tour to begin with; NULL: those of its start */
  edgefw_decode_stop stop;
  void *logits;                       /* tests: host real (B,S,T,n) or NULL */
  const edgefw__objective *objective; /* training: what the gradients are of */
  int64_t loss_instances; /* training: instances whose mean is the loss, of which these may be a
                             part; 0: these alone */
  bool lengths_only;      /* log-probabilities are not wanted: greedy decoding is faster */
} edgefw__rollout_request;

/* rollouts 0 means all starts that the problem has; with tours to begin with (`given`) there may be
 * more. The model outlives the policy. */
EDGEFW_NODISCARD edgefw_status edgefw__policy_create(edgefw__model *model, int64_t capacity,
                                                     int64_t n, int64_t rollouts, bool training,
                                                     edgefw__policy **out);
void edgefw__policy_destroy(edgefw__policy *policy);

/* Encode and roll out batch->count <= capacity instances; results are in the policy. A training
 * policy adds the loss gradient to model->parameters->gradients (zeroed by the caller).
 * INVALID_ARGUMENT if given entries are not open, or more or fewer than a tour can begin with. */
EDGEFW_NODISCARD edgefw_status edgefw__policy_run(edgefw__policy *policy,
                                                  const edgefw__batch *batch,
                                                  const edgefw__rollout_request *request);

/* The decode loop alone, on the values of the last edgefw__graph_forward of policy->graph; with
 * training, gradients go to the graph's values (zeroed by the caller) and to the feature MLP. */
EDGEFW_NODISCARD edgefw_status edgefw__policy_decode(edgefw__policy *policy,
                                                     const edgefw__batch *batch,
                                                     const edgefw__rollout_request *request);

/* Number of rollouts of a run for n nodes, with `starts` as configured (0: all). */
int64_t edgefw__policy_rollouts(const edgefw__model *model, int64_t n, int64_t starts);

/* Bytes that a policy of these sizes would take: memory of the graph, results, and the decoder's
 * scratch (on the host that of all threads); parameters apart. */
EDGEFW_NODISCARD edgefw_status edgefw__policy_bytes(edgefw__model *model, int64_t capacity,
                                                    int64_t n, int64_t rollouts, bool training,
                                                    edgefw__memory *bytes);

#endif
