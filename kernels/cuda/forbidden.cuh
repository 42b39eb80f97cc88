/* Entries of forbidden arcs in pair tables (edgefw_forbidden in kernels.h), on the device. */
#ifndef EDGEFW_CUDA_FORBIDDEN_CUH
#define EDGEFW_CUDA_FORBIDDEN_CUH

#include "device.cuh"

/* By value to kernels; `limit` and `cost` are in device memory and begin with the same instance. */
typedef struct cuda_forbidden {
  const double *limit; /* (B); NULL: no arc of the batch is forbidden */
  const double *cost;  /* (B,n,n) */
  int64_t nodes;
  bool forward, reverse;
} cuda_forbidden;

/* Does number `e` of instance b's table belong to a forbidden arc? */
static __device__ __forceinline__ bool is_forbidden(const cuda_forbidden &f, int64_t b, int64_t e) {
  const int64_t n = f.nodes;
  const double *cost = f.cost + b * n * n, limit = f.limit[b];
  return (f.forward && cost[e] >= limit) || (f.reverse && cost[e % n * n + e / n] >= limit);
}

/* Brings the limits of `batch` instances to the device, where they stay until the next call of
 * this; out->limit is NULL if there are none. */
EDGEFW_NODISCARD edgefw_status edgefw__cuda_forbidden(edgefw_device *device,
                                                      const edgefw_forbidden *forbidden,
                                                      int64_t batch, int64_t nodes,
                                                      cuda_forbidden *out);

/* The same from instance `first` on. */
static inline cuda_forbidden edgefw__cuda_forbidden_from(cuda_forbidden all, int64_t first) {
  if (!all.limit) return all;
  all.limit += first;
  all.cost += first * all.nodes * all.nodes;
  return all;
}

/* Writes what stands in for the entries of forbidden arcs of tables (B,n,n); `raw`: of costs as
 * they are. Nothing is done for instances without such arcs. */
EDGEFW_NODISCARD edgefw_status edgefw__cuda_fill_forbidden(edgefw_device *device,
                                                           const cuda_forbidden *forbidden,
                                                           int64_t batch, bool raw, float *table);

/* Such entries of matrices (B,n,n) become the mean of the others. */
EDGEFW_NODISCARD edgefw_status edgefw__cuda_level_forbidden(edgefw_device *device,
                                                            const cuda_forbidden *forbidden,
                                                            int64_t batch, double *matrix);

#endif
