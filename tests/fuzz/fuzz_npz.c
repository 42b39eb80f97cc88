/* NumPy's archives: every array, to its end. */
#include "files/npz.h"
#include "fuzz.h"

const char fuzz_file_name[] = "input.npz";

enum { PIECE = 512 };

void fuzz_set_up(edgefw_context *ctx) {
  (void)ctx;
}

static edgefw_status read_array(edgefw__npz *npz, int index) {
  const edgefw__npz_array *array = edgefw__npz_at(npz, index);
  double numbers[PIECE];
  edgefw_status status = edgefw__npz_rewind(npz, index);
  for (int64_t done = 0; done < array->count && status == EDGEFW_OK; done += PIECE) {
    const int64_t left = array->count - done;
    status = edgefw__npz_read(npz, index, left < PIECE ? left : PIECE, numbers);
  }
  return status;
}

edgefw_status fuzz_read(edgefw_context *ctx, const char *path) {
  edgefw__npz *npz = NULL;
  edgefw_status status = edgefw__npz_open(ctx, path, &npz);
  for (int a = 0; status == EDGEFW_OK && a < edgefw__npz_count(npz); ++a)
    status = read_array(npz, a);
  edgefw__npz_close(npz);
  return status;
}
