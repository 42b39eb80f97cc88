/* Labels in a dataset. */
#include "data/dataset_labels.h"

#include <inttypes.h>

#include "base/text.h"
#include "data/dataset.h"
#include "files/hdf5_input.h"
#include "files/hdf5_output.h"

/* --- Reading --- */

static edgefw_status check_nodes(const edgefw__hdf5_input *input, const edgefw__label_shape *shape,
                                 const int32_t *tours) {
  for (int64_t i = 0; i < shape->count * shape->steps; ++i)
    if (tours[i] < 0 || tours[i] >= shape->n)
      return edgefw_fail(input->ctx, EDGEFW_FORMAT,
                         "'%s': entry %" PRId64 " of the label of instance %" PRId64
                         " is %d, expected a node, 0 to %" PRId64,
                         input->path, i % shape->steps, i / shape->steps, tours[i], shape->n - 1);
  return EDGEFW_OK;
}

static edgefw_status read_tours(const edgefw__hdf5_input *input, hid_t group,
                                const edgefw__label_shape *shape, int32_t *tours) {
  edgefw__hdf5_array array;
  edgefw_status status = edgefw__hdf5_array_open(input, group, "tour", &array);
  const bool fits = array.rank == 2 && array.shape[0] == shape->count &&
                    array.shape[1] == shape->steps && array.class == H5T_INTEGER;
  if (status == EDGEFW_OK && !fits)
    status = edgefw_fail(input->ctx, EDGEFW_MISMATCH,
                         "'%s': the array label/tour is not what was expected, whole numbers of "
                         "%" PRId64 " instances with %" PRId64 " entries each",
                         input->path, shape->count, shape->steps);
  if (status == EDGEFW_OK)
    status = edgefw__hdf5_array_read(input, &array, "label/tour", 0, shape->count, H5T_NATIVE_INT32,
                                     tours);
  edgefw__hdf5_array_close(&array);
  return status == EDGEFW_OK ? check_nodes(input, shape, tours) : status;
}

/* Labels of another rule may use arcs that are forbidden here, or be worse than need be. */
static edgefw_status check_rule(const edgefw__hdf5_input *input, hid_t group,
                                const edgefw__forbidden_rule *own) {
  edgefw__forbidden_rule rule = {.given = false};
  char *stored = NULL, number[32];
  edgefw_status status = edgefw__hdf5_has(group, "forbidden")
                             ? edgefw__hdf5_get_text(input, group, "forbidden", &stored)
                             : EDGEFW_OK;
  const bool same = (!stored || edgefw__forbidden_parse(stored, &rule)) &&
                    rule.given == own->given && (!rule.given || rule.value == own->value);
  if (status == EDGEFW_OK && !same)
    status =
        edgefw_fail(input->ctx, EDGEFW_MISMATCH,
                    "'%s' holds labels that were found with [problem] forbidden = %s, while it is "
                    "%s here; 'edgefw data label' finds others",
                    input->path, stored ? stored : "none",
                    own->given ? edgefw__number_text(own->value, number, sizeof number) : "none");
  edgefw_release(input->ctx, stored);
  return status;
}

static edgefw_status read_labels(const edgefw__hdf5_input *input, const edgefw__label_shape *shape,
                                 int32_t *tours) {
  hid_t group = H5I_INVALID_HID;
  edgefw_status status = edgefw__hdf5_group(input, input->file, "label", &group);
  if (status != EDGEFW_OK) return status;
  if (group < 0)
    return edgefw_fail(input->ctx, EDGEFW_MISMATCH,
                       "'%s' has no labels; edgefw data label finds some", input->path);
  status = check_rule(input, group, &shape->forbidden);
  if (status == EDGEFW_OK) status = read_tours(input, group, shape, tours);
  H5Gclose(group);
  return status;
}

edgefw_status edgefw__dataset_labels(edgefw_context *ctx, const char *path,
                                     const edgefw__label_shape *shape, int32_t *tours) {
  edgefw__hdf5_input input;
  edgefw__hdf5_silence silence;
  edgefw__hdf5_silence_begin(&silence);
  edgefw_status status =
      edgefw__hdf5_open(ctx, path, EDGEFW__DATASET_FORMAT, EDGEFW__DATASET_VERSION, &input);
  if (status == EDGEFW_OK) status = read_labels(&input, shape, tours);
  edgefw__hdf5_close(&input);
  edgefw__hdf5_silence_end(&silence);
  return status;
}

/* --- Writing --- */

static void put_labels(edgefw__hdf5_output *output, const edgefw__label_shape *shape,
                       const int32_t *tours, const char *solver) {
  const int64_t axes[2] = {shape->count, shape->steps};
  if (edgefw__hdf5_exists(output->file, "label") &&
      H5Ldelete(output->file, "label", H5P_DEFAULT) < 0)
    output->failed = true;
  const hid_t group = edgefw__hdf5_put_group(output, output->file, "label");
  if (group < 0) return;
  char number[32];
  edgefw__hdf5_put_text(output, group, "solver", solver);
  if (shape->forbidden.given)
    edgefw__hdf5_put_text(output, group, "forbidden",
                          edgefw__number_text(shape->forbidden.value, number, sizeof number));
  edgefw__hdf5_put_array(output, group, "tour", 2, axes, H5T_STD_I32LE, H5T_NATIVE_INT32, tours);
  H5Gclose(group);
}

edgefw_status edgefw__dataset_store_labels(edgefw_context *ctx, const char *path,
                                           const edgefw__label_shape *shape, const int32_t *tours,
                                           const char *solver) {
  edgefw__dataset_summary summary;
  edgefw_status status = edgefw__dataset_info(ctx, path, &summary);
  if (status == EDGEFW_OK && (summary.count != shape->count || summary.n != shape->n))
    status = edgefw_fail(ctx, EDGEFW_MISMATCH,
                         "'%s' has %" PRId64 " instances of %" PRId64 " nodes, the labels are of "
                         "%" PRId64 " instances of %" PRId64,
                         path, summary.count, summary.n, shape->count, shape->n);
  if (status != EDGEFW_OK) return status;
  edgefw__hdf5_silence silence;
  edgefw__hdf5_silence_begin(&silence);
  edgefw__hdf5_output output;
  status = edgefw__hdf5_extend(ctx, path, &output);
  if (status == EDGEFW_OK)
    status = edgefw__hdf5_reserve(&output, shape->count * shape->steps * (int64_t)sizeof *tours);
  if (status == EDGEFW_OK) {
    put_labels(&output, shape, tours, solver);
    status = edgefw__hdf5_finish(&output);
  } else {
    edgefw__hdf5_abandon(&output);
  }
  edgefw__hdf5_silence_end(&silence);
  return status;
}
