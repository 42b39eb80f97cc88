/* Makes the HDF5 files that fuzzing begins with: fuzz_corpus FOLDER writes FOLDER/dataset/ and
 * FOLDER/checkpoint/. Run by hand, into tests/fuzz, when a format changes.
 *
 * Each is written twice: by edgefw's own writers, whose files have checksums over everything, and
 * by plain calls in HDF5's old format, in which changed bytes go further; that is also what h5py
 * makes. */
#include <hdf5.h>
#include <stdio.h>
#include <string.h>

#include "data/dataset.h"
#include "data/dataset_labels.h"
#include "files/checkpoint.h"

enum { COUNT = 2, NODES = 4 };

static const edgefw_field fields[] = {
    {.name = "cost", .shape = EDGEFW_FIELD_PAIR, .storage = EDGEFW_STORE_SCALED, .scale = 1e-6},
    {.name = "demand", .shape = EDGEFW_FIELD_NODE, .storage = EDGEFW_STORE_FLOAT},
    {.name = NULL},
};

static const float floats[32] = {1, 0.5F, -2, 3, 4, 0.25F, 7, 9};
static const float squares[32] = {1, 2, 0, 4};
static const double doubles[3] = {1.5, 0.25, 3};
static const int32_t whole[COUNT * NODES * NODES] = {0, 250000, 1000000, 7, 9, 11};

static const int32_t tours[COUNT * 2 * NODES] = {0, 1, 2, 0, 3, 0, 0, 0, 0, 3, 0, 2, 1, 0, 0, 0};

static edgefw_status write_dataset(edgefw_context *ctx, const char *path) {
  edgefw__dataset_writer *writer = NULL;
  edgefw__batch *batch = NULL;
  edgefw_status status = edgefw__batch_create(ctx, fields, COUNT, NODES, &batch);
  if (status == EDGEFW_OK)
    status =
        edgefw__dataset_create(ctx, path, "routes", "uniform", 7, fields, COUNT, NODES, &writer);
  if (status == EDGEFW_OK) {
    for (int e = 0; e < COUNT * NODES * NODES; ++e) batch->data[0][e] = whole[e] / 1e6;
    batch->count = COUNT;
    status = edgefw__dataset_append(writer, batch);
    if (status == EDGEFW_OK) {
      edgefw__dataset_put_reference(writer, doubles,
                                    &(edgefw__reference_note){.kind = EDGEFW__REFERENCE_BEST_KNOWN,
                                                              .solver = "none",
                                                              .settings = "no settings"});
      status = edgefw__dataset_finish(writer);
    } else {
      edgefw__dataset_abandon(writer);
    }
  }
  edgefw__batch_destroy(ctx, batch);
  if (status != EDGEFW_OK) return status;
  return edgefw__dataset_store_labels(
      ctx, path, &(edgefw__label_shape){COUNT, NODES, 2 * NODES, {0}}, tours, "none");
}

static edgefw_status write_checkpoint(edgefw_context *ctx, const char *path) {
  const edgefw__checkpoint_tensor tensors[] = {
      {"a.weight", 2, {2, 3}, floats, floats, squares, floats},
      {"b", 1, {4}, floats, NULL, NULL, floats}};
  const edgefw__checkpoint_series series[] = {{"loss", doubles, 3}};
  const edgefw__checkpoint_scalar scalars[] = {{"loss_sum", 0.1}};
  const edgefw__checkpoint_content content = {.meta = {.problem = "routes",
                                                       .backbone = "net",
                                                       .terms = "near, far",
                                                       .plugins = "net 1.0",
                                                       .config = "[experiment]\nname = t\n",
                                                       .epoch = 3,
                                                       .step = 471,
                                                       .instances = 900,
                                                       .init_digest = 7},
                                              .tensors = tensors,
                                              .tensor_count = 2,
                                              .series = series,
                                              .series_count = 1,
                                              .scalars = scalars,
                                              .scalar_count = 1};
  return edgefw__checkpoint_write(ctx, path, &content);
}

int main(int count, char **words) {
  edgefw_context *ctx = NULL;
  char path[600];
  if (count != 2 || edgefw_context_create(&ctx, NULL) != EDGEFW_OK) {
    fprintf(stderr, "usage: %s FOLDER\n", words[0]);
    return 2;
  }
  snprintf(path, sizeof path, "%s/dataset/good.h5", words[1]);
  edgefw_status status = write_dataset(ctx, path);
  snprintf(path, sizeof path, "%s/checkpoint/good.h5", words[1]);
  if (status == EDGEFW_OK) status = write_checkpoint(ctx, path);
  if (status != EDGEFW_OK) fprintf(stderr, "%s\n", edgefw_message(ctx));
  edgefw_context_destroy(ctx);
  return status == EDGEFW_OK ? 0 : 1;
}
