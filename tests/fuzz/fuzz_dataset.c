/* Datasets in HDF5: what they say of themselves, instances, reference costs. */
#include "data/dataset.h"
#include "data/dataset_labels.h"
#include "fuzz.h"
#include "recipe.h"

const char fuzz_file_name[] = "input.h5";

/* HDF5 keeps memory of its own when it refuses a damaged file. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
  return "detect_leaks=0:allocator_may_return_null=1";
}

static const char *const objects[] = {
    "/", "/cost", "/demand", "/reference", "/reference/cost", "/label", "/label/tour", NULL};
static const char *const attributes[] = {"format", "format_version", "problem", "distribution",
                                         "seed",   "scale",          NULL};
static const recipe_format format = {EDGEFW_TEST_DATA "/fuzz/dataset/good.h5", objects, attributes};

static const edgefw_field fields[] = {
    {.name = "cost", .shape = EDGEFW_FIELD_PAIR, .storage = EDGEFW_STORE_SCALED, .scale = 1e-6},
    {.name = "demand", .shape = EDGEFW_FIELD_NODE, .storage = EDGEFW_STORE_FLOAT},
    {.name = NULL},
};

void fuzz_set_up(edgefw_context *ctx) {
  (void)ctx;
}

static edgefw_status read_instances(edgefw_context *ctx, edgefw__dataset *set) {
  const edgefw__dataset_summary *summary = edgefw__dataset_describe(set);
  edgefw__batch *batch = NULL;
  edgefw_status status = edgefw__batch_create(ctx, fields, 1, summary->n, &batch);
  for (int64_t i = 0; i < summary->count && i < 100 && status == EDGEFW_OK; ++i)
    status = edgefw__dataset_read(set, i, 1, batch);
  edgefw__batch_destroy(ctx, batch);
  return status;
}

static edgefw_status read_references(edgefw_context *ctx, edgefw__dataset *set) {
  const int64_t count = edgefw__dataset_describe(set)->count;
  double *cost = edgefw_allocate(ctx, (size_t)count, sizeof *cost, "reference costs");
  const edgefw_status status = cost ? edgefw__dataset_reference(set, cost) : edgefw_failure(ctx);
  edgefw_release(ctx, cost);
  return status;
}

static edgefw_status read_labels(edgefw_context *ctx, const char *path, edgefw__dataset *set) {
  const edgefw__dataset_summary *summary = edgefw__dataset_describe(set);
  const edgefw__label_shape shape = {summary->count, summary->n, 2 * summary->n, {0}};
  int32_t *tours =
      edgefw_allocate(ctx, (size_t)(shape.count * shape.steps), sizeof *tours, "labels");
  const edgefw_status status =
      tours ? edgefw__dataset_labels(ctx, path, &shape, tours) : edgefw_failure(ctx);
  edgefw_release(ctx, tours);
  return status;
}

edgefw_status fuzz_read(edgefw_context *ctx, const char *path) {
  edgefw__dataset_summary summary;
  edgefw__dataset *set = NULL;
  recipe_prepare(&format, path);
  if (edgefw__dataset_info(ctx, path, &summary) != EDGEFW_OK) edgefw_clear(ctx);
  edgefw_status status = edgefw__dataset_open(ctx, path, "routes", fields, &set);
  if (status == EDGEFW_OK) status = read_instances(ctx, set);
  if (status == EDGEFW_OK && edgefw__dataset_describe(set)->has_reference)
    status = read_references(ctx, set);
  if (status == EDGEFW_OK && edgefw__dataset_describe(set)->has_labels)
    status = read_labels(ctx, path, set);
  edgefw__dataset_close(set);
  return status;
}
