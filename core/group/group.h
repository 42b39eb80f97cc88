/* The processes of a run, its ranks: a group of one, or what a launcher started together and a
 * communicator plugin connects (edgefw/communicator.h).
 *
 * Rank 0 does everything that one process alone would do: it alone reads and writes the folder of a
 * run, and says what is done next, by calls, which the others, the helpers, wait for and answer.
 * All functions take NULL for the group of one process, where nothing is sent. */
#ifndef EDGEFW__GROUP_H
#define EDGEFW__GROUP_H

#include "group/launch.h"
#include "plugin/registry.h"

enum { EDGEFW__HOST_NAME = 64, EDGEFW__CALL_NAME = 256, EDGEFW__CALL_NUMBERS = 6 };

/* Where a rank runs. */
typedef struct edgefw__rank_place {
  char host[EDGEFW__HOST_NAME];
  uint64_t cores; /* fingerprint of the cores that it may use: who has the same ones shares them */
  int64_t core_count;
} edgefw__rank_place;

typedef struct edgefw__group {
  edgefw_context *ctx;
  int rank, ranks;
  const char *launcher;
  edgefw__rank_place *places;  /* (ranks) */
  int local_rank, local_ranks; /* among those on this host */
  int threads;                 /* that this rank may take for its own */
  double waited;               /* seconds spent in exchanges, waiting for others included */
  uint64_t sent;               /* bytes that this rank sent to others in them */
  bool out_of_step; /* a failure left this rank elsewhere than the others: they must not be waited
                       for */
  edgefw__registry *registry; /* of communicators */
  const edgefw_communicator *communicator;
  edgefw_ranks *handle;
} edgefw__group;

/* --- Beginning and end --- */

/* Find out whether there are other ranks and, if so, join them: *out is NULL where there are none.
 * Plugins are those in the folder communicators/ of each folder of `registry`. CONFIG as
 * edgefw__launch_find; PLUGIN_FIND or PLUGIN_INIT, naming the launcher, if there is no communicator
 * or it sees another number of processes. */
EDGEFW_NODISCARD edgefw_status edgefw__group_open(edgefw_context *ctx,
                                                  const edgefw__registry *registry,
                                                  edgefw__group **out);

/* Part from the others, who come to this too; where this rank is out of step it ends them all, with
 * exit status `exit_status`, or 1 in place of 0. */
void edgefw__group_close(edgefw__group *group, int exit_status);

/* Is this the one process, or the first of several? */
bool edgefw__group_leads(const edgefw__group *group);

/* Are there several? */
bool edgefw__group_is_shared(const edgefw__group *group);

/* The part of one rank's time that all of them take for `count` instances that are dealt out in
 * pieces of `piece`; 1 alone. */
double edgefw__group_share(const edgefw__group *group, int64_t count, int64_t piece);

/* Let the context use `asked` threads; with 0 the rank's part of the usable cores. */
void edgefw__group_set_threads(const edgefw__group *group, edgefw_context *ctx, int asked);

/* Say in the log which rank is where. */
void edgefw__group_tell(const edgefw__group *group);

/* --- Together; every rank calls these in the same order --- */

/* Bytes of rank 0 for all others. IO. */
EDGEFW_NODISCARD edgefw_status edgefw__group_broadcast(edgefw__group *group, void *data,
                                                       size_t bytes);

/* As edgefw_communicator.exchange; alone, its part goes from one array to the other. */
EDGEFW_NODISCARD edgefw_status edgefw__group_exchange(edgefw__group *group,
                                                      const edgefw_exchange *parts);

/* The same between memories of the ranks' devices, which have done what they were asked to; and can
 * the communicator do that? */
EDGEFW_NODISCARD edgefw_status edgefw__group_exchange_on_device(edgefw__group *group,
                                                                const edgefw_exchange *parts);
bool edgefw__group_reaches_devices(const edgefw__group *group);

/* `bytes` bytes of every rank, one behind the other in `all`, to every rank. OUT_OF_MEMORY, IO. */
EDGEFW_NODISCARD edgefw_status edgefw__group_gather(edgefw__group *group, const void *one,
                                                    size_t bytes, void *all);

/* The status of all: OK if it is so on every rank. Else each rank has the failure of the first that
 * has one, with its number and host where that is not rank 0, as if it had been its own. */
EDGEFW_NODISCARD edgefw_status edgefw__group_agree(edgefw__group *group, edgefw_status status);

/* Does every rank have what rank 0 has, of which `fingerprint` tells? Else MISMATCH on all of them:
 * "rank 3 on HOST: it has another WHAT than rank 0". OUT_OF_MEMORY, IO. */
EDGEFW_NODISCARD edgefw_status edgefw__group_compare(edgefw__group *group, uint64_t fingerprint,
                                                     const char *what);

/* Add to the counter that all ranks of a shared group have; *before is what it was. IO. */
EDGEFW_NODISCARD edgefw_status edgefw__group_next(edgefw__group *group, int64_t amount,
                                                  int64_t *before);

/* Pass on a status: a failure leaves the others waiting, so that this rank is out of step from now
 * on, and its message gets the rank's number. */
edgefw_status edgefw__group_noted(edgefw__group *group, edgefw_status status);

/* --- Calls of rank 0 --- */

typedef enum edgefw__call_kind {
  EDGEFW__CALL_QUIT = 1, /* there is nothing more to do */
  EDGEFW__CALL_TRAIN,    /* name: the variant; then STEP or COLLECT any number of times, and END */
  EDGEFW__CALL_STEP,
  EDGEFW__CALL_COLLECT,
  EDGEFW__CALL_END,
  EDGEFW__CALL_EVALUATE /* name: the variant; a set of it */
} edgefw__call_kind;

typedef struct edgefw__call {
  int64_t kind; /* edgefw__call_kind */
  int64_t numbers[EDGEFW__CALL_NUMBERS];
  char name[EDGEFW__CALL_NAME], set[EDGEFW__CALL_NAME];
} edgefw__call;

/* Rank 0 gives `call` to the others; they receive it. IO. */
EDGEFW_NODISCARD edgefw_status edgefw__group_call(edgefw__group *group, edgefw__call *call);

/* Rank 0 lets helpers go, who wait for a call; what fails is recorded in the group alone. */
void edgefw__group_dismiss(edgefw__group *group);

#endif
