/* kernels.h: what a device (kernels/cpu, kernels/reference, ...) executes. Installed as
 * edgefw/kernels.h. A device is a plugin of kind EDGEFW_KIND_DEVICE whose vtable is edgefw_kernels.
 *
 * Conventions
 *   - Every array is dense and row-major. `real` below is the device's own number type (`dtype`):
 *     float on cpu and reference, double on reference64. Arrays named so live in device memory;
 *     those marked host do not.
 *   - One argument struct serves an operation's forward and backward; dimensions first, then
 * inputs, outputs, what forward saves, then gradients (d...). The backward of an operation has the
 * same struct with all forward members as they were.
 *   - Backward ADDS into dx, dw, ... (the caller zeroes); any of them may be NULL: not wanted.
 *     The incoming gradient (dy) may be overwritten.
 *   - Results are the same for any number of threads: parallel over instances or fixed blocks, and
 *     reductions in a fixed order.
 *   - B instances, n nodes, S rollouts, H heads, d embedding width, d_h = d / H. */
#ifndef EDGEFW_KERNELS_H
#define EDGEFW_KERNELS_H

#include "edgefw/context.h"
#include "edgefw/graph.h"
#include "edgefw/problem.h"
#include "edgefw/tables.h"
#include "edgefw/term.h"

EDGEFW_BEGIN_DECLS

typedef enum edgefw_dtype { EDGEFW_F32 = 1, EDGEFW_F64 = 2 } edgefw_dtype;

/* How a device multiplies floats in matrix products; sums are always float. TF32: factors rounded
 * to 10 bits of fraction. BF16: to 7 bits. */
typedef enum edgefw_precision {
  EDGEFW_PRECISION_FP32 = 0,
  EDGEFW_PRECISION_TF32 = 1,
  EDGEFW_PRECISION_BF16 = 2
} edgefw_precision;

/* Whether a device multiplies in some precision: not at all; yes, but in no less time than in FP32
 * (emulated, say); or with what makes it faster. */
typedef enum edgefw_support {
  EDGEFW_SUPPORT_NONE = 0,
  EDGEFW_SUPPORT_SLOW = 1,
  EDGEFW_SUPPORT_FAST = 2
} edgefw_support;

/* A device's own state; made and destroyed by it. */
typedef struct edgefw_device edgefw_device;

/* y (rows,out) = x (rows,in) W^T + b, then ReLU if `relu`. W is (out,in), or (in,out) with
 * `transposed`. b (out) or NULL. Backward uses y to know where the ReLU was open. w_stride: numbers
 * from one row of W to the next, 0 if the rows are dense; dW has the same. */
typedef struct edgefw_linear_args {
  int64_t rows, in, out;
  bool relu, transposed;
  const void *x, *w, *b;
  void *y;
  void *dy;
  void *dx, *dw, *db;
  int64_t w_stride;
} edgefw_linear_args;

/* s = x + residual; y = gamma * (s - mean) * inv_std + beta, mean and biased variance per instance
 * and channel over the n nodes, inv_std = 1 / sqrt(var + 1e-5).
 * Saved: normalized (B,n,d) = (s - mean) * inv_std, inv_std (B,d). Neither is ever NULL. */
typedef struct edgefw_add_norm_args {
  int64_t batch, nodes, width;
  const void *x, *residual; /* (B,n,d) */
  const void *gamma, *beta; /* (d) */
  void *y;                  /* (B,n,d) */
  void *normalized, *inv_std;
  void *dy;
  void *dx, *dresidual; /* dx and dresidual may be the same array: then both are added */
  void *dgamma, *dbeta;
} edgefw_add_norm_args;

/* Per instance and head, for all pairs (i,j):
 *   m_ij = w2 . relu(w1^T [q_i.k_j / sqrt(d_h), cost_ij, cost_ji] + b1) + b2
 *   a = Sinkhorn(m) or row softmax(m);  out_i = sum_j a_ij v_j
 * Sinkhorn: subtract the row maximum; `iterations` times: subtract the row log-sum-exp, then the
 * column log-sum-exp; exponentiate. Its backward differentiates these very iterations.
 * `saved`: B times what edgefw_kernels.mixed_attention_saved says, or NULL when no backward
 * follows. */
typedef struct edgefw_mixed_attention_args {
  int64_t batch, nodes, width, heads, hidden;
  edgefw_attention_norm norm;
  int iterations;
  const void *q, *k, *v; /* (B,n,d), head h in columns h*d_h .. */
  const void *cost;      /* (B,n,n) */
  const void *w1, *b1;   /* (H,3,hidden), (H,hidden) */
  const void *w2, *b2;   /* (H,hidden), (H) */
  void *out;             /* (B,n,d) */
  void *saved;
  void *dout;
  void *dq, *dk, *dv, *dw1, *db1, *dw2, *db2;
} edgefw_mixed_attention_args;

/* Per instance and head: out_i = sum_j softmax_j(q_i.k_j / sqrt(d_h)) v_j.
 * `saved`: B times what edgefw_kernels.attention_saved says, or NULL when no backward follows. */
typedef struct edgefw_attention_args {
  int64_t batch, nodes, width, heads;
  const void *q, *k, *v; /* (B,n,d), head h in columns h*d_h .. */
  void *out;             /* (B,n,d) */
  void *saved;
  void *dout;
  void *dq, *dk, *dv;
} edgefw_attention_args;

/* For each of `rows` rows: to[0 .. width) = from[0 .. width), or += with `add`; strides are numbers
 * from one row to the next. The arrays do not overlap. (Concatenation and its backward.) */
typedef struct edgefw_copy_args {
  int64_t rows, width, from_stride, to_stride;
  const void *from;
  void *to;
  bool add;
} edgefw_copy_args;

/* --- Decoding ------------------------------------------------------------------------------------
 */

#define EDGEFW_MAX_FEATURES 32
#define EDGEFW_MAX_TABLES   16

typedef enum edgefw_feature_kind {
  EDGEFW_FEATURE_PAIR = 1,          /* table[row][column] */
  EDGEFW_FEATURE_ANTISYMMETRIC = 2, /* table[row][column] - table[column][row] */
  EDGEFW_FEATURE_NODE = 3,          /* table[row] */
  EDGEFW_FEATURE_STATE = 4,         /* a state scalar */
  EDGEFW_FEATURE_PATH = 5           /* a number that follows the rollout's path */
} edgefw_feature_kind;

/* Numbers that follow the path: for every candidate one that depends on all nodes visited so far.
 * Each device has one file for each of them, and lists it by the macro below:
 *   reference  path_NAME.c: the number of one candidate, worked out from the visited nodes
 *   cpu        path_NAME.c: memory; begin an instance, begin a rollout, visit a node (given ones,
 *              too), the row of all candidates, move a rollout's state (paths.h)
 *   cuda       decode_path_NAME.cuh: begin a rollout, the number of one candidate in the loop, and
 *              at a saved decision for the backward (decode_paths.cuh)
 *
 * REMAINING_MIN: edgefw_term_remaining_min. Out of the candidate with row CANDIDATE and column
 * CLOSING, into it with row CURRENT and column CANDIDATE; table[row][column] stands in when no node
 * remains.
 * CYCLE_COVER: edgefw_term_cycle_cover. `permutation` is the index of the node table of successors,
 * `table` that of its exchanges, `number` says which of the cover's numbers; those of one
 * permutation and table share what a device keeps of it. Row CURRENT, column CANDIDATE. Not with a
 * depot. */
#define EDGEFW_PATHS(X) X(REMAINING_MIN, remaining_min) X(CYCLE_COVER, cycle_cover)

#define EDGEFW_PATH_NAME(NAME, name) EDGEFW_PATH_##NAME,
typedef enum edgefw_path { EDGEFW_PATHS(EDGEFW_PATH_NAME) EDGEFW_PATH_COUNT } edgefw_path;
#undef EDGEFW_PATH_NAME

typedef struct edgefw_feature {
  edgefw_feature_kind kind;
  int table; /* index into edgefw_decode_plan.tables; not for STATE */
  edgefw_at row, column;
  edgefw_state state;         /* STATE only */
  edgefw_path path;           /* PATH only */
  int permutation;            /* CYCLE_COVER: index of a node table */
  edgefw_cover_number number; /* CYCLE_COVER */
} edgefw_feature;

/* A logit (edgefw/term.h); its learned tensors are in edgefw_decode_weights.logits. */
typedef enum edgefw_logit_kind {
  EDGEFW_LOGIT_NEAR_PENALTY = 1,
  EDGEFW_LOGIT_LOCAL_ATTENTION = 2
} edgefw_logit_kind;

#define EDGEFW_MAX_LOGITS  4
#define EDGEFW_LOCAL_WIDTH 32 /* embedding of LOCAL_ATTENTION */
#define EDGEFW_LOCAL_HEADS 4

/* Tensors of LOCAL_ATTENTION, F = 2 inputs, 3 with resources. */
typedef enum edgefw_local_tensor {
  EDGEFW_LOCAL_EMBED = 0,    /* (32,F) */
  EDGEFW_LOCAL_EMBED_BIAS,   /* (32) */
  EDGEFW_LOCAL_TOKEN,        /* (32) */
  EDGEFW_LOCAL_QUERY,        /* (32,32) */
  EDGEFW_LOCAL_KEY,          /* (32,32) */
  EDGEFW_LOCAL_VALUE,        /* (32,32) */
  EDGEFW_LOCAL_COMBINE,      /* (32,32) */
  EDGEFW_LOCAL_COMBINE_BIAS, /* (32) */
  EDGEFW_LOCAL_TENSORS
} edgefw_local_tensor;

typedef struct edgefw_logit {
  edgefw_logit_kind kind;
  int table;      /* index into edgefw_decode_plan.tables: what nearness is measured by */
  int points;     /* LOCAL_ATTENTION: index of a (B,n,2) table */
  int64_t near;   /* most customers of the near set */
  double far;     /* NEAR_PENALTY */
  double epsilon; /* added to the scale of the near set wherever entries are divided by it */
} edgefw_logit;

/* What the core has composed from the declarations of problem and terms; fixed for a model. */
typedef struct edgefw_decode_plan {
  edgefw_start_rule start;
  edgefw_closing_rule closing;
  uint32_t query;
  int64_t heads, width;
  int feature_count, hidden; /* feature_count 0: no MLP */
  edgefw_feature features[EDGEFW_MAX_FEATURES];
  int table_count;
  bool table_is_pair[EDGEFW_MAX_TABLES];
  int resource_count; /* > 0 only with a depot */
  int logit_count;
  edgefw_logit logits[EDGEFW_MAX_LOGITS];
} edgefw_decode_plan;

typedef enum edgefw_select {
  EDGEFW_SELECT_GREEDY = 0, /* arg-max of the logit; the first one on a tie */
  EDGEFW_SELECT_SAMPLE =
      1,                   /* cumulative sum over open candidates, in node order, against u * sum */
  EDGEFW_SELECT_FORCED = 2 /* take `tours` as given, to price and differentiate known actions;
                              INVALID_ARGUMENT if one visits a node that is not open */
} edgefw_select;

/* What decode is a differentiable function of; its gradients have the same type. All on the device;
 * `decode` only reads what it is given as weights. */
typedef struct edgefw_pointer {
  void *keys, *values;    /* (B,n,d) */
  void *q_last, *q_first; /* (B,n,d); q_first NULL without EDGEFW_QUERY_FIRST */
  void *fold, *fold_bias; /* (B,n,d), (B,n) */
  void *w_left;           /* (d,resource_count), rows w_left_stride apart; NULL without resources */
  int64_t w_left_stride;
} edgefw_pointer;

typedef struct edgefw_feature_mlp {
  void *w1, *b1, *w2, *b2; /* (hidden,F), (hidden), (hidden), (1) */
} edgefw_feature_mlp;

typedef struct edgefw_decode_weights {
  edgefw_pointer pointer;
  edgefw_feature_mlp mlp;
  void *logits[EDGEFW_MAX_LOGITS][EDGEFW_LOCAL_TENSORS]; /* tensors of each logit that has some */
} edgefw_decode_weights;

/* Of each resource; host */
typedef struct edgefw_decode_resources {
  const double *demand[EDGEFW_MAX_RESOURCES];   /* (B,n) */
  const double *capacity[EDGEFW_MAX_RESOURCES]; /* (B) */
  const double *slack[EDGEFW_MAX_RESOURCES];    /* (B) */
} edgefw_decode_resources;

/* How a node is chosen. */
typedef struct edgefw_selection {
  edgefw_select select;
  double clip;
  uint64_t seed;                /* SAMPLE */
  const uint64_t *instance_ids; /* SAMPLE: host (B) */
  int64_t first_start;          /* number of the first rollout */
} edgefw_selection;

/* Where decoding stops before its end, and what it hands out there. The rest of a tour that stopped
 * is 0; with FORCED it is left as it is. */
typedef struct edgefw_decode_stop {
  bool early;        /* false: rollouts go on until they are finished; the rest is not looked at */
  int64_t decisions; /* most nodes that a rollout chooses, 0 .. T; 0: none */
  int64_t best;      /* k of the candidates below; 0: none are wanted. Not in training */
  /* Host (B,S,k): the open nodes of the largest logits at the step where the rollout stands, best
   * first (the first one of equals), and their log-probabilities. -1 and -INFINITY where there are
   * fewer, and for finished rollouts. */
  int32_t *candidates;
  double *candidate_log_probability;
  /* Host (B,S,n): the logits of the open nodes at that step; NAN for closed ones, and for all nodes
   * of a finished rollout. NULL: not wanted. Not in training */
  double *logits;
  int32_t *entries; /* host (B,S): entries of its tour that a rollout has, T if finished; or NULL */
} edgefw_decode_stop;

/* Called in training when the rollouts of an instance are done and before they are differentiated:
 * weights[s] = d loss / d log_probability[s], host (S) each, of whatever loss the caller has for
 * the whole batch. It is called from several threads at once, on different instances. */
typedef void (*edgefw_weigh)(void *user, int64_t instance, int64_t rollouts, const double *lengths,
                             const double *log_probability, double *weights);

/* Rollouts of a batch. T = `steps` entries of a tour: n, or 2n with a depot. Per step t, rollout s
 * standing on i with first node f and left_r of resource r:
 *   query      = q_last[i] (+ q_first[f]) + sum_r (left_r / capacity_r) * w_left[.,r]
 *   attention  = per head softmax over open j of query . keys_j / sqrt(d_h), times values -> o (d)
 *   base_j     = (o . fold_j + fold_bias_j) / sqrt(d)
 *   score_j    = base_j + MLP(phi(j)) + logits of the plan;  logit_j = clip * tanh(score_j);
 *   softmax over open j
 * fold = H Wc and fold_bias = H bc carry multi_head_combine (Wc, bc) folded into the scoring keys.
 * START_EACH_NODE: the first node is given (it counts probability 1); step t = 1 .. n-1 chooses
 * node t, open are the nodes not visited yet. START_EACH_CUSTOMER: node 0 is the depot; the first
 * two nodes are given (the depot, customer s + 1); step t = 2, 3, ... chooses node t until all
 * customers are visited, the rest of the tour is 0. Open are the customers not visited yet with
 * demand_r <= left_r + slack_r for every r, and the depot unless i is the depot. The depot refills.
 * Remaining nodes (REMAINING_MIN) are the customers not visited yet. PROGRESS counts distinct
 * nodes. SAMPLE: rollout s at step t takes word s * T + t of EDGEFW_STREAM_ROLLOUT of (seed,
 * instance_ids[b]); u = edgefw_random_unit. With first_start > 0 rollout numbers in words and start
 * nodes are first_start + s, so a chunked run equals an unchunked one. A chosen node is always
 * open. Loops are bounded by T. INFEASIBLE, naming instance, rollout and step, if no node is open.
 *
 * With `forbidden` every choice is narrowed: where at least one open node can be reached by an arc
 * that is not forbidden, those that cannot are closed; otherwise all stay open. What a start rule
 * or `given` says is not chosen, so it is not narrowed.
 *
 * With `given` a rollout begins with that many entries of its row of `tours`, at least as many as
 * its start rule gives and at most T; they count probability 1 and are not differentiated. Decoding
 * then goes on as if it had chosen them itself: in every bit. INVALID_ARGUMENT if one of them was
 * not open. S may then be any number. */
typedef struct edgefw_decode_args {
  const edgefw_decode_plan *plan;
  int64_t batch, nodes, rollouts; /* B, n, S; without `given` S <= n, with a depot n - 1 */
  int64_t steps;                  /* T */
  edgefw_decode_weights weights;
  const void *tables[EDGEFW_MAX_TABLES]; /* (B,n,n) or (B,n); points (B,n,2) */
  const double *cost;      /* (B,n,n): the objective's raw entries, exact doubles (upload_exact) */
  const double *forbidden; /* host (B): arcs whose cost is at least this are forbidden, INFINITY:
                              none of the instance; NULL: none of the batch */
  edgefw_decode_resources resources;
  edgefw_selection selection;
  const int32_t *given; /* host (B,S): entries that each row of `tours` begins with; NULL: none */
  edgefw_decode_stop stop;
  /* Results */
  int32_t *tours;  /* host (B,S,T): out, or in with FORCED and as far as given */
  double *lengths; /* host (B,S): closed tour under `cost`, first and last edge count; without the
                      closing edge if the rollout stopped early */
  double *log_probability; /* host (B,S): sum over the chosen nodes; may be NULL */
  void *logits;            /* host real (B,S,T,n), row t = logits of step t; 0 for closed ones and
                              for entries of the tour that are not chosen; NULL: not wanted (it is
                              for tests) */
  /* Training: keep what the backward needs, ask `weigh`, differentiate. */
  bool train;
  edgefw_weigh weigh;
  void *weigh_user;
  edgefw_decode_weights gradients; /* NULL members are not wanted */
} edgefw_decode_args;

/* Why a rollout cannot go on. */
typedef enum edgefw_refusal {
  EDGEFW_REFUSAL_NO_NODE = 1, /* no node is open */
  EDGEFW_REFUSAL_NOT_OPEN,    /* the one that is forced or given is not */
  EDGEFW_REFUSAL_NOT_FINITE,  /* no logit is a number */
  EDGEFW_REFUSALS
} edgefw_refusal;

/* What a device returns when rollout s of instance b cannot go on: INFEASIBLE, or INVALID_ARGUMENT
 * for a node that is not open, with a message that says where it stands and what keeps the node
 * closed. `tour`: the entries of its tour before number `step`, and that one if it is known. */
EDGEFW_API EDGEFW_NODISCARD edgefw_status edgefw_refuse_rollout(edgefw_context *ctx,
                                                                const edgefw_decode_args *args,
                                                                int64_t b, int64_t s,
                                                                edgefw_refusal why,
                                                                const int32_t *tour, int64_t step);

/* INVALID_ARGUMENT unless args->steps is how many entries tours of so many nodes have. */
EDGEFW_API EDGEFW_NODISCARD edgefw_status edgefw_check_steps(edgefw_context *ctx,
                                                             const edgefw_decode_args *args);

/* Cost matrices of whole numbers: entry (i,j) of instance b is edgefw_random_below(word i*n+j of
 * EDGEFW_STREAM_COST, bound), its diagonal 0, then the min-plus closure. */
typedef struct edgefw_closed_costs_args {
  int64_t batch, nodes;
  uint64_t seed;
  const uint64_t *instance_ids; /* host (B) */
  uint32_t bound;
  int32_t *out; /* host (B,n,n) */
} edgefw_closed_costs_args;

/* One step of Adam over `count` numbers, t = 1, 2, ...: g = gradient + weight_decay * p;
 * m = b1 m + (1-b1) g; v = b2 v + (1-b2) g^2; p -= rate * (m / (1-b1^t)) / (sqrt(v / (1-b2^t)) +
 * eps). (PyTorch's Adam with L2 decay.) */
typedef struct edgefw_adam_args {
  int64_t count, step;
  double rate, beta1, beta2, epsilon, weight_decay;
  void *parameters, *first_moment, *second_moment;
  const void *gradients;
} edgefw_adam_args;

/* --- Operations ----------------------------------------------------------------------------------
 * Every operation of a device, one line each: its shape, its name, its arguments. The vtable below,
 * the loader's list of what a device must provide, and the tables of all devices are made from this
 * list; a new operation is appended. The shape says which members an operation NAME has:
 *
 *   PLAIN     NAME
 *   GRADIENT  NAME_forward and NAME_backward
 *   SAVING    both, and NAME_saved: the bytes that forward saves per instance for its backward
 *   SCRATCH   NAME, and NAME_scratch: the bytes of scratch memory that NAME takes per thread for
 *             such arguments (an estimate for --dry-run)
 *
 * EDGEFW_OPERATIONS(CALL, SIZE) becomes CALL(member, arguments) for each member that computes and
 * SIZE(member, arguments) for each that tells a size. */
#define EDGEFW_OPERATIONS(CALL, SIZE)                                                              \
  EDGEFW_OPERATION_GRADIENT(CALL, SIZE, linear, edgefw_linear_args)                                \
  EDGEFW_OPERATION_GRADIENT(CALL, SIZE, add_norm, edgefw_add_norm_args)                            \
  EDGEFW_OPERATION_SAVING(CALL, SIZE, mixed_attention, edgefw_mixed_attention_args)                \
  EDGEFW_OPERATION_SAVING(CALL, SIZE, attention, edgefw_attention_args)                            \
  EDGEFW_OPERATION_PLAIN(CALL, SIZE, copy, edgefw_copy_args)                                       \
  EDGEFW_OPERATION_PLAIN(CALL, SIZE, zscore, edgefw_table_args)                                    \
  EDGEFW_OPERATION_PLAIN(CALL, SIZE, transpose, edgefw_table_args)                                 \
  EDGEFW_OPERATION_PLAIN(CALL, SIZE, row_min, edgefw_table_args)                                   \
  EDGEFW_OPERATION_PLAIN(CALL, SIZE, column_min, edgefw_table_args)                                \
  EDGEFW_OPERATION_PLAIN(CALL, SIZE, row_rank, edgefw_table_args)                                  \
  EDGEFW_OPERATION_PLAIN(CALL, SIZE, column_rank, edgefw_table_args)                               \
  EDGEFW_OPERATION_PLAIN(CALL, SIZE, assignment, edgefw_assignment_args)                           \
  EDGEFW_OPERATION_PLAIN(CALL, SIZE, svd_features, edgefw_svd_args)                                \
  EDGEFW_OPERATION_SCRATCH(CALL, SIZE, decode, edgefw_decode_args)                                 \
  EDGEFW_OPERATION_PLAIN(CALL, SIZE, adam, edgefw_adam_args)                                       \
  EDGEFW_OPERATION_PLAIN(CALL, SIZE, weighted_sum, edgefw_weighted_sum_args)                       \
  EDGEFW_OPERATION_PLAIN(CALL, SIZE, log1p_table, edgefw_log1p_table_args)                         \
  EDGEFW_OPERATION_PLAIN(CALL, SIZE, narrow, edgefw_table_args)                                    \
  EDGEFW_OPERATION_PLAIN(CALL, SIZE, distances, edgefw_distances_args)                             \
  EDGEFW_OPERATION_PLAIN(CALL, SIZE, exchange, edgefw_exchange_args)                               \
  EDGEFW_OPERATION_PLAIN(CALL, SIZE, cycle_entry, edgefw_cycle_entry_args)

#define EDGEFW_OPERATION_PLAIN(CALL, SIZE, name, args) CALL(name, args)
#define EDGEFW_OPERATION_GRADIENT(CALL, SIZE, name, args)                                          \
  CALL(name##_forward, args)                                                                       \
  CALL(name##_backward, args)
#define EDGEFW_OPERATION_SAVING(CALL, SIZE, name, args)                                            \
  SIZE(name##_saved, args)                                                                         \
  EDGEFW_OPERATION_GRADIENT(CALL, SIZE, name, args)
#define EDGEFW_OPERATION_SCRATCH(CALL, SIZE, name, args)                                           \
  SIZE(name##_scratch, args)                                                                       \
  CALL(name, args)

#define EDGEFW_CALL_MEMBER(name, args) edgefw_status (*name)(edgefw_device *, const args *);
#define EDGEFW_SIZE_MEMBER(name, args) size_t (*name)(const args *);

/* A device's vtable. All members are required but those that say what NULL means. */
typedef struct edgefw_kernels {
  size_t size; /* sizeof(edgefw_kernels) */
  edgefw_dtype dtype;
  int rank; /* "device = auto" takes the highest that can be had; 0: never by itself */

  /* --- The device --- */
  /* Make the device for a context, or say why it cannot be had (PLUGIN_INIT: device = auto then
   * tries the next one) or what is wrong with a setting of its own, such as a variable of the
   * environment (CONFIG: an error whichever device was asked for). */
  edgefw_status (*create)(edgefw_context *ctx, edgefw_device **out);
  void (*destroy)(edgefw_device *device);
  /* One line: instruction set, BLAS ("x86-64-v4, OpenBLAS 0.3.21"). Lives as long as the device. */
  const char *(*describe)(const edgefw_device *device);
  /* What the device has of a precision, here and now. NULL together with set_precision. */
  edgefw_support (*precision_support)(const edgefw_device *, edgefw_precision);
  /* Products from now on; FP32 is what a device begins with unless it has TF32. NULL: the device
   * has FP32 alone. CONFIG for one of which it has nothing. */
  edgefw_status (*set_precision)(edgefw_device *, edgefw_precision);
  /* Wait until everything asked for is done, and say if any of it failed. NULL: operations return
   * when they are done. */
  edgefw_status (*finish)(edgefw_device *);

  /* --- Memory --- */
  /* Bytes of the device's own memory, free now and in all. NULL: it works in the host's memory. */
  edgefw_status (*memory)(edgefw_device *, size_t *free, size_t *total);
  /* Device memory, zeroed; NULL with a recorded OUT_OF_MEMORY that names `what`. */
  void *(*allocate)(edgefw_device *device, size_t bytes, const char *what);
  void (*release)(edgefw_device *device, void *memory);
  void (*zero)(edgefw_device *device, void *memory, size_t bytes);
  /* Copy count numbers between host doubles and device reals. */
  void (*upload)(edgefw_device *device, void *to, const double *from, int64_t count);
  void (*download)(edgefw_device *device, double *to, const void *from, int64_t count);
  /* Copy count doubles to device memory as they are, where operations take exact doubles. NULL
   * without memory of its own: then these are the host's. */
  edgefw_status (*upload_exact)(edgefw_device *device, double *to, const double *from,
                                int64_t count);

  /* --- Services --- */
  /* Sum of squares in double, fixed order; NaN and infinity pass through. */
  edgefw_status (*sum_squares)(edgefw_device *, const void *x, int64_t count, double *out);
  /* c = a b for (size,size) matrices by the fastest product that the device has, on all threads:
   * the ceiling that `edgefw bench` compares with. NULL: not measured. */
  edgefw_status (*product)(edgefw_device *, int64_t size, const void *a, const void *b, void *c);
  /* Min-plus closure of one n*n int32 matrix in host memory, in place, on the calling thread; its
   * diagonal is 0 and entries are in [0, 2^30). */
  void (*shortest_paths)(int32_t *cost, int64_t n);
  /* A batch of generated cost matrices at once. NULL: by shortest_paths, one at a time. */
  edgefw_status (*closed_costs)(edgefw_device *, const edgefw_closed_costs_args *);

  /* --- Operations --- */
  EDGEFW_OPERATIONS(EDGEFW_CALL_MEMBER, EDGEFW_SIZE_MEMBER)
} edgefw_kernels;

#undef EDGEFW_CALL_MEMBER
#undef EDGEFW_SIZE_MEMBER

EDGEFW_END_DECLS

#endif
