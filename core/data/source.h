/* Sets of instances, and where they come from: a generator, a dataset or a library file. */
#ifndef EDGEFW__SOURCE_H
#define EDGEFW__SOURCE_H

#include "config/compose.h"
#include "data/dataset.h"
#include "data/forbidden.h"
#include "data/generate.h"
#include "data/instance_file.h"
#include "device/engine.h"
#include "edgefw/arena.h"
#include "files/reference_kind.h"

/* Instances that a caller has in memory. */
typedef struct edgefw__instance_reader {
  /* Fill out->data (out->n nodes) with instance `index`, as a problem's `read` does; `accept` is
   * called afterwards. By one thread at a time. */
  edgefw_status (*read)(void *user, edgefw_context *ctx, const edgefw_problem *problem,
                        const edgefw_options *options, int64_t index, edgefw_instance *out);
  void *user;
} edgefw__instance_reader;

/* One set: generated instances of one size, a dataset file, one library file, the instances of
 * another program's file, or those of a caller. */
typedef struct edgefw__instance_set {
  const char *name;    /* "100", or the library file's NAME; tables make "ATSP-100" of it */
  int64_t n;           /* nodes of each instance, a depot included */
  int64_t size;        /* the same as configurations count: customers, where there is a depot */
  int64_t count;       /* instances */
  const char *dataset; /* HDF5 file, or NULL */
  const char *file;    /* TSPLIB file, or another one of instances, or NULL; both NULL: generated
                          from `seed` */
  const edgefw_tsplib *parsed; /* (count) that file, where it has been read already; it outlives the
                                  set. Only files of instances have more than one */
  const edgefw__instance_reader *given; /* instances of a caller, for which `file` stands in
                                 messages; NULL: none */
  const edgefw__stops *stops; /* of a file of instances (instance_file.h): how answers speak of its
                                 stops; its missing ways must not be used. NULL for others */
  uint64_t seed;
  const edgefw__forbidden_rule *forbidden; /* in place of the problem's option; or NULL */
  const char
      *reference;    /* CSV of reference costs (generated, dataset) or of optima (file), or NULL;
                        a dataset's own reference costs are used when it has some and this is NULL */
  const char *start; /* file with a solution of the only instance, which the search begins with; or
                        NULL */
} edgefw__instance_set;

typedef struct edgefw__source {
  const edgefw__engine *engine;
  const edgefw__composition *composition;
  const edgefw__instance_set *set;
  edgefw__generator_pool *pool; /* generated sets */
  edgefw__dataset *dataset;     /* datasets */
  edgefw_arena *arena;          /* library files: what `file` points to */
  edgefw_tsplib file;
  bool rounding_said;                    /* has load_rounding.h warned of this set? */
  edgefw__reference_kind reference_kind; /* of the reference costs that were read; UNKNOWN: none */
  bool reference_is_least; /* no tour costs less than the reference costs, if they are right */
  edgefw__forbidden_rule forbidden;
  bool reported; /* has something been said of forbidden arcs? */
} edgefw__source;

/* Open the set of the composition's problem; engine, composition and set outlive the source. Call
 * edgefw__source_close also on failure.
 * MISMATCH if a dataset or file has another size than the set says or too few instances,
 * UNSUPPORTED if the problem cannot be read from such a file or has no instances that small. */
EDGEFW_NODISCARD edgefw_status edgefw__source_open(const edgefw__engine *engine,
                                                   const edgefw__composition *composition,
                                                   const edgefw__instance_set *set,
                                                   edgefw__source *out);
void edgefw__source_close(edgefw__source *source);

/* Put instances first .. first + count - 1 of the set into `batch`, in canonical form. Those from
 * files and datasets may have forbidden arcs, which the batch then knows and the log tells once;
 * it warns of costs that look as if they meant such arcs. Generated ones have none. */
EDGEFW_NODISCARD edgefw_status edgefw__source_load(edgefw__source *source, int64_t first,
                                                   int64_t count, edgefw__batch *batch);

/* --- What belongs to the instances (source_reference.c) --- */

/* Reference costs of all instances, out[set->count]; *found says whether there are any, and the
 * source's reference_kind what they are. MISMATCH, with both sets, if the file says that its costs
 * are of other instances. */
EDGEFW_NODISCARD edgefw_status edgefw__source_reference(edgefw__source *source, double *out,
                                                        bool *found);

/* Fingerprint of the files that an evaluation of the set depends on: its dataset or library file,
 * its solution to begin with, and its reference costs (of a file with many sets' costs, those of
 * this one; of a library file without any, the solutions beside it). 0 if there are none. */
EDGEFW_NODISCARD edgefw_status edgefw__source_inputs(edgefw__source *source, uint64_t *out);

/* --- Results --- */

/* Length of a tour (`steps` entries) by the distances of the set's library file before its
 * rounding; NaN for other sets, and where the file gives a matrix. */
double edgefw__source_length(const edgefw__source *source, const int32_t *tour, int64_t steps);

/* The name of the set's library file; NULL for other sets. */
const char *edgefw__source_name(const edgefw__source *source);

#endif
