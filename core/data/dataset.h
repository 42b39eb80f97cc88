/* Datasets: HDF5 files of equally sized instances (docs: file formats). Root attributes: format
 * "edgefw-dataset", format_version, problem, distribution, seed; one array per field whose first
 * axis is the instance: PAIR (N,n,n), POINT (N,n,2), NODE (N,n), SCALAR (N); DERIVED fields have
 * none. An array with the attribute `scale` holds multiples of it. /reference/cost (N) is optional;
 * the attribute `costs` of /reference says what it is, in the words of reference_kind.h, and
 * `forbidden` with which rule of forbidden arcs it was found.
 * Read and written batch by batch, so a set may be larger than memory. One thread at a time
 * (hdf5_input.h). */
#ifndef EDGEFW__DATASET_H
#define EDGEFW__DATASET_H

#include "data/batch.h"
#include "files/reference_kind.h"

#define EDGEFW__DATASET_FORMAT  "edgefw-dataset"
#define EDGEFW__DATASET_VERSION 1

/* What a file says about itself. Longer texts are cut. */
typedef struct edgefw__dataset_summary {
  char problem[64];
  char distribution[64]; /* "" if it does not say */
  bool has_seed;
  uint64_t seed; /* 0 if it does not say */
  int64_t count; /* instances */
  int64_t n;     /* nodes of each; 0 if no array tells */
  bool has_reference;
  edgefw__reference_kind reference_kind; /* UNKNOWN if it does not say */
  char reference_forbidden[32];          /* the rule of forbidden arcs they were found with; "" */
  bool has_labels;                       /* tours to imitate (dataset_labels.h) */
  int field_count;
  struct {
    char name[64];
    char storage[48]; /* "int32 x 1e-06", "float32" */
  } fields[EDGEFW_MAX_FIELDS];
} edgefw__dataset_summary;

/* Describe a dataset of any problem. IO, FORMAT, UNSUPPORTED. */
EDGEFW_NODISCARD edgefw_status edgefw__dataset_info(edgefw_context *ctx, const char *path,
                                                    edgefw__dataset_summary *out);

/* --- Reading --- */

typedef struct edgefw__dataset edgefw__dataset;

/* Open a dataset of problem `problem_name` that has all of `fields` (which outlives it), in shapes
 * that agree. IO, FORMAT, UNSUPPORTED, MISMATCH (of another problem), OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__dataset_open(edgefw_context *ctx, const char *path,
                                                    const char *problem_name,
                                                    const edgefw_field *fields,
                                                    edgefw__dataset **out);
void edgefw__dataset_close(edgefw__dataset *dataset); /* NULL is allowed */

/* Valid until it is closed. */
const edgefw__dataset_summary *edgefw__dataset_describe(const edgefw__dataset *dataset);

/* Read instances first .. first + count - 1 into the head of `out` (same n, room for them); their
 * ids are their numbers in the file. Values are as stored (NaN in DERIVED fields): the problem's
 * `accept` judges them.
 * INVALID_ARGUMENT, IO. */
EDGEFW_NODISCARD edgefw_status edgefw__dataset_read(edgefw__dataset *dataset, int64_t first,
                                                    int64_t count, edgefw__batch *out);

/* Read all reference costs, out[summary.count]. MISMATCH if there are none, FORMAT if one is not
 * finite, IO. */
EDGEFW_NODISCARD edgefw_status edgefw__dataset_reference(edgefw__dataset *dataset, double *out);

/* --- Writing --- */

typedef struct edgefw__dataset_writer edgefw__dataset_writer;

/* The seed of instances that no generator of ours made; it is not stored. */
#define EDGEFW__DATASET_NO_SEED UINT64_MAX

/* Begin a dataset of `count` instances of `n` nodes, given to finish or abandon. Reading returns
 * the very same doubles: a SCALED field is stored as int32 as long as all its values are multiples
 * of its scale; otherwise, and for other fields, as float32 if that is exact and else float64.
 * `fields` outlives it. IO, INVALID_ARGUMENT, OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__dataset_create(edgefw_context *ctx, const char *path,
                                                      const char *problem, const char *distribution,
                                                      uint64_t seed, const edgefw_field *fields,
                                                      int64_t count, int64_t n,
                                                      edgefw__dataset_writer **out);

/* Add the instances of `batch`. INVALID_ARGUMENT if they are too many or of another size; IO. */
EDGEFW_NODISCARD edgefw_status edgefw__dataset_append(edgefw__dataset_writer *writer,
                                                      const edgefw__batch *batch);

/* What reference costs are, and how they were found. */
typedef struct edgefw__reference_note {
  edgefw__reference_kind kind;
  const char *solver, *settings;
  const char *forbidden; /* value of [problem] forbidden; NULL: no rule */
} edgefw__reference_note;

/* Add reference costs, cost[count]. Once. */
void edgefw__dataset_put_reference(edgefw__dataset_writer *writer, const double *cost,
                                   const edgefw__reference_note *note);

/* Put the file in place and destroy `writer`, also on failure (which leaves an old file as it was).
 * INVALID_ARGUMENT if instances are missing; IO. */
EDGEFW_NODISCARD edgefw_status edgefw__dataset_finish(edgefw__dataset_writer *writer);

/* Write nothing and destroy `writer`; NULL is allowed. */
void edgefw__dataset_abandon(edgefw__dataset_writer *writer);

/* Put reference costs cost[count] into the finished dataset `path` of `count` instances, in place
 * of those that it has. The file is copied, so that it holds the old ones or the new ones at any
 * time. MISMATCH (another number of instances), IO, FORMAT, UNSUPPORTED, OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__dataset_store_reference(edgefw_context *ctx,
                                                               const char *path, int64_t count,
                                                               const double *cost,
                                                               const edgefw__reference_note *note);

/* --- Scales (for both directions) --- */

/* How whole units become values: units / inverse where 1 / scale is a whole number (k / 1e6 is the
 * double nearest to the decimal number, k * 1e-6 is not), units * scale otherwise. */
typedef struct edgefw__unit {
  double scale;
  double inverse; /* 0: multiply */
} edgefw__unit;

edgefw__unit edgefw__unit_of(double scale);
double edgefw__unit_value(const edgefw__unit *unit, double units);

/* What int32 arrays hold in place of an infinite cost, which forbids its arc; arrays of floats hold
 * that cost itself. */
#define EDGEFW__DATASET_FORBIDDEN INT32_MIN

/* The value behind a number of an int32 array. */
double edgefw__dataset_value(const edgefw__unit *unit, double stored);

#endif
