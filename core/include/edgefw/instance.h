/* Instances: named numeric fields over n nodes. A problem declares its fields (problem.h); readers,
 * generators, datasets, tables and checkers all speak of them by name. Values are double and in the
 * instance's own units; devices convert. Cost matrices: row = from, column = to. */
#ifndef EDGEFW_INSTANCE_H
#define EDGEFW_INSTANCE_H

#include "edgefw/context.h"

EDGEFW_BEGIN_DECLS

#define EDGEFW_MAX_FIELDS 8

/* Most nodes of an instance: beyond it a matrix of doubles takes more than 20 GB. */
#define EDGEFW_MAX_NODES 50000

typedef enum edgefw_field_shape {
  EDGEFW_FIELD_PAIR = 1,   /* n * n numbers, row-major */
  EDGEFW_FIELD_NODE = 2,   /* n numbers */
  EDGEFW_FIELD_SCALAR = 3, /* 1 number */
  EDGEFW_FIELD_POINT = 4   /* n * 2 numbers: x and y of each node */
} edgefw_field_shape;

/* How a dataset file stores a field. SCALED: int32 times an attribute "scale"; falls back to
 * float32 when a value is no multiple of it. DERIVED: not at all, for it follows from other fields:
 * a reader of datasets leaves NaN in it, and the problem's `accept` computes it where it finds NaN.
 */
typedef enum edgefw_field_storage {
  EDGEFW_STORE_FLOAT = 1,
  EDGEFW_STORE_SCALED = 2,
  EDGEFW_STORE_DERIVED = 3
} edgefw_field_storage;

/* One field. A table of them ends with an entry whose name is NULL. */
typedef struct edgefw_field {
  const char *name; /* "cost": also the dataset's name in HDF5 files */
  edgefw_field_shape shape;
  edgefw_field_storage storage;
  double scale; /* SCALED only: value of one unit, e.g. 1e-6 */
  const char *help;
} edgefw_field;

/* A view of one instance; the data belongs to a batch or to the caller. */
typedef struct edgefw_instance {
  int64_t n;                       /* nodes, a depot included */
  uint64_t id;                     /* number in its set, or the generator's counter */
  const char *name;                /* of the file it came from; NULL if generated */
  const edgefw_field *fields;      /* the problem's table */
  double *data[EDGEFW_MAX_FIELDS]; /* in the order of `fields` */
  double forbidden; /* arcs whose entry of the objective is at least this are forbidden: no tour
                       uses one while it can do without, and the entry is what one that does pays,
                       more than any tour without such arcs costs. 0: no arc is forbidden */
} edgefw_instance;

/* Numbers that one field takes for n nodes. */
EDGEFW_API int64_t edgefw_field_count(edgefw_field_shape shape, int64_t n);

/* Data of the field called `name`; NULL if the problem declares none such. */
EDGEFW_API double *edgefw_instance_field(const edgefw_instance *instance, const char *name);

/* By how much the load of a route may exceed `capacity` because numbers were rounded before they
 * came here; demand (n). 0 where demands and capacity are whole numbers, for their sums are exact.
 * Where all demands are float32 numbers and their fractions fill its 24 bits, or the capacity is
 * such a number, each is off by up to 2^-24 of itself: so are those of a route together, and the
 * capacity, which makes 2^-23 of the capacity. Other fractions: 1e-9 of the capacity. */
EDGEFW_API double edgefw_load_tolerance(const double *demand, int64_t n, double capacity);

/* --- Generators ------------------------------------------------------------------------------- */

/* Given to a problem's `generate`: one instance of a reproducible sequence. */
typedef struct edgefw_generator edgefw_generator;

/* Word `word` of a stream of this instance (edgefw/rng.h has what to make of it). */
EDGEFW_API uint32_t edgefw_generator_word(const edgefw_generator *generator, int stream,
                                          uint64_t word);

/* Record a failure of the author's own, such as options that contradict each other; returns
 * `status` (as edgefw_fail, context.h). */
EDGEFW_API edgefw_status edgefw_generator_fail(const edgefw_generator *generator,
                                               edgefw_status status, const char *format, ...)
    EDGEFW_PRINTF(3, 4);

/* "tmat": integers uniform in [0, 10^6) off the diagonal from the cost stream, then the shortest
 * path closure, then divided by 10^6. Fills cost (n,n). */
EDGEFW_API EDGEFW_NODISCARD edgefw_status edgefw_generate_tmat(edgefw_generator *generator,
                                                               int64_t n, double *cost);

/* "road": the stops are the first n of 3n + 24 junctions of a random street network, strongly
 * connected, with a time of its own for each direction of a street; the entries are the times of
 * the shortest ways, whole numbers below 10^6, divided by 10^6. So the triangle inequality holds.
 * The same on every machine. Fills cost (n,n). */
EDGEFW_API EDGEFW_NODISCARD edgefw_status edgefw_generate_road(edgefw_generator *generator,
                                                               int64_t n, double *cost);

/* How points are spread over the unit square. UNIFORM: each coordinate uniform in [0, 1). CLUSTER:
 * 3 centres uniform in [0.2, 0.8]^2; the nodes, in equal runs, normal around them with standard
 * deviation 0.07, cut off at the square. MIXED: a random half of the nodes normal around one such
 * centre, the others uniform. MIXTURE: one of these three, each with the same chance. (What ELG
 * trains with.) */
typedef enum edgefw_points {
  EDGEFW_POINTS_UNIFORM = 0,
  EDGEFW_POINTS_CLUSTER = 1,
  EDGEFW_POINTS_MIXED = 2,
  EDGEFW_POINTS_MIXTURE = 3
} edgefw_points;

/* Fills points (n,2); UNIFORM takes words 2i and 2i+1 of the coordinate stream for node i. With
 * `depot` node 0 is one: in CLUSTER it comes from any place of the runs, in MIXED it is uniform,
 * and the half that moves is one of the customers. */
EDGEFW_API void edgefw_generate_points(edgefw_generator *generator, edgefw_points distribution,
                                       bool depot, int64_t n, double *points);

/* Whole demands uniform in [low, high], customer i (from 0) by word i of the demand stream, into
 * demand[1 + i]; demand[0], the depot's, is 0. n counts the depot. */
EDGEFW_API void edgefw_generate_demand(edgefw_generator *generator, int64_t n, int64_t low,
                                       int64_t high, double *demand);

/* Euclidean distances of points (n,2) into cost (n,n). */
EDGEFW_API void edgefw_point_distances(const double *points, int64_t n, double *cost);

EDGEFW_END_DECLS

#endif
