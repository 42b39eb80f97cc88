/* Where the batches of training come from: the problem's generator, with instances of one size or
 * of several ([train] size, sizes), or a dataset ([train] data). What a batch holds depends on the
 * seed, the step and the number of its first instance alone, so a training that goes on sees the
 * same. */
#ifndef EDGEFW__FEED_H
#define EDGEFW__FEED_H

#include "data/source.h"
#include "policy/model.h"

typedef struct edgefw__feed {
  edgefw__model *model; /* NULL: closed */
  uint64_t seed;
  int64_t largest;      /* nodes of the largest instances */
  edgefw__batch *batch; /* what edgefw__feed_fill has filled in; NULL before edgefw__feed_reserve */
  edgefw__generator_pool *pool; /* generated instances */
  edgefw__instance_set set;     /* datasets: all of it */
  edgefw__source source;
  uint64_t digest; /* of a dataset's instances, once edgefw__feed_digest has read them; or 0 */
  int32_t *order;  /* (set.count) the instances in the order of the pass */
  int64_t pass;    /* -1: none yet */
  int32_t *rows;   /* (batch->capacity) numbers in the dataset of the batch's instances; NULL for
                      generated ones */
} edgefw__feed;

/* Open the feed of the model's [train], which the model outlives. A dataset is opened, not read.
 * Call edgefw__feed_close also on failure. MISMATCH (data of another problem, or of another size
 * than [train] size insists on), CONFIG (a size below the problem's least), IO, FORMAT,
 * UNSUPPORTED, OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__feed_open(edgefw__model *model, edgefw__feed *out);
void edgefw__feed_close(edgefw__feed *feed);

/* Is there a file where [train] data (of the options `train`) says? Also true where it names none.
 * A training at its end does without it. */
bool edgefw__feed_is_there(const edgefw_options *train);

/* Take the fingerprint of a dataset's instances, all of which are read, and of the rule by which
 * their arcs are forbidden. IO, FORMAT, OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__feed_digest(edgefw__feed *feed);

/* Has the training whose state is in `checkpoint` seen the instances of this feed? `digest` is that
 * of its dataset, 0 where it was given generated ones. MISMATCH. */
EDGEFW_NODISCARD edgefw_status edgefw__feed_check(const edgefw__feed *feed, uint64_t digest,
                                                  const char *checkpoint);

/* Make room for batches of up to `capacity` instances. OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__feed_reserve(edgefw__feed *feed, int64_t capacity);

/* Nodes of the instances of batch `step` (from 0). */
int64_t edgefw__feed_nodes(const edgefw__feed *feed, int64_t step);

/* Fill feed->batch with the `count` instances of batch `step`, the first of which is number `first`
 * since training began. Their ids are these numbers, whatever numbers they have in a dataset. What
 * the generator or the reader fails with. */
EDGEFW_NODISCARD edgefw_status edgefw__feed_fill(edgefw__feed *feed, int64_t step, uint64_t first,
                                                 int64_t count);

/* Nodes n for which n^3 is the mean over the instances of training, as their times grow with the
 * cube of the nodes. */
int64_t edgefw__feed_mean_nodes(const edgefw__feed *feed);

#endif
