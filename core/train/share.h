/* A rank's share of a training on several processes: of each step some slices, and of the
 * parameters a part, whose gradient it adds up over all slices, which it lets Adam change, and
 * whose moments it keeps. Rank r makes the slices r, r + ranks, ... of a batch, so that after each
 * round the next slices in order are there, one from each rank. What crosses is the device's
 * numbers as they are: from a device with memory of its own in one copy to the host and on from
 * there, or straight to the other devices where the communicator can do that. */
#ifndef EDGEFW__SHARE_H
#define EDGEFW__SHARE_H

#include "train/slice_sum.h"

typedef struct edgefw__share {
  edgefw__model *model;
  edgefw__group *group;
  edgefw__range part; /* of this rank */
  void *sum;          /* device (part.count): of the slices' gradients */
  void *received;     /* device (part.count): one slice's; NULL where the device is the host's */
  void *device_inbox; /* device: what came from each rank, where the communicator reaches devices;
                         NULL: through the host */
  char *inbox;        /* host: what came from each rank */
  char *outbox;       /* host (total) of the device's numbers, where that has its own memory */
  double *wide;       /* host (total), likewise */
  size_t *numbers;    /* (5, ranks): places and bytes of an exchange */
} edgefw__share;

/* Make one for the model and the group of its engine; end it also after a failure. OUT_OF_MEMORY.
 */
EDGEFW_NODISCARD edgefw_status edgefw__share_begin(edgefw__model *model, edgefw__share *out);
void edgefw__share_end(edgefw__share *share);

/* --- All ranks at once; IO, OUT_OF_MEMORY, what devices fail with
 * ----------------------------------
 */

/* Give all ranks the parameters of rank 0, their mean if one is kept, and each one the moments of
 * its part. The others keep no further moments from then on. */
EDGEFW_NODISCARD edgefw_status edgefw__share_spread(edgefw__share *share);

/* Give rank 0 all moments. */
EDGEFW_NODISCARD edgefw_status edgefw__share_collect(edgefw__share *share);

/* The next round: the ranks below `makers` have a slice's gradient in the model's gradients. Each
 * rank adds those of its part, in order, to its sum; `first` begins it. */
EDGEFW_NODISCARD edgefw_status edgefw__share_add(edgefw__share *share, int makers, bool first);

/* Give all ranks the sums of squares of all blocks: each has those of its part in `squares`. */
EDGEFW_NODISCARD edgefw_status edgefw__share_squares(const edgefw__share *share,
                                                     double squares[EDGEFW__SLICE_BLOCKS]);

/* Give all ranks the parameters of all parts. */
EDGEFW_NODISCARD edgefw_status edgefw__share_gather(edgefw__share *share);

/* Give rank 0 the figures of all instances: `figures` has one for each of `count` instances, of
 * which each rank has those of its slices of `slice` instances. */
EDGEFW_NODISCARD edgefw_status edgefw__share_figures(const edgefw__share *share, int64_t slice,
                                                     int64_t count, double *figures);

#endif
