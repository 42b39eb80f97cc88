/* Making datasets of instances that other programs wrote: arrays in a NumPy .npz file, library
 * files (TSPLIB) of one size, or matrices and tables (instance_file.h). Every instance passes the
 * problem's `accept`. Files are read batch by batch, so they may be larger than memory. */
#ifndef EDGEFW__IMPORT_H
#define EDGEFW__IMPORT_H

#include "data/instance_file.h"

/* A number for a SCALAR field of all instances. */
typedef struct edgefw__import_value {
  const char *field;
  double value;
  bool fallback; /* counts only where the file has no array of that name */
} edgefw__import_value;

/* Called after every batch. */
typedef void (*edgefw__import_observer)(void *user, int64_t done, int64_t count);

typedef struct edgefw__import {
  const char *problem_name;
  const edgefw__plugin *plugin; /* of the problem */
  const edgefw_problem *problem;
  const edgefw_options *options; /* of the problem */
  const char *output;            /* the dataset to write */
  const edgefw__import_value *values;
  int value_count;
  double scale;     /* what one number of a SCALED field in an .npz file is worth; 0: not told */
  double divide_by; /* the same the other way round, 1 / scale; 0: not told */
  edgefw__instance_options reading; /* of files of other programs */
  size_t memory; /* most bytes for the instances that are in memory at once; 0: any number */
  edgefw__import_observer observer; /* may be NULL */
  void *user;
} edgefw__import;

/* What was written. */
typedef struct edgefw__import_summary {
  int64_t count, n;
} edgefw__import_summary;

/* Import the arrays of .npz file `path`. A field takes the array of its name; a PAIR field also one
 * called "data" or "dist"; a SCALAR field also one of the values. Shapes are PAIR (N,n,n), NODE
 * (N,n), SCALAR (N), (N,1) or a single number. The numbers of a SCALED field are multiplied by
 * `scale`, or divided by `divide_by`. With neither they are values as they stand; but CONFIG if
 * they are of a whole type or one is above 1000, as files that count units hold, and if a unit is
 * told that no array takes. MISMATCH (an array is missing or of another shape), what the reader and
 * `accept` fail with, OUT_OF_MEMORY, INTERRUPTED (nothing is written). */
EDGEFW_NODISCARD edgefw_status edgefw__import_npz(edgefw_context *ctx, const edgefw__import *import,
                                                  const char *path, edgefw__import_summary *out);

/* Import library files, one instance each, or files of other programs, of which one with several
 * instances comes alone, in this order. MISMATCH if they differ in size, UNSUPPORTED if the problem
 * does not read such files, CONFIG for a file of several instances among others; else as above. */
EDGEFW_NODISCARD edgefw_status edgefw__import_files(edgefw_context *ctx,
                                                    const edgefw__import *import,
                                                    const char *const *paths, int count,
                                                    edgefw__import_summary *out);

#endif
