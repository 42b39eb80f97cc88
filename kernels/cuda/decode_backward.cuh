/* What the parts of decode's backward share: the decisions of a chunk of instances, one row each,
 * and what is kept for every row while gradients go through it. */
#ifndef EDGEFW_CUDA_DECODE_BACKWARD_CUH
#define EDGEFW_CUDA_DECODE_BACKWARD_CUH

#include "decode.cuh"

/* By value to kernels, beside the decode_call of the same B instances. saved.logit holds the
 * scores' gradients by then: 0 where closed and in rows that are no decisions. */
typedef struct decode_rows {
  int words;         /* of a row of `open` */
  uint32_t *open;    /* (B,S,T,words) bit j % 32 of word j / 32: node j was open */
  int32_t *position; /* (B,S,n) entry of the tour at which a node was visited first; T: at none */
  int32_t *distinct; /* (B,S,T) different nodes before an entry of the tour */
  float *gradient;   /* (B,S,T,d) of o, in the end of the query */
  float *mean;       /* (B,S,T,H) o . do of a head */
} decode_rows;

/* One row: whether it is a decision, and where the vehicle stood. */
typedef struct decision {
  bool made;
  int64_t row; /* of (B,S,T) */
  int64_t rollout;
  int step, current, first;
} decision;

static __device__ __forceinline__ bool is_decision(const decode_call &call, int64_t rollout,
                                                   int step) {
  return step >= decode_given(&call, rollout) && step < call.saved.length[rollout];
}

/* Row `row` of the S * T of an instance; not made if there is none such. */
static __device__ __forceinline__ decision decision_of(const decode_call &call, int64_t instance,
                                                       int row) {
  decision at = {false, 0, 0, 0, 0, 0};
  if (row >= call.rollouts * call.steps) return at;
  at.rollout = instance * call.rollouts + row / call.steps;
  at.step = row % call.steps;
  at.row = at.rollout * call.steps + at.step;
  at.made = is_decision(call, at.rollout, at.step);
  if (!at.made) return at;
  const int32_t *tour = call.tours + at.rollout * call.steps;
  at.current = tour[at.step - 1];
  at.first = tour[0];
  return at;
}

/* dkeys and dvalues (B,n,d) of the chunk += theirs (either may be NULL); then rows.gradient goes
 * from o's gradient to the query's, and rows.mean is filled in. (decode_backward_attention.cu) */
EDGEFW_NODISCARD edgefw_status edgefw__cuda_decode_attention_backward(edgefw_device *device,
                                                                      const decode_call *call,
                                                                      const decode_rows *rows,
                                                                      float *dkeys, float *dvalues);

/* dw1, db1, dw2 and db2 of args += theirs. (decode_backward_features.cu) */
EDGEFW_NODISCARD edgefw_status edgefw__cuda_decode_features_backward(edgefw_device *device,
                                                                     const edgefw_decode_args *args,
                                                                     const decode_call *call,
                                                                     const decode_rows *rows);
/* Bytes of CUDA_SCRATCH_PARTS that it takes for `count` instances. */
size_t edgefw__cuda_decode_features_bytes(const decode_call *call, int64_t count);

#endif
