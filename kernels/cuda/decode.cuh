/* The decode loop on the GPU: what its kernels get, and how the parts fit together.
 *
 *   decode.cu           chunks of instances, what they need on the device, results
 *   decode_kernel.cu    one persistent kernel: a block carries a tile of rollouts of one instance
 *                       from the first to the last step
 *   decode_state.cuh    in that kernel: where rollouts stand and what is open to them
 *   decode_tiles.cuh    in that kernel: products with the nodes' keys, values and folded keys
 *   decode_features.cuh in that kernel: features and their MLP
 *   decode_paths.cuh    in that kernel: numbers that follow the path, each in decode_path_NAME.cuh
 *   decode_choice.cuh   in that kernel: logits, the choice, and what is saved of it
 *   decode_logits.cuh   in that kernel: logits over the near set, once a step
 *   decode_logits.cu    what the logits over the near set need, prepared once per call
 *   decode_backward.cu  gradients from what a training forward saved, all steps at once; those of
 *                       the attention and the features in decode_backward_{attention,features}.cu
 *   decode_logits_backward.cu  those of the local attention
 *
 * A training forward saves each decision: its logits, its attention output and sums. The backward
 * then needs no loop over steps: rows of decisions (s,t) go through products and fused kernels. */
#ifndef EDGEFW_CUDA_DECODE_CUH
#define EDGEFW_CUDA_DECODE_CUH

#include "decode_shape.h"
#include "device.cuh"

/* Decisions of a chunk of B instances; row (b,s,t) is the choice of entry t of rollout s's tour.
 * Rows of entries that are given, and of those after a rollout has finished, are not written. */
typedef struct decode_saved {
  float *logit;             /* (B,S,T,n); -INFINITY where closed */
  float *log_sum;           /* (B,S,T) log-sum-exp of the open logits */
  float *glimpse;           /* (B,S,T,d) o: attention times values, all heads */
  float *attention_log_sum; /* (B,S,T,H) log-sum-exp of the open q.k / sqrt(d_h) */
  float *share;             /* (B,S,T,resources) left / capacity when deciding */
  float *cover;             /* (B,S,T,features CYCLE_COVER,n) their numbers, where open */
  int32_t *length; /* (B,S) entries of the tour that are decided or given: rows t < length */
} decode_saved;

/* A local attention's weights, folded once per call (edgefw__cuda_logits_prepare). A member of rank
 * r with inputs x has in head h the score rank_score[r][h] + sum_f input_score[f][h] x_f. */
typedef struct local_tables {
  int ranks;                        /* most members */
  const float *position;            /* (ranks,32) */
  const float *transposed;          /* (32,ranks) the same */
  const float *rank_score;          /* (ranks,4) */
  const float *input_score;         /* (3,4), a third row of 0 without resources */
  const float *key;                 /* (4,32) what scores an embedding */
  const float *value_t, *combine_t; /* (32,32) weights of value and combine, transposed */
} local_tables;

/* By value to every kernel of the loop. Device arrays of the chunk; see edgefw_decode_args for what
 * each holds. */
typedef struct decode_call {
  edgefw_decode_plan plan;
  int batch, nodes, rollouts, steps;
  int start;            /* entries of a tour that the start rule gives */
  const int32_t *given; /* (B,S) entries that each tour begins with; NULL: `start` */
  int64_t first_start;
  const float *keys, *values, *q_last, *q_first, *fold, *fold_bias;
  const float *tables[EDGEFW_MAX_TABLES];
  const float *transposed[EDGEFW_MAX_TABLES]; /* of pair tables read along a column; else NULL */
  /* Arcs of pair table t by value, ties by node: order[t][b][i] lists all nodes j by table[i][j];
   * reverse_order by table[j][i]. NULL for tables that nothing sorts. */
  const int32_t *order[EDGEFW_MAX_TABLES], *reverse_order[EDGEFW_MAX_TABLES];
  const float *w1, *b1, *w2, *b2;
  const double *cost;
  float clip;
  edgefw_select select;
  uint64_t sample_seed;
  const uint64_t *instance_ids;
  int32_t *tours;          /* (B,S,T) */
  double *lengths;         /* (B,S) */
  double *log_probability; /* (B,S) */
  bool stops;              /* each rollout stops after `decisions` of its own */
  int decisions, best;     /* `best`: candidates that it then hands out */
  int32_t *candidates;     /* (B,S,best), -1 before the loop */
  double *candidate_log_probability;
  double *stop_logits; /* (B,S,n) where rollouts stop, NaN before the loop; NULL: not wanted */
  int32_t *entries;    /* (B,S) of a tour, after the loop; NULL unless it stops */
  const double *demand[EDGEFW_MAX_RESOURCES], *capacity[EDGEFW_MAX_RESOURCES];
  const double *slack[EDGEFW_MAX_RESOURCES];
  bool narrows;            /* choices avoid forbidden arcs: those that cost `forbidden` or more */
  const double *forbidden; /* (B) */
  const float *w_left;
  int64_t w_left_stride;
  const float *logit_tensors[EDGEFW_MAX_LOGITS][EDGEFW_LOCAL_TENSORS];
  local_tables local[EDGEFW_MAX_LOGITS]; /* of LOCAL_ATTENTION */
  decode_saved saved;                    /* members NULL: not wanted */
} decode_call;

/* What is kept of one candidate for a number that follows the path: see decode_path_NAME.cuh. */
typedef struct __align__(16) decode_path_remaining_min {
  int32_t place, node; /* node -1: not known yet, or none from this place on */
  float value;
}
decode_path_remaining_min;

typedef struct __align__(16) decode_path_cycle_cover {
  int32_t after, before; /* nodes, in the permutation */
  int32_t label;         /* of its cycle */
  float exit;            /* from its cycle in the first permutation */
}
decode_path_cycle_cover;

/* What is kept of the whole cover. */
typedef struct decode_cover_whole {
  int32_t entries; /* of the tour that it has followed */
  int32_t cycles;  /* how many there are */
  int32_t label;   /* the least that no cycle has had */
  float later;     /* exit of the rest of the cycle */
} decode_cover_whole;

typedef union decode_path {
  decode_path_remaining_min remaining_min;
  decode_path_cycle_cover cycle_cover;
  decode_cover_whole cover_whole;
  double cover_mean; /* arc of the first permutation */
} decode_path;

enum { DECODE_PATH_WHOLE = 2 /* entries behind those of the candidates, for the whole */ };

/* A saved decision, as the features of the backward depend on it. */
typedef struct decode_moment {
  int64_t instance, row; /* row: of (B,S,T) */
  int step, distinct, current, closing;
  const int32_t *position; /* (n) entry of the tour at which each node was visited */
} decode_moment;

/* A launch of the loop. */
typedef struct decode_job {
  decode_call call;
  cuda_decode_shape shape;
  int tiles;          /* of an instance's rollouts */
  bool probable;      /* log-probabilities are wanted, or a random choice */
  float *score;       /* (B,tiles,DECODE_TILE,score_stride) unless shared */
  decode_path *paths; /* (B,tiles,DECODE_TILE,paths,n + DECODE_PATH_WHOLE) */
  int32_t *failure;   /* (B,S) EDGEFW_REFUSALS * step + an edgefw_refusal; 0: it went on */
} decode_job;

/* Entries of a rollout's tour that are not chosen. */
static __device__ __forceinline__ int decode_given(const decode_call *call, int64_t rollout) {
  return call->given ? call->given[rollout] : call->start;
}

/* Fills job->shape for the device's shared memory; UNSUPPORTED if the problem does not fit.
 * (decode_kernel.cu) */
EDGEFW_NODISCARD edgefw_status edgefw__cuda_decode_plan(edgefw_device *device, decode_job *job);
/* Queues the loop over all instances of the job. (decode_kernel.cu) */
EDGEFW_NODISCARD edgefw_status edgefw__cuda_decode_launch(edgefw_device *device,
                                                          const decode_job *job);

/* A tile of rollouts at one step, in shared memory unless said otherwise; what the logits read and
 * the scores that they add to. Row r is rollout first + r; rows >= count and finished ones (active
 * 0) are to be left alone. */
typedef struct decode_tile {
  int instance, first, count;
  const int *active;    /* (DECODE_TILE) */
  const int *current;   /* (DECODE_TILE) node it stands on */
  const uint32_t *open; /* (DECODE_TILE,open_words) bit j % 32 of word j / 32: node j is open */
  int open_words;
  const float *share; /* (DECODE_TILE,EDGEFW_MAX_RESOURCES) left / capacity */
  float *score;       /* (DECODE_TILE,score_stride) shared or global memory; valid where open */
  int64_t score_stride;
} decode_tile;

/* Fills call->local from its plan, logit_tensors and nodes; valid until the next call of this. Once
 * per decode, before the loop and the backward. (decode_logits.cu) */
EDGEFW_NODISCARD edgefw_status edgefw__cuda_logits_prepare(edgefw_device *device,
                                                           decode_call *call);
/* Bytes of scratch that this takes. */
size_t edgefw__cuda_logits_bytes(const decode_call *call);

/* Gradients of the loss that args->weigh weighs, of one chunk of instances that begins with
 * instance `first` of args; added to args' gradients. `upstream` (B,S) on the device:
 * d loss / d log_probability of each rollout. saved.logit is overwritten. (decode_backward.cu) */
EDGEFW_NODISCARD edgefw_status edgefw__cuda_decode_backward(edgefw_device *device,
                                                            const edgefw_decode_args *args,
                                                            int64_t first, const decode_call *call,
                                                            const float *upstream);
/* Bytes of scratch that this takes for `count` instances. */
size_t edgefw__cuda_decode_backward_bytes(const decode_call *call, int64_t count);
/* Gets them, so that gradients, once begun, never lack memory; false if there are not so many. */
bool edgefw__cuda_decode_backward_reserve(edgefw_device *device, const decode_call *call,
                                          int64_t count);

/* The same of local attention `logit` of the plan. dscore (B,S,T,n): the scores' gradients, 0 where
 * closed and in rows that no decision belongs to; which nodes were open, `open` (B,S,T,words), bit
 * j % 32 of word j / 32. (decode_logits_backward.cu) */
EDGEFW_NODISCARD edgefw_status edgefw__cuda_logits_backward(edgefw_device *device,
                                                            const edgefw_decode_args *args,
                                                            const decode_call *call, int logit,
                                                            const float *dscore,
                                                            const uint32_t *open, int64_t words);
/* Bytes of CUDA_SCRATCH_PARTS with which this takes `count` instances at once; 0 if the plan has no
 * local attention. */
size_t edgefw__cuda_logits_backward_bytes(const decode_call *call, int64_t count);

#endif
