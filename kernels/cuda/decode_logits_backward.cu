/* Gradients of a local attention's tensors: a warp goes through a fixed block of an instance's
 * decisions, does each one's forward again, and keeps sums over them in registers. The sums of an
 * instance are added up in order, and then those of the instances, one after another. */
#include "decode_logits.cuh"

enum {
  GRADIENT_ROWS = 256, /* decisions of one warp: fixed, they order the additions */
  GRADIENT_WARPS = 4,  /* of one block */
  SQUARE = LOCAL_WIDTH * LOCAL_WIDTH
};

/* Sums over decisions, in one array: where each begins. */
enum {
  SUM_COMBINE = 0,
  SUM_VALUE = SUM_COMBINE + SQUARE,
  SUM_KEY = SUM_VALUE + SQUARE, /* of local_tables.key */
  SUM_EMBED = SUM_KEY + LOCAL_HEADS * LOCAL_WIDTH,
  SUM_BIAS = SUM_EMBED + LOCAL_INPUTS * LOCAL_WIDTH,
  SUM_COMBINE_BIAS = SUM_BIAS + LOCAL_WIDTH,
  SUMS = SUM_COMBINE_BIAS + LOCAL_WIDTH
};

/* At this lane's component: columns of the matrices, and vectors. */
typedef struct local_sums {
  float combine[LOCAL_WIDTH], value[LOCAL_WIDTH];
  float key[LOCAL_HEADS], embed[LOCAL_INPUTS], bias, combine_bias;
} local_sums;

typedef struct gradient_slot {
  logits_slot forward;
  float4 dmean[LOCAL_WIDTH]; /* gradients of the heads' mean embeddings, by component */
  float dz[LOCAL_WIDTH], dattended[LOCAL_WIDTH];
} gradient_slot;

/* What the kernels get besides the call. */
typedef struct gradient_call {
  int logit, first, parts; /* first instance; parts of an instance */
  const float *dscore;     /* (B,S,T,n) */
  const uint32_t *open;    /* (B,S,T,words) */
  int64_t words;
} gradient_call;

/* Gradients of scores z . e_j / sqrt(LOCAL_WIDTH) with respect to the dot products: their sum, and
 * that of the members' inputs and positions times them. */
typedef struct score_gradients {
  float total, inputs[LOCAL_INPUTS], position;
} score_gradients;

static __device__ __forceinline__ void sum_scores(const local_tables *tables,
                                                  const local_view *view, const near_set *set,
                                                  const float *dscore, float4 *by_head,
                                                  score_gradients *sum) {
  float position[LOCAL_HEADS] = {0.0f, 0.0f, 0.0f, 0.0f};
  *sum = score_gradients{};
  near_members(set, [&](const near_batch &batch) {
    float x[LOCAL_INPUTS];
    local_inputs(view, batch.node, x);
    const bool open = batch.taken && near_is_open(set, batch.node);
    const float number = open ? dscore[batch.node] * LOCAL_SCALE : 0.0f;
    const float numbers[LOCAL_HEADS] = {number, 0.0f, 0.0f, 0.0f};
    sum->total += number;
#pragma unroll
    for (int f = 0; f < LOCAL_INPUTS; ++f) sum->inputs[f] += number * x[f];
    local_add_positions(tables, &batch, numbers, by_head, position);
  });
  sum->total = warp_sum(sum->total);
#pragma unroll
  for (int f = 0; f < LOCAL_INPUTS; ++f) sum->inputs[f] = warp_sum(sum->inputs[f]);
  sum->position = position[0];
}

/* Through combine and the values: dz gives dattended and the gradients of the heads' means, which
 * go to the slot, too. */
static __device__ __forceinline__ void value_backward(const float *const *tensor,
                                                      gradient_slot *slot, float dz,
                                                      float dmean[LOCAL_HEADS]) {
  const int lane = lane_of_warp();
  slot->dz[lane] = dz;
  __syncwarp();
  float dattended = 0.0f;
#pragma unroll 8
  for (int o = 0; o < LOCAL_WIDTH; ++o)
    dattended += tensor[EDGEFW_LOCAL_COMBINE][o * LOCAL_WIDTH + lane] * slot->dz[o];
  slot->dattended[lane] = dattended;
  __syncwarp();
#pragma unroll
  for (int h = 0; h < LOCAL_HEADS; ++h) {
    dmean[h] = 0.0f;
#pragma unroll
    for (int e = h * LOCAL_HEAD; e < (h + 1) * LOCAL_HEAD; ++e)
      dmean[h] += tensor[EDGEFW_LOCAL_VALUE][e * LOCAL_WIDTH + lane] * slot->dattended[e];
  }
  slot->dmean[lane] = make_float4(dmean[0], dmean[1], dmean[2], dmean[3]);
  __syncwarp();
}

/* Gradients of the members' scores under the softmax, times the embeddings: at this lane's
 * component for the positions, and for the inputs their sums. */
typedef struct weight_gradients {
  float position[LOCAL_HEADS], inputs[LOCAL_HEADS][LOCAL_INPUTS];
} weight_gradients;

/* What a head's mean of embeddings is multiplied by: e = column x + position + bias. */
typedef struct mean_factors {
  float inputs[LOCAL_HEADS][LOCAL_INPUTS], rest[LOCAL_HEADS]; /* rest: bias less the mean */
} mean_factors;

static __device__ __forceinline__ void sum_weights(const local_tables *tables,
                                                   const local_view *view, const near_set *set,
                                                   const local_attention *a,
                                                   const mean_factors *factors, gradient_slot *slot,
                                                   weight_gradients *sum) {
  *sum = weight_gradients{};
  near_members(set, [&](const near_batch &batch) {
    const int rank = batch.taken ? batch.rank : 0;
    const bool open = batch.taken && near_is_open(set, batch.node);
    float x[LOCAL_INPUTS], number[LOCAL_HEADS], dweight[LOCAL_HEADS];
    local_inputs(view, batch.node, x);
    local_scores(tables, rank, x, number);
#pragma unroll
    for (int h = 0; h < LOCAL_HEADS; ++h)
      dweight[h] = factors->rest[h] + factors->inputs[h][0] * x[0] + factors->inputs[h][1] * x[1] +
                   factors->inputs[h][2] * x[2];
#pragma unroll 8
    for (int i = 0; i < LOCAL_WIDTH; ++i) {
      const float4 d = slot->dmean[i];
      const float position = tables->transposed[i * tables->ranks + rank];
      dweight[0] += d.x * position;
      dweight[1] += d.y * position;
      dweight[2] += d.z * position;
      dweight[3] += d.w * position;
    }
#pragma unroll
    for (int h = 0; h < LOCAL_HEADS; ++h) {
      const float weight = open ? __expf(number[h] - a->most[h]) / a->total[h] : 0.0f;
      number[h] = weight * dweight[h];
#pragma unroll
      for (int f = 0; f < LOCAL_INPUTS; ++f) sum->inputs[h][f] += number[h] * x[f];
    }
    local_add_positions(tables, &batch, number, slot->forward.by_head, sum->position);
  });
#pragma unroll
  for (int h = 0; h < LOCAL_HEADS; ++h)
#pragma unroll
    for (int f = 0; f < LOCAL_INPUTS; ++f) sum->inputs[h][f] = warp_sum(sum->inputs[h][f]);
}

/* One decision, added to the sums. */
static __device__ __forceinline__ void add_decision(const decode_call *c, int logit,
                                                    const local_view *view, const near_set *set,
                                                    const float *dscore, gradient_slot *slot,
                                                    local_sums *sums) {
  const local_tables *tables = &c->local[logit];
  const float *const *tensor = c->logit_tensors[logit];
  const int lane = lane_of_warp();
  local_attention a;
  score_gradients scores;
  mean_factors factors;
  weight_gradients weights;
  float column[LOCAL_INPUTS], dmean[LOCAL_HEADS];
  local_attend(c, logit, view, set, &slot->forward, &a);
  sum_scores(tables, view, set, dscore, slot->forward.by_head, &scores);
  local_embed(c, logit, column);
  const float bias = tensor[EDGEFW_LOCAL_EMBED_BIAS][lane];
  const float dz = scores.position + bias * scores.total + column[0] * scores.inputs[0] +
                   column[1] * scores.inputs[1] + column[2] * scores.inputs[2];
  value_backward(tensor, slot, dz, dmean);
#pragma unroll
  for (int h = 0; h < LOCAL_HEADS; ++h) {
    factors.rest[h] = warp_sum(dmean[h] * (bias - a.mean[h]));
#pragma unroll
    for (int f = 0; f < LOCAL_INPUTS; ++f) factors.inputs[h][f] = warp_sum(dmean[h] * column[f]);
  }
  sum_weights(tables, view, set, &a, &factors, slot, &weights);
  sums->combine_bias += dz;
  sums->bias += a.z * scores.total + dmean[0] + dmean[1] + dmean[2] + dmean[3];
#pragma unroll
  for (int f = 0; f < LOCAL_INPUTS; ++f) sums->embed[f] += a.z * scores.inputs[f];
#pragma unroll
  for (int h = 0; h < LOCAL_HEADS; ++h) {
    const float key = tables->key[h * LOCAL_WIDTH + lane];
    sums->key[h] += weights.position[h];
#pragma unroll
    for (int f = 0; f < LOCAL_INPUTS; ++f) {
      sums->key[h] += column[f] * weights.inputs[h][f];
      sums->embed[f] += key * weights.inputs[h][f] + dmean[h] * a.inputs[h][f];
    }
  }
#pragma unroll
  for (int i = 0; i < LOCAL_WIDTH; ++i) {
    sums->combine[i] += slot->dz[i] * a.attended;
    sums->value[i] += slot->dattended[i] * a.mean[i / LOCAL_HEAD];
  }
  __syncwarp();
}

static __device__ __forceinline__ void store_sums(const local_sums *sums, float *out) {
#pragma unroll
  for (int i = 0; i < LOCAL_WIDTH; ++i) {
    out[SUM_COMBINE + i * LOCAL_WIDTH] = sums->combine[i];
    out[SUM_VALUE + i * LOCAL_WIDTH] = sums->value[i];
  }
#pragma unroll
  for (int h = 0; h < LOCAL_HEADS; ++h) out[SUM_KEY + h * LOCAL_WIDTH] = sums->key[h];
#pragma unroll
  for (int f = 0; f < LOCAL_INPUTS; ++f) out[SUM_EMBED + f * LOCAL_WIDTH] = sums->embed[f];
  out[SUM_BIAS] = sums->bias;
  out[SUM_COMBINE_BIAS] = sums->combine_bias;
}

/* parts (instances,g.parts,SUMS): a warp for each part of an instance, from instance g.first on. */
static __global__ void __launch_bounds__(GRADIENT_WARPS *WARP_LANES)
    gradient_kernel(decode_call c, gradient_call g, int64_t count, float *parts) {
  const int64_t part = (int64_t)blockIdx.x * GRADIENT_WARPS + threadIdx.x / WARP_LANES;
  if (part >= count) return;
  gradient_slot *slot = shared_memory<gradient_slot>() + threadIdx.x / WARP_LANES;
  const int instance = g.first + (int)(part / g.parts);
  const int64_t rows = (int64_t)c.rollouts * c.steps;
  const int64_t first = part % g.parts * GRADIENT_ROWS, last = min(first + GRADIENT_ROWS, rows);
  local_sums sums = {};
  for (int64_t at = first; at < last; ++at) {
    const int s = (int)(at / c.steps), t = (int)(at % c.steps);
    const int64_t rollout = (int64_t)instance * c.rollouts + s;
    if (t < decode_given(&c, rollout) || t >= c.saved.length[rollout]) continue;
    const int64_t row = instance * rows + at;
    const int current = c.tours[row - 1];
    near_set set =
        near_set_of(&c, g.logit, instance, current, g.open + row * g.words, slot->forward.list);
    near_find(&set, c.tables[c.plan.logits[g.logit].table] +
                        ((int64_t)instance * c.nodes + current) * c.nodes);
    const float share = c.saved.share ? c.saved.share[row * c.plan.resource_count] : 0.0f;
    const local_view view = local_view_of(&c, g.logit, instance, current, &set, share);
    add_decision(&c, g.logit, &view, &set, g.dscore + row * c.nodes, slot, &sums);
  }
  store_sums(&sums, parts + part * SUMS + lane_of_warp());
}

/* totals (instances,SUMS) of the parts. */
static __global__ void total_kernel(int parts_of_each, const float *parts, float *totals) {
  const int e = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  const float *part = parts + (int64_t)blockIdx.y * parts_of_each * SUMS;
  if (e >= SUMS) return;
  double total = 0.0;
  for (int p = 0; p < parts_of_each; ++p) total += (double)part[(int64_t)p * SUMS + e];
  totals[(int64_t)blockIdx.y * SUMS + e] = (float)total;
}

typedef struct gradient_tensors {
  const float *tensor[EDGEFW_LOCAL_TENSORS];
  float *gradient[EDGEFW_LOCAL_TENSORS]; /* NULL: not wanted */
  int inputs;
} gradient_tensors;

static __device__ __forceinline__ void add_gradient(const gradient_tensors *t, int tensor, int at,
                                                    float value) {
  if (t->gradient[tensor]) t->gradient[tensor][at] += value;
}

/* Adds the sums of instances, in their order, and through local_tables.key those of key, query and
 * token; by one block with a thread for each entry of a square tensor: row `warp`, column `lane`.
 */
static __global__ void __launch_bounds__(SQUARE)
    unfold_kernel(gradient_tensors t, int instances, const float *totals) {
  float *dtoken = shared_memory<float>(); /* (SQUARE) */
  const int e = (int)threadIdx.x, warp = e / WARP_LANES, lane = lane_of_warp();
  const float scale = 0.35355339059327373f; /* 1 / sqrt(LOCAL_HEAD) */
  const float token = t.tensor[EDGEFW_LOCAL_TOKEN][lane];
  const float query_weight = t.tensor[EDGEFW_LOCAL_QUERY][e];
  const float query = scale * warp_sum(query_weight * token);
  const float key_weight = scale * t.tensor[EDGEFW_LOCAL_KEY][e];
  for (int b = 0; b < instances; ++b, totals += SUMS) {
    const float dkey = totals[SUM_KEY + warp / LOCAL_HEAD * LOCAL_WIDTH + lane];
    const float dquery = warp_sum(key_weight * dkey);
    add_gradient(&t, EDGEFW_LOCAL_KEY, e, query * dkey);
    add_gradient(&t, EDGEFW_LOCAL_QUERY, e, dquery * token);
    add_gradient(&t, EDGEFW_LOCAL_COMBINE, e, totals[SUM_COMBINE + e]);
    add_gradient(&t, EDGEFW_LOCAL_VALUE, e, totals[SUM_VALUE + e]);
    if (warp < t.inputs)
      add_gradient(&t, EDGEFW_LOCAL_EMBED, lane * t.inputs + warp, totals[SUM_EMBED + e]);
    dtoken[e] = query_weight * dquery;
    __syncthreads();
    if (warp == 0) {
      float sum = 0.0f;
      for (int o = 0; o < LOCAL_WIDTH; ++o) sum += dtoken[o * LOCAL_WIDTH + lane];
      add_gradient(&t, EDGEFW_LOCAL_TOKEN, lane, sum);
      add_gradient(&t, EDGEFW_LOCAL_EMBED_BIAS, lane, totals[SUM_BIAS + lane]);
      add_gradient(&t, EDGEFW_LOCAL_COMBINE_BIAS, lane, totals[SUM_COMBINE_BIAS + lane]);
    }
    __syncthreads();
  }
}

/* Instances g->first .. g->first + count - 1; parts has room for count * (g->parts + 1) * SUMS. */
static edgefw_status add_instances(edgefw_device *device, const decode_call *call,
                                   const gradient_call *g, int count,
                                   const gradient_tensors *tensors, float *parts) {
  const char *what = "local attention backward";
  const int64_t warps = (int64_t)count * g->parts;
  float *totals = parts + warps * SUMS;
  const launch_shape rows = {dim3((unsigned)((warps + GRADIENT_WARPS - 1) / GRADIENT_WARPS)),
                             GRADIENT_WARPS * WARP_LANES, GRADIENT_WARPS * sizeof(gradient_slot)};
  const launch_shape sums = {
      dim3((unsigned)cuda_blocks_of(SUMS, CUDA_ELEMENT_THREADS), (unsigned)count),
      CUDA_ELEMENT_THREADS, 0};
  const launch_shape square = {dim3(1), SQUARE, SQUARE * sizeof(float)};
  edgefw_status status = launch(device, what, gradient_kernel, rows, *call, *g, warps, parts);
  if (status == EDGEFW_OK)
    status = launch(device, what, total_kernel, sums, g->parts, (const float *)parts, totals);
  if (status == EDGEFW_OK)
    status = launch(device, what, unfold_kernel, square, *tensors, count, (const float *)totals);
  return status;
}

static gradient_tensors tensors_of(const edgefw_decode_args *args, const decode_call *call,
                                   int logit) {
  gradient_tensors tensors;
  for (int t = 0; t < EDGEFW_LOCAL_TENSORS; ++t) {
    tensors.tensor[t] = call->logit_tensors[logit][t];
    tensors.gradient[t] = (float *)args->gradients.logits[logit][t];
  }
  tensors.inputs = call->plan.resource_count > 0 ? 3 : 2;
  return tensors;
}

/* Of an instance. */
static int parts_of(const decode_call *call) {
  const int64_t rows = (int64_t)call->rollouts * call->steps;
  return (int)((rows + GRADIENT_ROWS - 1) / GRADIENT_ROWS);
}

size_t edgefw__cuda_logits_backward_bytes(const decode_call *call, int64_t count) {
  for (int l = 0; l < call->plan.logit_count; ++l)
    if (call->plan.logits[l].kind == EDGEFW_LOGIT_LOCAL_ATTENTION)
      return (size_t)count * (size_t)(parts_of(call) + 1) * SUMS * sizeof(float);
  return 0;
}

edgefw_status edgefw__cuda_logits_backward(edgefw_device *device, const edgefw_decode_args *args,
                                           const decode_call *call, int logit, const float *dscore,
                                           const uint32_t *open, int64_t words) {
  const gradient_tensors tensors = tensors_of(args, call, logit);
  gradient_call g = {};
  g.logit = logit;
  g.parts = parts_of(call);
  g.dscore = dscore;
  g.open = open;
  g.words = words;
  const size_t each = edgefw__cuda_logits_backward_bytes(call, 1);
  int64_t at_once = call->batch < CUDA_MOST_BLOCKS ? call->batch : (int64_t)CUDA_MOST_BLOCKS;
  float *parts = (float *)edgefw__cuda_scratch_for(device, CUDA_SCRATCH_PARTS, at_once, each,
                                                   "gradients of the local attention", &at_once);
  if (!parts) return EDGEFW_OUT_OF_MEMORY;
  edgefw_status status = EDGEFW_OK;
  for (; g.first < call->batch && status == EDGEFW_OK; g.first += (int)at_once) {
    const int64_t left = call->batch - g.first;
    status =
        add_instances(device, call, &g, (int)(left < at_once ? left : at_once), &tensors, parts);
  }
  return status;
}
