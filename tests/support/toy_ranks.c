/* Threads that meet and copy from each other's memory. */
#include "support/toy_ranks.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"

enum { MOST = 8 };

/* What a rank came to a meeting for. */
typedef enum purpose { BROADCAST = 1, EXCHANGE } purpose;

typedef struct shared {
  int count;
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  int arrived; /* at the meeting that is held now */
  int64_t meetings;
  int ended;     /* ranks that are gone */
  bool given_up; /* one of them has ended the run for all */
  bool deserted; /* a rank waited for one that had gone in peace, or that came for something else */
  purpose purposes[MOST];
  void *data[MOST];
  const edgefw_exchange *parts[MOST];
  _Atomic int64_t counter;
} shared;

struct edgefw_ranks {
  shared *all;
  int rank;
};

/* Wait for all; false where one does not come any more. */
static bool meet(edgefw_ranks *ranks) {
  shared *all = ranks->all;
  (void)pthread_mutex_lock(&all->mutex);
  const int64_t before = all->meetings;
  if (++all->arrived == all->count) {
    all->arrived = 0;
    ++all->meetings;
    (void)pthread_cond_broadcast(&all->changed);
  }
  while (all->meetings == before && all->ended == 0)
    (void)pthread_cond_wait(&all->changed, &all->mutex);
  const bool met = all->meetings != before;
  if (!met && !all->given_up) all->deserted = true;
  (void)pthread_mutex_unlock(&all->mutex);
  return met;
}

/* The rank ends; as MPI_Abort where it gives up. */
static void end(edgefw_ranks *ranks, bool gives_up) {
  shared *all = ranks->all;
  (void)pthread_mutex_lock(&all->mutex);
  ++all->ended;
  all->given_up |= gives_up;
  (void)pthread_cond_broadcast(&all->changed);
  (void)pthread_mutex_unlock(&all->mutex);
}

/* Meet for one thing; false also where the ranks came for different ones. */
static bool meet_for(edgefw_ranks *ranks, purpose what) {
  shared *all = ranks->all;
  all->purposes[ranks->rank] = what;
  if (!meet(ranks)) return false;
  bool same = true;
  for (int r = 0; r < all->count; ++r) same = same && all->purposes[r] == what;
  if (!same) {
    (void)pthread_mutex_lock(&all->mutex);
    all->deserted = true;
    (void)pthread_mutex_unlock(&all->mutex);
  }
  return same;
}

static edgefw_status broadcast(edgefw_ranks *ranks, int from, void *data, size_t bytes) {
  ranks->all->data[ranks->rank] = data;
  if (!meet_for(ranks, BROADCAST)) return EDGEFW_IO;
  if (ranks->rank != from) memcpy(data, ranks->all->data[from], bytes);
  return meet(ranks) ? EDGEFW_OK : EDGEFW_IO;
}

static edgefw_status exchange(edgefw_ranks *ranks, const edgefw_exchange *parts) {
  const int me = ranks->rank;
  bool fits = true;
  ranks->all->parts[me] = parts;
  if (!meet_for(ranks, EXCHANGE)) return EDGEFW_IO;
  for (int r = 0; r < ranks->all->count; ++r) {
    const edgefw_exchange *other = ranks->all->parts[r];
    fits = fits && other->send_bytes[me] == parts->receive_bytes[r];
    if (fits && parts->receive_bytes[r] > 0)
      memcpy((char *)parts->receive + parts->receive_at[r],
             (const char *)other->send + other->send_at[me], parts->receive_bytes[r]);
  }
  if (!meet(ranks)) return EDGEFW_IO;
  return fits ? EDGEFW_OK : EDGEFW_INTERNAL;
}

static edgefw_status next(edgefw_ranks *ranks, int64_t amount, int64_t *before) {
  *before = atomic_fetch_add(&ranks->all->counter, amount);
  return EDGEFW_OK;
}

static const edgefw_communicator communicator = {
    .size = sizeof communicator, .broadcast = broadcast, .exchange = exchange, .next = next};

typedef struct member {
  edgefw_ranks handle;
  toy_rank rank;
  void *user;
  pthread_t thread;
  edgefw_status status;
  char message[512];
} member;

static void *run_member(void *argument) {
  member *m = argument;
  edgefw__rank_place places[MOST];
  edgefw_context *ctx = NULL;
  memset(places, 0, sizeof places);
  for (int r = 0; r < m->handle.all->count; ++r)
    snprintf(places[r].host, sizeof places[r].host, "host%d", r);
  edgefw__group group = {.rank = m->handle.rank,
                         .ranks = m->handle.all->count,
                         .launcher = "a test",
                         .places = places,
                         .local_ranks = 1,
                         .threads = 1,
                         .communicator = &communicator,
                         .handle = &m->handle};
  m->status = edgefw_context_create(&ctx, NULL);
  if (m->status != EDGEFW_OK) {
    end(&m->handle, true);
    return NULL;
  }
  group.ctx = ctx;
  edgefw_set_threads(ctx, 1);
  m->status = m->rank(&group, m->user);
  snprintf(m->message, sizeof m->message, "%s", edgefw_message(ctx));
  end(&m->handle, group.out_of_step);
  edgefw_context_destroy(ctx);
  return NULL;
}

void toy_ranks_try(int ranks, toy_rank rank, void *user, size_t size, edgefw_status *statuses,
                   char (*messages)[512]) {
  shared all = {.count = ranks};
  member members[MOST];
  assert_true(ranks <= MOST);
  assert_int_equal(pthread_mutex_init(&all.mutex, NULL), 0);
  assert_int_equal(pthread_cond_init(&all.changed, NULL), 0);
  for (int r = 0; r < ranks; ++r) {
    members[r] = (member){
        .handle = {&all, r}, .rank = rank, .user = user ? (char *)user + (size_t)r * size : NULL};
    assert_int_equal(pthread_create(&members[r].thread, NULL, run_member, &members[r]), 0);
  }
  for (int r = 0; r < ranks; ++r) {
    assert_int_equal(pthread_join(members[r].thread, NULL), 0);
    statuses[r] = members[r].status;
    if (messages) snprintf(messages[r], sizeof messages[r], "%s", members[r].message);
  }
  pthread_cond_destroy(&all.changed);
  pthread_mutex_destroy(&all.mutex);
  if (all.deserted)
    fail_msg("a rank waits for one that is elsewhere: real ones would wait for ever");
}

void toy_ranks_run(int ranks, toy_rank rank, void *user, size_t size) {
  edgefw_status statuses[MOST];
  char messages[MOST][512];
  toy_ranks_try(ranks, rank, user, size, statuses, messages);
  for (int r = 0; r < ranks; ++r)
    if (statuses[r] != EDGEFW_OK) fail_msg("rank %d of %d: %s", r, ranks, messages[r]);
}
