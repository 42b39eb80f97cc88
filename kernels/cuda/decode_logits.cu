/* Weights of local attention, folded once per decode into tables by rank and input, in double. */
#include "decode_logits.cuh"

enum { FOLD_THREADS = LOCAL_HEADS * LOCAL_WIDTH };

/* What scores an embedding's component in a head: (Wk^T Wq token) / sqrt(LOCAL_HEAD). */
static __device__ double fold_key(const float *const *tensor, int head, int component) {
  double sum = 0.0;
  for (int e = head * LOCAL_HEAD; e < (head + 1) * LOCAL_HEAD; ++e) {
    double query = 0.0;
    for (int i = 0; i < LOCAL_WIDTH; ++i)
      query += (double)tensor[EDGEFW_LOCAL_QUERY][e * LOCAL_WIDTH + i] *
               (double)tensor[EDGEFW_LOCAL_TOKEN][i];
    sum += query * (double)tensor[EDGEFW_LOCAL_KEY][e * LOCAL_WIDTH + component];
  }
  return sum * 0.35355339059327373; /* 1 / sqrt(8) */
}

/* Component of the position of a rank: sin or cos of rank * 10000^(-t/15). */
static __device__ double fold_position(int rank, int component) {
  const int scales = LOCAL_WIDTH / 2;
  const double angle = (double)rank * exp(-(double)(component % scales) * log(10000.0) / 15.0);
  return component < scales ? sin(angle) : cos(angle);
}

typedef struct fold_tensors {
  const float *tensor[EDGEFW_LOCAL_TENSORS];
  int inputs;
} fold_tensors;

/* Tables as in local_tables, in one array; where each begins. */
enum {
  FOLD_KEY = 0,
  FOLD_VALUE = FOLD_KEY + LOCAL_HEADS * LOCAL_WIDTH,
  FOLD_COMBINE = FOLD_VALUE + LOCAL_WIDTH * LOCAL_WIDTH,
  FOLD_INPUT_SCORE = FOLD_COMBINE + LOCAL_WIDTH * LOCAL_WIDTH,
  FOLD_RANK_SCORE = FOLD_INPUT_SCORE + LOCAL_WIDTH, /* the first that depends on ranks */
  FOLD_PER_RANK = LOCAL_HEADS + 2 * LOCAL_WIDTH
};

static __device__ void fold_inputs(const fold_tensors *from, const double *key, float *out) {
  const int t = (int)threadIdx.x;
  out[FOLD_KEY + t] = (float)key[t];
  for (int e = t; e < LOCAL_WIDTH * LOCAL_WIDTH; e += FOLD_THREADS) {
    const int transposed = e % LOCAL_WIDTH * LOCAL_WIDTH + e / LOCAL_WIDTH;
    out[FOLD_VALUE + e] = from->tensor[EDGEFW_LOCAL_VALUE][transposed];
    out[FOLD_COMBINE + e] = from->tensor[EDGEFW_LOCAL_COMBINE][transposed];
  }
  if (t >= LOCAL_INPUTS * LOCAL_HEADS) return;
  const int f = t / LOCAL_HEADS, h = t % LOCAL_HEADS;
  double sum = 0.0;
  for (int i = 0; f < from->inputs && i < LOCAL_WIDTH; ++i)
    sum +=
        key[h * LOCAL_WIDTH + i] * (double)from->tensor[EDGEFW_LOCAL_EMBED][i * from->inputs + f];
  out[FOLD_INPUT_SCORE + t] = (float)sum;
}

/* A warp per rank, a lane per component. */
static __global__ void fold_kernel(fold_tensors from, int ranks, float *out) {
  double *key = shared_memory<double>();
  const int lane = lane_of_warp(), t = (int)threadIdx.x;
  key[t] = fold_key(from.tensor, t / LOCAL_WIDTH, t % LOCAL_WIDTH);
  __syncthreads();
  if (blockIdx.x == 0) fold_inputs(&from, key, out);
  float *rank_score = out + FOLD_RANK_SCORE, *position = rank_score + ranks * LOCAL_HEADS;
  float *transposed = position + ranks * LOCAL_WIDTH;
  const int warps = FOLD_THREADS / WARP_LANES;
  for (int rank = (int)blockIdx.x * warps + t / WARP_LANES; rank < ranks;
       rank += (int)gridDim.x * warps) {
    const double here = fold_position(rank, lane);
    const double base = (double)from.tensor[EDGEFW_LOCAL_EMBED_BIAS][lane] + here;
    position[rank * LOCAL_WIDTH + lane] = (float)here;
    transposed[lane * ranks + rank] = (float)here;
    for (int h = 0; h < LOCAL_HEADS; ++h) {
      const double score = warp_sum(key[h * LOCAL_WIDTH + lane] * base);
      if (lane == 0) rank_score[rank * LOCAL_HEADS + h] = (float)score;
    }
  }
}

static local_tables tables_at(const float *block, int ranks) {
  local_tables tables;
  tables.ranks = ranks;
  tables.key = block + FOLD_KEY;
  tables.value_t = block + FOLD_VALUE;
  tables.combine_t = block + FOLD_COMBINE;
  tables.input_score = block + FOLD_INPUT_SCORE;
  tables.rank_score = block + FOLD_RANK_SCORE;
  tables.position = tables.rank_score + ranks * LOCAL_HEADS;
  tables.transposed = tables.position + ranks * LOCAL_WIDTH;
  return tables;
}

/* Numbers of one logit's tables, at most. */
static int64_t numbers_of(const decode_call *call) {
  return FOLD_RANK_SCORE + (int64_t)FOLD_PER_RANK * call->nodes;
}

size_t edgefw__cuda_logits_bytes(const decode_call *call) {
  return (size_t)(call->plan.logit_count * numbers_of(call)) * sizeof(float);
}

edgefw_status edgefw__cuda_logits_prepare(edgefw_device *device, decode_call *call) {
  const edgefw_decode_plan *plan = &call->plan;
  const int depot = plan->start == EDGEFW_START_EACH_CUSTOMER;
  const int64_t each = numbers_of(call);
  if (plan->logit_count == 0) return EDGEFW_OK;
  float *block = (float *)edgefw__cuda_scratch(
      device, CUDA_SCRATCH_LOGITS, edgefw__cuda_logits_bytes(call), "folded weights of the logits");
  if (!block) return EDGEFW_OUT_OF_MEMORY;
  edgefw_status status = EDGEFW_OK;
  for (int l = 0; l < plan->logit_count && status == EDGEFW_OK; ++l) {
    if (plan->logits[l].kind != EDGEFW_LOGIT_LOCAL_ATTENTION) continue;
    const int ranks = near_most(plan, l, call->nodes) + depot;
    fold_tensors from;
    memcpy(from.tensor, call->logit_tensors[l], sizeof from.tensor);
    from.inputs = plan->resource_count > 0 ? 3 : 2;
    const launch_shape shape = {dim3((unsigned)cuda_blocks_of(ranks, FOLD_THREADS / WARP_LANES)),
                                FOLD_THREADS, FOLD_THREADS * sizeof(double)};
    status = launch(device, "logit weights", fold_kernel, shape, from, ranks, block + l * each);
    call->local[l] = tables_at(block + l * each, ranks);
  }
  return status;
}
