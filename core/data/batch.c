/* Batches of instances. */
#include "data/batch.h"

#include <inttypes.h>
#include <math.h>

int edgefw__field_table_size(const edgefw_field *fields) {
  int count = 0;
  while (fields[count].name) {
    if (++count > EDGEFW_MAX_FIELDS) return -1;
  }
  return count;
}

int edgefw__field_rank(edgefw_field_shape shape) {
  switch (shape) {
  case EDGEFW_FIELD_PAIR:
  case EDGEFW_FIELD_POINT: return 3;
  case EDGEFW_FIELD_NODE: return 2;
  case EDGEFW_FIELD_SCALAR: break;
  }
  return 1;
}

static edgefw_status check_sizes(edgefw_context *ctx, int field_count, int64_t capacity,
                                 int64_t n) {
  if (field_count < 1) {
    return edgefw_fail(ctx, EDGEFW_INVALID_ARGUMENT,
                       "a batch needs 1 to %d fields per instance, the problem declares %s",
                       EDGEFW_MAX_FIELDS, field_count < 0 ? "more" : "none");
  }
  if (n < 1 || n > EDGEFW_MAX_NODES) {
    return edgefw_fail(ctx, EDGEFW_INVALID_ARGUMENT,
                       "an instance has 1 to %d nodes, asked for %" PRId64, EDGEFW_MAX_NODES, n);
  }
  if (capacity < 1 || capacity > INT32_MAX) {
    return edgefw_fail(ctx, EDGEFW_INVALID_ARGUMENT,
                       "a batch holds 1 to %d instances, asked for %" PRId64, INT32_MAX, capacity);
  }
  return EDGEFW_OK;
}

edgefw_status edgefw__batch_create(edgefw_context *ctx, const edgefw_field *fields,
                                   int64_t capacity, int64_t n, edgefw__batch **out) {
  *out = NULL;
  const int field_count = edgefw__field_table_size(fields);
  edgefw_status status = check_sizes(ctx, field_count, capacity, n);
  if (status) return status;

  edgefw__batch *batch = edgefw_allocate(ctx, 1, sizeof *batch, "a batch");
  if (!batch) return EDGEFW_OUT_OF_MEMORY;
  batch->capacity = capacity;
  batch->n = n;
  batch->fields = fields;
  batch->field_count = field_count;
  batch->ids = edgefw_allocate(ctx, (size_t)capacity, sizeof *batch->ids, "instance numbers");
  batch->limits = edgefw_allocate(ctx, (size_t)capacity, sizeof *batch->limits, "forbidden arcs");
  if (!batch->ids || !batch->limits) goto out_of_memory;
  for (int f = 0; f < field_count; ++f) {
    /* No overflow: 2^31 instances of 50000^2 numbers fit in 63 bits. */
    const int64_t numbers = capacity * edgefw_field_count(fields[f].shape, n);
    batch->data[f] = edgefw_allocate(ctx, (size_t)numbers, sizeof(double), fields[f].name);
    if (!batch->data[f]) goto out_of_memory;
  }
  *out = batch;
  return EDGEFW_OK;

out_of_memory:
  edgefw__batch_destroy(ctx, batch);
  return EDGEFW_OUT_OF_MEMORY;
}

void edgefw__batch_destroy(edgefw_context *ctx, edgefw__batch *batch) {
  if (!batch) return;
  for (int f = 0; f < batch->field_count; ++f) edgefw_release(ctx, batch->data[f]);
  edgefw_release(ctx, batch->ids);
  edgefw_release(ctx, batch->limits);
  edgefw_release(ctx, batch);
}

const double *edgefw__batch_forbidden(const edgefw__batch *batch) {
  return batch->has_forbidden ? batch->limits : NULL;
}

edgefw_instance edgefw__batch_instance(const edgefw__batch *batch, int64_t index) {
  edgefw_instance instance = {
      .n = batch->n, .id = batch->ids[index], .name = NULL, .fields = batch->fields};
  if (batch->has_forbidden && batch->limits[index] < (double)INFINITY)
    instance.forbidden = batch->limits[index];
  for (int f = 0; f < batch->field_count; ++f) {
    instance.data[f] =
        batch->data[f] + index * edgefw_field_count(batch->fields[f].shape, batch->n);
  }
  return instance;
}
