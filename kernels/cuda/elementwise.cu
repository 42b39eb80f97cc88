/* Number by number: a x + b y, log(1 + x). */
#include "device.cuh"

static __global__ void weighted_sum_kernel(int64_t count, float a, const float *x, float b,
                                           const float *y, float *out) {
  FOR_ELEMENTS(e, count) out[e] = a * x[e] + b * y[e];
}

static __global__ void log1p_kernel(int64_t count, const float *x, float *out) {
  FOR_ELEMENTS(e, count) out[e] = log1pf(x[e]);
}

edgefw_status edgefw__cuda_weighted_sum(edgefw_device *device,
                                        const edgefw_weighted_sum_args *args) {
  return launch(device, "weighted sum", weighted_sum_kernel, shape_of_elements(args->count),
                args->count, (float)args->a, (const float *)args->x, (float)args->b,
                (const float *)args->y, (float *)args->out);
}

edgefw_status edgefw__cuda_log1p_table(edgefw_device *device, const edgefw_log1p_table_args *args) {
  return launch(device, "log1p", log1p_kernel, shape_of_elements(args->count), args->count,
                (const float *)args->x, (float *)args->out);
}
