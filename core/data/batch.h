/* A batch: equally sized instances, field by field in one block each. Generators, datasets and file
 * readers fill it; training and evaluation read it. */
#ifndef EDGEFW__BATCH_H
#define EDGEFW__BATCH_H

#include "edgefw/instance.h"

typedef struct edgefw__batch {
  int64_t capacity;                /* instances there is room for */
  int64_t count;                   /* instances in it now */
  int64_t n;                       /* nodes of each */
  const edgefw_field *fields;      /* the problem's table; not owned */
  int field_count;                 /* entries of it */
  double *data[EDGEFW_MAX_FIELDS]; /* (capacity, edgefw_field_count(shape, n)) */
  uint64_t *ids;                   /* (capacity) */
  bool has_forbidden;              /* does any instance have forbidden arcs? */
  double *limits; /* (capacity) arcs of an instance whose cost is at least this are forbidden,
                     INFINITY: none are; looked at only with has_forbidden */
} edgefw__batch;

/* Make an empty batch of room for `capacity` instances of `n` nodes, zeroed. `fields` outlives it.
 * INVALID_ARGUMENT for sizes out of range, OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__batch_create(edgefw_context *ctx, const edgefw_field *fields,
                                                    int64_t capacity, int64_t n,
                                                    edgefw__batch **out);
void edgefw__batch_destroy(edgefw_context *ctx, edgefw__batch *batch); /* NULL is allowed */

/* The limits, or NULL if no arc is forbidden. */
const double *edgefw__batch_forbidden(const edgefw__batch *batch);

/* View of instance `index` in [0, capacity); valid as long as the batch. Its name is NULL. */
edgefw_instance edgefw__batch_instance(const edgefw__batch *batch, int64_t index);

/* Entries of a field table that ends with a NULL name; -1 if there are more than
 * EDGEFW_MAX_FIELDS. */
int edgefw__field_table_size(const edgefw_field *fields);

/* Axes of a field's array over many instances: 1 to 3. */
int edgefw__field_rank(edgefw_field_shape shape);

#endif
