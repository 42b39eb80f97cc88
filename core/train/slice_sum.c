/* Adding up the gradients of slices. */
#include "train/slice_sum.h"

enum { BLOCK_MULTIPLE = 64 }; /* entries: no device's vector or cache line lies across two blocks */

int64_t edgefw__slice_block(int64_t total) {
  const int64_t block = (total + EDGEFW__SLICE_BLOCKS - 1) / EDGEFW__SLICE_BLOCKS;
  return (block + BLOCK_MULTIPLE - 1) / BLOCK_MULTIPLE * BLOCK_MULTIPLE;
}

edgefw_status edgefw__slice_sum_allocate(const edgefw__model *model, void **sum) {
  const edgefw__engine *engine = model->engine;
  const size_t bytes = (size_t)model->parameters->total * edgefw__real_size(engine->kernels);
  *sum = engine->kernels->allocate(engine->device, bytes, "the sum of gradients");
  return *sum ? EDGEFW_OK : edgefw_failure(engine->ctx);
}

edgefw_status edgefw__slice_sum_add(const edgefw__model *model, bool first, void *sum) {
  const edgefw__engine *engine = model->engine;
  const edgefw__parameters *parameters = model->parameters;
  const edgefw_weighted_sum_args args = {.count = parameters->total,
                                         .a = 1.0,
                                         .b = first ? 0.0 : 1.0, /* 0: an exact copy */
                                         .x = parameters->gradients,
                                         .y = first ? parameters->gradients : sum,
                                         .out = sum};
  return engine->kernels->weighted_sum(engine->device, &args);
}

edgefw__range edgefw__slice_part(int64_t total, int rank, int ranks) {
  const int64_t block = edgefw__slice_block(total), blocks = (total + block - 1) / block;
  const int64_t begin = blocks * rank / ranks * block, end = blocks * (rank + 1) / ranks * block;
  return (edgefw__range){begin, (end < total ? end : total) - begin};
}

edgefw_status edgefw__slice_squares(const edgefw__model *model, const void *sum, edgefw__range part,
                                    double squares[EDGEFW__SLICE_BLOCKS]) {
  const edgefw__engine *engine = model->engine;
  const int64_t block = edgefw__slice_block(model->parameters->total);
  const size_t real = edgefw__real_size(engine->kernels);
  edgefw_status status = EDGEFW_OK;
  for (int64_t at = 0; status == EDGEFW_OK && at < part.count; at += block) {
    const int64_t left = part.count - at;
    status = engine->kernels->sum_squares(engine->device, (const char *)sum + (size_t)at * real,
                                          left < block ? left : block,
                                          &squares[(part.begin + at) / block]);
  }
  return status;
}
