/* The work that is measured: instances to work on, and a policy that works part by part. */
#ifndef EDGEFW__WORKLOAD_H
#define EDGEFW__WORKLOAD_H

#include "data/generate.h"
#include "policy/policy.h"

/* Generated instances, shared by workloads. */
typedef struct edgefw__instances {
  const edgefw__engine *engine;
  const edgefw__composition *composition;
  edgefw__generator_pool *pool;
  edgefw__batch *batch;
  uint64_t seed, next; /* number of the next instance */
} edgefw__instances;

/* Room for `count` instances of n nodes; none are made yet. Close it also on failure. */
EDGEFW_NODISCARD edgefw_status edgefw__instances_open(const edgefw__engine *engine,
                                                      const edgefw__composition *composition,
                                                      int64_t count, int64_t n,
                                                      edgefw__instances *out);
void edgefw__instances_close(edgefw__instances *instances);

/* Fill the batch with the next instances of the sequence. */
EDGEFW_NODISCARD edgefw_status edgefw__instances_generate(edgefw__instances *instances,
                                                          double *seconds);

/* A policy on such a batch. `training` decides which of the parts below may be called, in their
 * order; each says how long it took until the device had done it. */
typedef struct edgefw__workload {
  edgefw__model *model; /* its own */
  edgefw__policy *policy;
  const edgefw__batch *batch;
  edgefw__rollout_request request;
  /* (nodes of the graph) seconds of the last encode and backward. On a device that runs ahead of
   * its caller only SVD is timed apart, or all with `by_node`: waiting after each slows the whole.
   */
  double *forward, *backward;
  bool by_node;
  int64_t step; /* of Adam */
} edgefw__workload;

/* Make model and policy for the batch. Engine, composition and batch outlive it. Close it also on
 * failure. */
EDGEFW_NODISCARD edgefw_status edgefw__workload_open(const edgefw__engine *engine,
                                                     const edgefw__composition *composition,
                                                     const edgefw__batch *batch, bool training,
                                                     edgefw__workload *out);
void edgefw__workload_close(edgefw__workload *workload);

/* All nodes of the graph. */
EDGEFW_NODISCARD edgefw_status edgefw__workload_encode(edgefw__workload *workload, double *seconds);

/* Training: zero the gradients of parameters and values. */
EDGEFW_NODISCARD edgefw_status edgefw__workload_clear(edgefw__workload *workload, double *seconds);

/* The decode loop; in training with its backward. */
EDGEFW_NODISCARD edgefw_status edgefw__workload_decode(edgefw__workload *workload, double *seconds);

/* Training: the graph's backward. */
EDGEFW_NODISCARD edgefw_status edgefw__workload_backward(edgefw__workload *workload,
                                                         double *seconds);

/* Training: norm of the gradient, and Adam at learning rate 0, so that all steps are alike. */
EDGEFW_NODISCARD edgefw_status edgefw__workload_update(edgefw__workload *workload, double *seconds);

#endif
