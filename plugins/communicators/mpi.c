/* Communicator `mpi`: ranks by the Message Passing Interface (MPI-3). */
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <time.h>

#include "edgefw/edgefw.h"

struct edgefw_ranks {
  edgefw_context *ctx;
  MPI_Comm comm;
  MPI_Win window; /* of the counter, which rank 0 has */
  int rank, count;
  int *numbers; /* (4, count) for MPI: bytes and places of both directions */
};

/* --- Failures --- */

static edgefw_status fail(edgefw_context *ctx, edgefw_status status, const char *what, int code) {
  char why[MPI_MAX_ERROR_STRING] = "unknown";
  int length = 0;
  (void)MPI_Error_string(code, why, &length);
  return edgefw_fail(ctx, status, "MPI: %s: %s", what, why);
}

static edgefw_status checked(const edgefw_ranks *ranks, const char *what, int code) {
  return code == MPI_SUCCESS ? EDGEFW_OK : fail(ranks->ctx, EDGEFW_IO, what, code);
}

/* --- Joining and leaving --- */

static void leave(edgefw_ranks *ranks) {
  if (ranks->window != MPI_WIN_NULL) {
    (void)MPI_Win_unlock_all(ranks->window);
    (void)MPI_Win_free(&ranks->window);
  }
  if (ranks->comm != MPI_COMM_NULL) (void)MPI_Comm_free(&ranks->comm);
  edgefw_release(ranks->ctx, ranks->numbers);
  edgefw_release(ranks->ctx, ranks);
  (void)MPI_Finalize();
}

/* The counter, 0, in memory of rank 0 that all may reach. */
static int make_counter(edgefw_ranks *ranks) {
  int64_t *counter = NULL;
  const MPI_Aint bytes = ranks->rank == 0 ? (MPI_Aint)sizeof *counter : 0;
  int code = MPI_Win_allocate(bytes, sizeof *counter, MPI_INFO_NULL, ranks->comm, &counter,
                              &ranks->window);
  if (code == MPI_SUCCESS) code = MPI_Win_set_errhandler(ranks->window, MPI_ERRORS_RETURN);
  if (code == MPI_SUCCESS) code = MPI_Win_lock_all(0, ranks->window);
  if (code == MPI_SUCCESS && ranks->rank == 0) {
    *counter = 0;
    code = MPI_Win_sync(ranks->window);
  }
  return code == MPI_SUCCESS ? MPI_Barrier(ranks->comm) : code;
}

static int set_up(edgefw_ranks *ranks) {
  int code = MPI_Comm_dup(MPI_COMM_WORLD, &ranks->comm);
  if (code == MPI_SUCCESS) code = MPI_Comm_set_errhandler(ranks->comm, MPI_ERRORS_RETURN);
  if (code == MPI_SUCCESS) code = MPI_Comm_rank(ranks->comm, &ranks->rank);
  if (code == MPI_SUCCESS) code = MPI_Comm_size(ranks->comm, &ranks->count);
  return code == MPI_SUCCESS ? make_counter(ranks) : code;
}

static edgefw_status join(edgefw_context *ctx, edgefw_ranks **out) {
  *out = NULL;
  int given = 0;
  const int code = MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &given);
  if (code != MPI_SUCCESS) return fail(ctx, EDGEFW_PLUGIN_INIT, "it cannot start", code);
  edgefw_ranks *ranks = edgefw_allocate(ctx, 1, sizeof *ranks, "ranks");
  if (!ranks) return edgefw_failure(ctx);
  *ranks = (edgefw_ranks){.ctx = ctx, .comm = MPI_COMM_NULL, .window = MPI_WIN_NULL};
  const int made = set_up(ranks);
  if (made == MPI_SUCCESS)
    ranks->numbers =
        edgefw_allocate(ctx, 4 * (size_t)ranks->count, sizeof *ranks->numbers, "ranks");
  if (ranks->numbers) {
    *out = ranks;
    return EDGEFW_OK;
  }
  const edgefw_status status = made == MPI_SUCCESS
                                   ? edgefw_failure(ctx)
                                   : fail(ctx, EDGEFW_PLUGIN_INIT, "it cannot start", made);
  leave(ranks);
  return status;
}

static void give_up(edgefw_ranks *ranks, int status) {
  (void)MPI_Abort(ranks->comm, status);
}

static int rank_of(const edgefw_ranks *ranks) {
  return ranks->rank;
}

static int count_of(const edgefw_ranks *ranks) {
  return ranks->count;
}

/* --- Messages --- */

/* Wait; whoever waits long sleeps between two looks, at first a little, then longer. */
static int wait_for(MPI_Request *request) {
  enum { LOOKS = 2000, FIRST = 20000, LONGEST = 1000000 }; /* looks at full speed; nanoseconds */
  long pause = FIRST;
  int done = 0, code = MPI_SUCCESS;
  for (int look = 0; code == MPI_SUCCESS && !done; ++look) {
    code = MPI_Test(request, &done, MPI_STATUS_IGNORE);
    if (done || look < LOOKS) continue;
    (void)nanosleep(&(struct timespec){.tv_nsec = pause}, NULL);
    pause = pause * 2 < LONGEST ? pause * 2 : LONGEST;
  }
  return code;
}

static edgefw_status broadcast(edgefw_ranks *ranks, int from, void *data, size_t bytes) {
  char *at = data;
  int code = MPI_SUCCESS;
  for (size_t left = bytes; code == MPI_SUCCESS && left > 0;) {
    const size_t part = left < INT_MAX ? left : INT_MAX;
    MPI_Request request;
    code = MPI_Ibcast(at, (int)part, MPI_BYTE, from, ranks->comm, &request);
    if (code == MPI_SUCCESS) code = wait_for(&request);
    at += part;
    left -= part;
  }
  return checked(ranks, "broadcast", code);
}

/* MPI counts by int; parts beyond are refused rather than cut. */
static edgefw_status as_ints(const edgefw_ranks *ranks, const size_t *from, int *to) {
  for (int r = 0; r < ranks->count; ++r) {
    if (from[r] > INT_MAX)
      return edgefw_fail(ranks->ctx, EDGEFW_UNSUPPORTED,
                         "MPI: an exchange of %zu bytes; expected at most %d", from[r], INT_MAX);
    to[r] = (int)from[r];
  }
  return EDGEFW_OK;
}

static edgefw_status exchange(edgefw_ranks *ranks, const edgefw_exchange *parts) {
  const size_t *const numbers[4] = {parts->send_bytes, parts->send_at, parts->receive_bytes,
                                    parts->receive_at};
  int *at = ranks->numbers;
  const int n = ranks->count;
  for (int i = 0; i < 4; ++i) {
    const edgefw_status status = as_ints(ranks, numbers[i], at + i * n);
    if (status != EDGEFW_OK) return status;
  }
  return checked(ranks, "exchange",
                 MPI_Alltoallv(parts->send, at, at + n, MPI_BYTE, parts->receive, at + 2 * n,
                               at + 3 * n, MPI_BYTE, ranks->comm));
}

static edgefw_status next(edgefw_ranks *ranks, int64_t amount, int64_t *before) {
  int code = MPI_Fetch_and_op(&amount, before, MPI_INT64_T, 0, 0, MPI_SUM, ranks->window);
  if (code == MPI_SUCCESS) code = MPI_Win_flush(0, ranks->window);
  return checked(ranks, "counter", code);
}

static const edgefw_communicator communicator = {.size = sizeof communicator,
                                                 .join = join,
                                                 .leave = leave,
                                                 .give_up = give_up,
                                                 .rank = rank_of,
                                                 .count = count_of,
                                                 .broadcast = broadcast,
                                                 .exchange = exchange,
                                                 .next = next};

EDGEFW_PLUGIN(EDGEFW_KIND_COMMUNICATOR, "mpi", "1.0.0", "processes that mpirun or srun started",
              &communicator, NULL);
