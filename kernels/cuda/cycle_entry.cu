/* The cheapest exchange into each cycle (edgefw_cycle_entry_args): a thread for each instance finds
 * the least node of each node's cycle, then one for each row has the minima stand there first. */
#include "device.cuh"

/* part (batch,n); see kernels/shared/cycles.h. */
static __global__ void cycles_kernel(int64_t batch, int64_t n, const float *successor, int *part) {
  FOR_ELEMENTS(b, batch) {
    const float *after = successor + b * n;
    int *own = part + b * n;
    for (int64_t i = 0; i < n; ++i) own[i] = -1;
    for (int64_t i = 0; i < n; ++i) {
      int64_t end = i;
      do end = (int64_t)after[end];
      while (own[end] < 0 && end != i);
      const int least = own[end] < 0 ? (int)i : own[end];
      for (int64_t k = i; own[k] < 0; k = (int64_t)after[k]) own[k] = least;
    }
  }
}

static __global__ void cycle_entry_kernel(int64_t rows, int64_t n, const float *exchange,
                                          const int *part, float *out) {
  FOR_ELEMENTS(row, rows) {
    const int64_t i = row % n;
    const int *own = part + row / n * n;
    const float *price = exchange + row * n;
    float *least = out + row * n;
    for (int64_t j = 0; j < n; ++j) least[j] = log1pf((float)n);
    for (int64_t j = 0; j < n; ++j)
      if (own[j] != own[i]) least[own[j]] = fminf(least[own[j]], price[j]);
    for (int64_t j = 0; j < n; ++j) least[j] = least[own[j]];
  }
}

edgefw_status edgefw__cuda_cycle_entry(edgefw_device *device, const edgefw_cycle_entry_args *args) {
  const int64_t n = args->nodes, rows = args->batch * n;
  int *part = (int *)edgefw__cuda_scratch(device, CUDA_SCRATCH_WORK, (size_t)rows * sizeof *part,
                                          "entries into cycles");
  if (!part) return EDGEFW_OUT_OF_MEMORY;
  const edgefw_status status =
      launch(device, "cycles", cycles_kernel, shape_of_elements(args->batch), args->batch, n,
             (const float *)args->successor, part);
  if (status != EDGEFW_OK) return status;
  return launch(device, "entries into cycles", cycle_entry_kernel, shape_of_elements(rows), rows, n,
                (const float *)args->exchange, (const int *)part, (float *)args->out);
}
