/* Instances in files of other programs than libraries: matrices as text, NumPy arrays, JSON of
 * routing services. They become what a library file is to problems, and keep what their stops are
 * called. */
#ifndef EDGEFW__INSTANCE_FILE_H
#define EDGEFW__INSTANCE_FILE_H

#include "data/dataset.h"
#include "edgefw/arena.h"
#include "files/service_json.h"
#include "plugin/registry.h"

/* What a user says beside the file; all may be left out. */
typedef struct edgefw__instance_options {
  const char *depot;   /* name of the stop or its number from 1; NULL: the file's, or the first */
  const char *demands; /* as data/demands.h; NULL: the file's */
  double capacity;     /* above 0; 0: the file's */
  edgefw__unit unit;   /* what one number of the costs is worth; scale 0: as it stands */
  edgefw__table_choice choice;
  bool problem_told; /* the problem is meant, even if it leaves demands of the file out */
} edgefw__instance_options;

/* How answers speak of the stops of an instance. */
typedef struct edgefw__stops {
  const char *const *names; /* (n) in the order of the file; NULL: they have numbers, from 1 */
  bool from_zero;           /* ... or from 0 */
  int64_t n;
  int64_t depot; /* stop from 0 that is the depot, or that a tour is to begin at */
} edgefw__stops;

typedef struct edgefw__instance_file {
  const char *form;     /* "matrix", for messages */
  edgefw_tsplib *items; /* (count); those of places share their weights */
  int64_t count, n;
  bool places; /* the costs are the distances of the coordinates */
  edgefw__stops stops;
} edgefw__instance_file;

/* Is `path` such a file? By its ending: .csv, .tsv, .npy, .npz and .json (text also packed, .gz);
 * .txt, unless a line of its head, unpacked, begins with DIMENSION; and any file that begins as
 * JSON or as an array. */
bool edgefw__instance_file_is(const char *path);

/* Read `path` for the problem, or, where *problem is NULL, for the first problem of the registry
 * that takes what it has: coordinates or none, demands or none; *problem is then that. `options`
 * may be NULL. Everything is in `arena`; `path` outlives *out. UNSUPPORTED if the problem needs
 * what neither file nor options have, or leaves out what one of them has; CONFIG if there is no
 * such depot; as the readers. */
EDGEFW_NODISCARD edgefw_status edgefw__instance_file_read(edgefw_context *ctx, edgefw_arena *arena,
                                                          const char *path,
                                                          const edgefw__instance_options *options,
                                                          const edgefw__registry *registry,
                                                          const edgefw__plugin **problem,
                                                          edgefw__instance_file *out);

/* Let the problem read an item of such a file, or a library file, into *out, as its `read` does.
 * The distances of places are made here, in the weights that all items of the file share: there is
 * room for one instance's. By one thread at a time. As `read`. */
EDGEFW_NODISCARD edgefw_status edgefw__instance_file_load(edgefw_context *ctx,
                                                          const edgefw_problem *problem,
                                                          const edgefw_options *options,
                                                          const edgefw_tsplib *item,
                                                          edgefw_instance *out);

/* The stop behind a node of the instance: from 0, in the order of the file. */
int64_t edgefw__stops_of_node(const edgefw__stops *stops, const edgefw_problem *problem,
                              int64_t node);

#endif
