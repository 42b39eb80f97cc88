/* A communicator plugin: how the processes of one run, its ranks, talk to each other. It lies in
 * the folder communicators/ of a folder of plugins and is opened where a launcher started several
 * processes; the program itself links no such library.
 *
 * All functions are called by the thread that called `join`, by all ranks in the same order, except
 * `next`, which any rank calls when it likes. */
#ifndef EDGEFW_COMMUNICATOR_H
#define EDGEFW_COMMUNICATOR_H

#include "edgefw/context.h"

EDGEFW_BEGIN_DECLS

typedef struct edgefw_ranks edgefw_ranks; /* the plugin's own */

/* Parts of two arrays, in bytes: what goes to each rank, and what comes from each. */
typedef struct edgefw_exchange {
  const void *send;
  const size_t *send_at, *send_bytes; /* (ranks) of the part for each rank */
  void *receive;
  const size_t *receive_at, *receive_bytes; /* (ranks) of the part from each rank */
} edgefw_exchange;

typedef struct edgefw_communicator {
  size_t size; /* sizeof(edgefw_communicator) */

  /* Join the processes that a launcher started together. PLUGIN_INIT if that cannot be. */
  edgefw_status (*join)(edgefw_context *ctx, edgefw_ranks **out);
  /* Part in peace, when every rank has come to this. */
  void (*leave)(edgefw_ranks *ranks);
  /* End all ranks at once, this one too, with `status` (not 0) for their exit status. */
  void (*give_up)(edgefw_ranks *ranks, int status);

  int (*rank)(const edgefw_ranks *ranks);  /* of this process, from 0 */
  int (*count)(const edgefw_ranks *ranks); /* of all ranks */

  /* `bytes` bytes of rank `from` into `data` of all others. A rank that waits long for them leaves
   * its processor to others. IO. */
  edgefw_status (*broadcast)(edgefw_ranks *ranks, int from, void *data, size_t bytes);
  /* Send a part to each rank, and receive one from each; parts may be empty. IO. */
  edgefw_status (*exchange)(edgefw_ranks *ranks, const edgefw_exchange *parts);
  /* The same between memories of devices, without the host's, for gradients and parameters in
   * training: what was asked of the device before is done, and what is received is there when it
   * returns. NULL: there is no such way, and both go through the host's memory. */
  edgefw_status (*exchange_on_device)(edgefw_ranks *ranks, const edgefw_exchange *parts);

  /* Add `amount` to a counter that all ranks share, which begins at 0; *before is what it was. IO.
   */
  edgefw_status (*next)(edgefw_ranks *ranks, int64_t amount, int64_t *before);
} edgefw_communicator;

EDGEFW_END_DECLS

#endif
