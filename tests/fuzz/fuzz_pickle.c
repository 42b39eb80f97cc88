/* Pickles of state dicts: the input becomes the data.pkl of an archive that is right in every other
 * way, with three storages, and every tensor is read to its end. */
#include <stdio.h>
#include <string.h>
#include <zip.h>

#include "files/torch_file.h"
#include "fuzz.h"

const char fuzz_file_name[] = "data.pkl";

/* Six numbers as float32 twice, and as float64: what the pickles in tests/fuzz/pickle have. */
static const float floats[6] = {0.0F, 1.0F, 2.0F, 3.0F, 4.0F, 5.0F};
static const double doubles[6] = {0.0, 1.0, 2.0, 3.0, 4.0, 5.0};

void fuzz_set_up(edgefw_context *ctx) {
  (void)ctx;
}

static bool add(zip_t *archive, const char *name, zip_source_t *source) {
  const zip_int64_t index = source ? zip_file_add(archive, name, source, 0) : -1;
  if (index < 0) return false;
  return zip_set_file_compression(archive, (zip_uint64_t)index, ZIP_CM_STORE, 0) == 0;
}

static void write_archive(const char *path, const char *pickle) {
  int code = 0;
  zip_t *archive = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &code);
  if (!archive) fuzz_fault("cannot make %s", path);
  const bool good =
      add(archive, "a/data.pkl", zip_source_file(archive, pickle, 0, -1)) &&
      add(archive, "a/data/0", zip_source_buffer(archive, floats, sizeof floats, 0)) &&
      add(archive, "a/data/1", zip_source_buffer(archive, floats, sizeof floats, 0)) &&
      add(archive, "a/data/2", zip_source_buffer(archive, doubles, sizeof doubles, 0));
  if (!good || zip_close(archive) != 0) fuzz_fault("cannot write %s", path);
}

static edgefw_status read_tensor(edgefw_context *ctx, edgefw__torch_file *file, int index) {
  const edgefw__weight *weight = edgefw__torch_at(file, index);
  int64_t rounded = 0;
  if (weight->type == EDGEFW__NUMBER_OTHER) return EDGEFW_OK;
  if (weight->count > 24) fuzz_fault("a tensor has more numbers than there are");
  float *values = edgefw_allocate(ctx, (size_t)weight->count, sizeof *values, "a tensor");
  if (!values) return edgefw_failure(ctx);
  const edgefw_status status = edgefw__torch_read(file, index, values, &rounded);
  edgefw_release(ctx, values);
  return status;
}

edgefw_status fuzz_read(edgefw_context *ctx, const char *path) {
  char archive[600];
  edgefw__torch_file *file = NULL;
  snprintf(archive, sizeof archive, "%s.pt", path);
  write_archive(archive, path);
  edgefw_status status = edgefw__torch_open(ctx, archive, &file);
  for (int t = 0; status == EDGEFW_OK && t < edgefw__torch_count(file); ++t)
    status = read_tensor(ctx, file, t);
  edgefw__torch_close(file);
  return status;
}
