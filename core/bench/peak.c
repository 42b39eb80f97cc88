/* Measuring a device's matrix product. */
#include "bench/peak.h"

#include "base/clock.h"

#define LEAST  3   /* products */
#define BUDGET 0.3 /* seconds: more products within it */

/* Two matrices with ordinary numbers in them: zeros would be multiplied faster on some machines. */
static edgefw_status fill(const edgefw__engine *engine, void *a, void *b) {
  const int64_t count = (int64_t)EDGEFW__PEAK_SIZE * EDGEFW__PEAK_SIZE;
  double *numbers = edgefw_allocate(engine->ctx, (size_t)count, sizeof *numbers, "matrices");
  if (!numbers) return edgefw_failure(engine->ctx);
  for (int64_t i = 0; i < count; ++i) numbers[i] = (double)(i % 1009) / 1009.0 - 0.5;
  engine->kernels->upload(engine->device, a, numbers, count);
  engine->kernels->upload(engine->device, b, numbers, count);
  edgefw_release(engine->ctx, numbers);
  return EDGEFW_OK;
}

static edgefw_status measure(const edgefw__engine *engine, const void *a, const void *b, void *c,
                             double *best) {
  const double started = edgefw__seconds();
  const edgefw_status uploaded = edgefw__engine_finish(engine);
  if (uploaded != EDGEFW_OK) return uploaded;
  for (int run = 0; run < LEAST || edgefw__seconds() - started < BUDGET; ++run) {
    const double begin = edgefw__seconds();
    edgefw_status status = engine->kernels->product(engine->device, EDGEFW__PEAK_SIZE, a, b, c);
    if (status == EDGEFW_OK) status = edgefw__engine_finish(engine);
    if (status != EDGEFW_OK) return status;
    const double took = edgefw__seconds() - begin;
    if (run == 0 || took < *best) *best = took;
  }
  return EDGEFW_OK;
}

edgefw_status edgefw__peak_measure(const edgefw__engine *engine, double *out) {
  const edgefw_kernels *kernels = engine->kernels;
  const double size = EDGEFW__PEAK_SIZE;
  const size_t bytes = (size_t)EDGEFW__PEAK_SIZE * EDGEFW__PEAK_SIZE * edgefw__real_size(kernels);
  void *matrices[3] = {NULL, NULL, NULL};
  double seconds = 0.0;
  edgefw_status status = EDGEFW_OK;
  *out = 0.0;
  if (!kernels->product) return EDGEFW_OK;
  for (int m = 0; m < 3 && status == EDGEFW_OK; ++m) {
    matrices[m] = kernels->allocate(engine->device, bytes, "matrices");
    if (!matrices[m]) status = edgefw_failure(engine->ctx);
  }
  if (status == EDGEFW_OK) status = fill(engine, matrices[0], matrices[1]);
  if (status == EDGEFW_OK)
    status = measure(engine, matrices[0], matrices[1], matrices[2], &seconds);
  for (int m = 0; m < 3; ++m) kernels->release(engine->device, matrices[m]);
  if (status == EDGEFW_OK) *out = 2.0 * size * size * size / seconds;
  return status;
}
