/* Rows copied, or added, between arrays of different strides. */
#include "device.cuh"

static __global__ void copy_kernel(int64_t rows, int64_t width, int64_t from_stride,
                                   int64_t to_stride, const float *from, float *to, bool add) {
  FOR_ELEMENTS(e, rows * width) {
    const int64_t row = e / width, column = e % width;
    const float value = from[row * from_stride + column];
    float *at = to + row * to_stride + column;
    *at = add ? *at + value : value;
  }
}

edgefw_status edgefw__cuda_copy(edgefw_device *device, const edgefw_copy_args *args) {
  return launch(device, "copy", copy_kernel, shape_of_elements(args->rows * args->width),
                args->rows, args->width, args->from_stride, args->to_stride,
                (const float *)args->from, (float *)args->to, args->add);
}
