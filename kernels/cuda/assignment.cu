/* Reduced costs of the assignment relaxation, a block for each instance: column minima, then
 * shortest augmenting paths (Jonker and Volgenant 1987) whose rows all threads scan together. The
 * duals are those that edgefw_graph_assignment defines, so any way to the optimum gives the same
 * table. Copies of the depot are rows and columns behind those of the nodes, which are read where
 * those of node 0 stand: equal rows have equal duals, and the table needs the first one's alone. */
#include "forbidden.cuh"
#include "warp.cuh"

#define INFINITE ((double)INFINITY)

/* The nearest column; the first one on a tie. */
typedef struct nearest {
  double distance;
  int column;
} nearest;

static __device__ __forceinline__ nearest nearer(nearest x, nearest y) {
  return y.distance < x.distance || (y.distance == x.distance && y.column < x.column) ? y : x;
}

/* One instance. Threads own columns: only j = threadIdx.x, + blockDim.x ... writes at j between
 * barriers, except where one thread alone follows a path. */
typedef struct assignment_problem {
  int n, nodes;                    /* rows; of them nodes, then copies of node 0 */
  double *cost;                    /* (nodes,nodes) */
  int64_t along_row, along_column; /* numbers from row to row and from column to column */
  double *v;                       /* (n) */
  double *distance;                /* (n) of the shortest path; INFINITE once it is final */
  double *closed;                  /* (n) v, or -INFINITE where the distance is final */
  double *reached;                 /* (n) final distances */
  int *from;                       /* (n) row before the column on that path */
  int *row_of, *column_of;         /* (n) -1: none */
  nearest *parts;                  /* (32) one for each warp */
} assignment_problem;

#define FOR_COLUMNS(j, p) for (int j = (int)threadIdx.x; j < (p)->n; j += (int)blockDim.x)

static __device__ __forceinline__ int node_at(const assignment_problem *p, int place) {
  return place < p->nodes ? place : 0;
}

static __device__ __forceinline__ double cost_at(const assignment_problem *p, int i, int j) {
  return p->cost[node_at(p, i) * p->along_row + node_at(p, j) * p->along_column];
}

/* --- Scans --- */

static __device__ nearest block_nearest(nearest x, nearest *parts) {
  const unsigned warp = threadIdx.x / WARP_LANES, warps = blockDim.x / WARP_LANES;
#pragma unroll
  for (int step = WARP_LANES / 2; step > 0; step /= 2) {
    nearest other;
    other.distance = __shfl_xor_sync(FULL_WARP, x.distance, step);
    other.column = __shfl_xor_sync(FULL_WARP, x.column, step);
    x = nearer(x, other);
  }
  if (threadIdx.x % WARP_LANES == 0) parts[warp] = x;
  __syncthreads();
  x = parts[0];
  for (unsigned w = 1; w < warps; ++w) x = nearer(x, parts[w]);
  __syncthreads();
  return x;
}

/* Distances by way of row i, which is reached at `base`; the nearest column that is not final. */
static __device__ nearest scan_row(const assignment_problem *p, int i, double base) {
  nearest best = {INFINITE, p->n};
  FOR_COLUMNS(j, p) {
    const double by_row = (cost_at(p, i, j) - p->closed[j]) + base;
    if (by_row < p->distance[j]) {
      p->distance[j] = by_row;
      p->from[j] = i;
    }
    best = nearer(best, nearest{p->distance[j], j});
  }
  return block_nearest(best, p->parts);
}

/* The nearest column becomes final; distances by way of its row. */
static __device__ nearest settle(const assignment_problem *p, nearest column) {
  const int j = column.column, row = p->row_of[j];
  if (j % (int)blockDim.x == (int)threadIdx.x) {
    p->reached[j] = column.distance;
    p->closed[j] = -INFINITE;
    p->distance[j] = INFINITE;
  }
  return scan_row(p, row, column.distance - (cost_at(p, row, j) - p->v[j]));
}

/* --- An optimal assignment --- */

/* v = column minima; each column goes to the row of its minimum if that has none yet. */
static __device__ void reduce_columns(const assignment_problem *p) {
  FOR_COLUMNS(j, p) {
    double least = cost_at(p, 0, j);
    int row = 0;
    for (int i = 1; i < p->n; ++i)
      if (cost_at(p, i, j) < least) {
        least = cost_at(p, i, j);
        row = i;
      }
    p->v[j] = least;
    p->from[j] = row;
    p->row_of[j] = p->column_of[j] = -1;
  }
  __syncthreads();
  if (threadIdx.x == 0)
    for (int j = p->n - 1; j >= 0; --j)
      if (p->column_of[p->from[j]] < 0) {
        p->column_of[p->from[j]] = j;
        p->row_of[j] = p->from[j];
      }
  __syncthreads();
}

/* The exchange of assignments along the path that ends at a column. */
static __device__ void follow_path(const assignment_problem *p, int row, int column) {
  for (int taker = -1; taker != row;) {
    taker = p->from[column];
    const int left = p->column_of[taker];
    p->row_of[column] = taker;
    p->column_of[taker] = column;
    column = left;
  }
}

/* Gives free row i a column along a shortest path (Dijkstra on the reduced costs). False, in all
 * threads, if none has a finite length. */
static __device__ bool augment(const assignment_problem *p, int i) {
  FOR_COLUMNS(j, p) {
    p->closed[j] = p->v[j];
    p->distance[j] = INFINITE;
  }
  nearest next = scan_row(p, i, 0.0);
  while (next.distance < INFINITE && p->row_of[next.column] >= 0) next = settle(p, next);
  if (!(next.distance < INFINITE)) return false;
  FOR_COLUMNS(j, p) {
    if (p->closed[j] == -INFINITE) p->v[j] += p->reached[j] - next.distance;
  }
  __syncthreads();
  if (threadIdx.x == 0) follow_path(p, i, next.column);
  __syncthreads();
  return true;
}

/* --- The choice among optimal duals --- */

/* Shortest distances `reached` to all columns, by reduced costs, from any column k that starts at
 * distance_k. */
static __device__ void reach_columns(const assignment_problem *p) {
  nearest next = {INFINITE, p->n};
  FOR_COLUMNS(j, p) {
    p->closed[j] = p->v[j];
    next = nearer(next, nearest{p->distance[j], j});
  }
  next = block_nearest(next, p->parts);
  for (int k = 0; k < p->n && next.column < p->n; ++k) next = settle(p, next);
}

/* v = v_high: what v <= 0 leaves to a column, along the shortest path from any. */
static __device__ void raise_duals(const assignment_problem *p) {
  FOR_COLUMNS(j, p) {
    p->distance[j] = -p->v[j];
  }
  reach_columns(p);
  FOR_COLUMNS(j, p) {
    p->v[j] += p->reached[j];
  }
  __syncthreads();
}

/* v = (v_high + v_low) / 2, from v = v_high. v is least where u is largest: rows and columns change
 * places, so that u rises as v did, as far as v >= 0 lets it. `u` (n). */
static __device__ void center_duals(const assignment_problem *p, double *u) {
  assignment_problem swapped = *p;
  swapped.along_row = p->along_column;
  swapped.along_column = p->along_row;
  swapped.v = u;
  swapped.row_of = p->column_of;
  swapped.column_of = p->row_of;
  FOR_COLUMNS(i, p) {
    const int own = p->column_of[i];
    u[i] = cost_at(p, i, own) - p->v[own];
    p->distance[i] = p->v[own];
  }
  __syncthreads();
  reach_columns(&swapped);
  FOR_COLUMNS(i, p) {
    p->v[p->column_of[i]] -= 0.5 * p->reached[i];
  }
  __syncthreads();
}

/* False, in all threads, if costs are not finite. */
static __device__ bool solve(const assignment_problem *p, double *u) {
  reduce_columns(p);
  for (int i = 0; i < p->n; ++i)
    if (p->column_of[i] < 0 && !augment(p, i)) return false;
  raise_duals(p);
  center_duals(p, u);
  return true;
}

/* --- The table --- */

/* Is i -> j assigned, in any copy? */
static __device__ __forceinline__ bool is_assigned(const assignment_problem *p, int i, int j) {
  return i ? node_at(p, p->column_of[i]) == j : node_at(p, p->row_of[j]) == 0;
}

/* out = log(1 + r / mean), r limited to >= 0 and exactly 0 on assigned arcs and the diagonal. */
static __device__ void write_table(const assignment_problem *p, double *u, float *out) {
  double total = 0.0;
  FOR_COLUMNS(i, p) {
    const int own = p->column_of[i];
    total += cost_at(p, i, own);
    u[i] = cost_at(p, i, own) - p->v[own];
  }
  total = block_sum(total, (double *)p->parts); /* a barrier: u is complete */
  const double mean = fmax(total / (double)p->n, 1e-9);
  for (int64_t e = threadIdx.x; e < (int64_t)p->nodes * p->nodes; e += blockDim.x) {
    const int i = (int)(e / p->nodes), j = (int)(e % p->nodes);
    const double ratio = ((p->cost[e] - p->v[j]) - u[i]) / mean;
    const bool zero = i == j || is_assigned(p, i, j) || !(ratio > 0.0);
    out[e] = zero ? 0.0f : log1pf((float)fmin(ratio, (double)FLT_MAX));
  }
  __syncthreads();
}

/* Cuts up the block's memory, for problems of up to n rows: in shared memory, or `bytes` of
 * `memory` where that is too small. */
static __device__ double *lay_out(assignment_problem *p, char *memory, size_t bytes, int64_t nodes,
                                  int64_t n) {
  p->nodes = (int)nodes;
  p->along_row = nodes;
  p->along_column = 1;
  p->parts = shared_memory<nearest>();
  double *numbers = memory ? (double *)(memory + blockIdx.x * bytes) : (double *)(p->parts + 32);
  p->v = numbers;
  p->distance = numbers + n;
  p->closed = numbers + 2 * n;
  p->reached = numbers + 3 * n;
  p->from = (int *)(numbers + 5 * n);
  p->row_of = p->from + n;
  p->column_of = p->row_of + n;
  return numbers + 4 * n; /* u */
}

/* copies (batch) of node 0, at most `most`; NULL: one. failed[b]: the costs of instance b are not
 * finite. `successor` (batch,n) NULL: not wanted. */
static __global__ void assignment_kernel(int64_t batch, int64_t n, int64_t most,
                                         const int64_t *copies, double *pair, char *memory,
                                         size_t bytes, int *failed, float *out, float *successor) {
  assignment_problem p;
  double *u = lay_out(&p, memory, bytes, n, n + most - 1);
  for (int64_t b = blockIdx.x; b < batch; b += gridDim.x) {
    p.n = (int)(n + (copies ? copies[b] - 1 : 0));
    p.cost = pair + b * n * n;
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x) p.cost[i * n + i] = INFINITE;
    __syncthreads();
    const bool solved = solve(&p, u);
    if (solved) write_table(&p, u, out + b * n * n);
    if (solved && successor)
      for (int i = (int)threadIdx.x; i < p.nodes; i += (int)blockDim.x)
        successor[b * n + i] = (float)node_at(&p, p.column_of[i]);
    if (threadIdx.x == 0) failed[b] = solved ? 0 : 1;
    __syncthreads();
  }
}

/* --- The operation --- */

/* Memory of some instances: costs, copies of the depot if there is one, blocks' own where shared
 * memory is too small, failures. */
typedef struct assignment_memory {
  double *pair;
  int64_t *copies;
  char *blocks;
  int *failed;
} assignment_memory;

static int64_t most_copies(const edgefw_assignment_args *args) {
  int64_t most = 1;
  for (int64_t b = 0; args->copies && b < args->batch; ++b)
    if (args->copies[b] > most) most = args->copies[b];
  return most;
}

/* A copy of the costs, whose diagonal is then closed. */
static edgefw_status load_chunk(edgefw_device *device, const edgefw_assignment_args *args,
                                const assignment_memory *m, int64_t first, int64_t batch) {
  const int64_t count = args->nodes * args->nodes;
  const edgefw_status status =
      edgefw__cuda_check(device,
                         cudaMemcpyAsync(m->pair, (const double *)args->pair + first * count,
                                         (size_t)(batch * count) * sizeof *m->pair,
                                         cudaMemcpyDeviceToDevice, device->stream),
                         "assignment");
  if (status != EDGEFW_OK || !args->copies) return status;
  return edgefw__cuda_to_device(device, m->copies, args->copies + first,
                                (size_t)batch * sizeof *m->copies);
}

static edgefw_status assign_chunk(edgefw_device *device, const edgefw_assignment_args *args,
                                  const assignment_memory *m, int64_t first, int64_t batch) {
  const int64_t n = args->nodes, count = n * n, most = most_copies(args);
  const size_t parts = 32 * sizeof(nearest), own = cuda_assignment_bytes(n + most - 1);
  const launch_shape shape = {dim3((unsigned)cuda_blocks_of(batch, 1)),
                              (unsigned)cuda_assignment_threads(n + most - 1),
                              m->blocks ? parts : parts + own};
  edgefw_status status = load_chunk(device, args, m, first, batch);
  if (status == EDGEFW_OK)
    status = launch(device, "assignment", assignment_kernel, shape, batch, n, most,
                    (const int64_t *)m->copies, m->pair, m->blocks, own, m->failed,
                    (float *)args->out + first * count,
                    args->successor ? (float *)args->successor + first * n : NULL);
  int *failed = (int *)edgefw__cuda_host(device, (size_t)batch * sizeof *failed, "assignment");
  if (status == EDGEFW_OK && !failed) status = EDGEFW_OUT_OF_MEMORY;
  if (status == EDGEFW_OK)
    status = edgefw__cuda_to_host(device, failed, m->failed, (size_t)batch * sizeof *failed);
  for (int64_t b = 0; status == EDGEFW_OK && b < batch; ++b)
    if (failed[b])
      status = edgefw_fail(device->ctx, EDGEFW_INVALID_ARGUMENT,
                           "assignment of instance %lld of the batch: the costs of its arcs must "
                           "be finite numbers",
                           (long long)(first + b));
  return status;
}

/* One node follows itself, two follow each other. */
static __global__ void few_successors_kernel(int64_t count, int64_t n, float *successor) {
  FOR_ELEMENTS(e, count) {
    successor[e] = (float)(n - 1 - e % n);
  }
}

/* One or two nodes: no arc is left out of the assignment. */
static edgefw_status assign_few(edgefw_device *device, const edgefw_assignment_args *args) {
  const int64_t n = args->nodes, count = args->batch * n;
  const edgefw_status status = edgefw__cuda_check(
      device, cudaMemsetAsync(args->out, 0, (size_t)(count * n) * sizeof(float), device->stream),
      "assignment");
  if (status != EDGEFW_OK || !args->successor) return status;
  return launch(device, "assignment", few_successors_kernel, shape_of_elements(count), count, n,
                (float *)args->successor);
}

edgefw_status edgefw__cuda_assignment(edgefw_device *device, const edgefw_assignment_args *args) {
  const int64_t n = args->nodes, count = n * n;
  if (n < 3) return assign_few(device, args);
  const size_t own = cuda_assignment_bytes(n + most_copies(args) - 1);
  const size_t copies = args->copies ? sizeof(int64_t) : 0;
  const bool shared = own + 32 * sizeof(nearest) <= device->shared_limit;
  const size_t each = (size_t)count * sizeof(double) + copies + (shared ? 0 : own) + sizeof(int);
  int64_t chunk = 0;
  assignment_memory m;
  m.pair = (double *)edgefw__cuda_scratch_for(device, CUDA_SCRATCH_STAGING, args->batch, each,
                                              "assignment", &chunk);
  if (!m.pair) return EDGEFW_OUT_OF_MEMORY;
  m.copies = args->copies ? (int64_t *)(m.pair + chunk * count) : NULL;
  char *rest = (char *)(m.pair + chunk * count) + (size_t)chunk * copies;
  m.blocks = shared ? NULL : rest;
  m.failed = (int *)(shared ? rest : rest + (size_t)chunk * own);
  edgefw_status status = EDGEFW_OK;
  for (int64_t first = 0; first < args->batch && status == EDGEFW_OK; first += chunk)
    status = assign_chunk(device, args, &m, first,
                          args->batch - first < chunk ? args->batch - first : chunk);
  cuda_forbidden forbidden;
  if (status == EDGEFW_OK)
    status = edgefw__cuda_forbidden(device, &args->forbidden, args->batch, n, &forbidden);
  if (status != EDGEFW_OK) return status;
  return edgefw__cuda_fill_forbidden(device, &forbidden, args->batch, false, (float *)args->out);
}
