/* Threads that exchange memory at barriers. */
#include "support/toy_ranks.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"

enum { MOST = 8 };

typedef struct shared {
  int count;
  pthread_barrier_t barrier;
  void *data[MOST];
  const edgefw_exchange *parts[MOST];
  _Atomic int64_t counter;
} shared;

struct edgefw_ranks {
  shared *all;
  int rank;
};

static void meet(edgefw_ranks *ranks) {
  (void)pthread_barrier_wait(&ranks->all->barrier);
}

static edgefw_status broadcast(edgefw_ranks *ranks, int from, void *data, size_t bytes) {
  ranks->all->data[ranks->rank] = data;
  meet(ranks);
  if (ranks->rank != from) memcpy(data, ranks->all->data[from], bytes);
  meet(ranks);
  return EDGEFW_OK;
}

static edgefw_status exchange(edgefw_ranks *ranks, const edgefw_exchange *parts) {
  const int me = ranks->rank;
  bool fits = true;
  ranks->all->parts[me] = parts;
  meet(ranks);
  for (int r = 0; r < ranks->all->count; ++r) {
    const edgefw_exchange *other = ranks->all->parts[r];
    fits = fits && other->send_bytes[me] == parts->receive_bytes[r];
    if (fits && parts->receive_bytes[r] > 0)
      memcpy((char *)parts->receive + parts->receive_at[r],
             (const char *)other->send + other->send_at[me], parts->receive_bytes[r]);
  }
  meet(ranks);
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
  if (m->status != EDGEFW_OK) return NULL;
  group.ctx = ctx;
  edgefw_set_threads(ctx, 1);
  m->status = m->rank(&group, m->user);
  snprintf(m->message, sizeof m->message, "%s", edgefw_message(ctx));
  edgefw_context_destroy(ctx);
  return NULL;
}

void toy_ranks_try(int ranks, toy_rank rank, void *user, size_t size, edgefw_status *statuses,
                   char (*messages)[512]) {
  shared all = {.count = ranks};
  member members[MOST];
  assert_true(ranks <= MOST);
  assert_int_equal(pthread_barrier_init(&all.barrier, NULL, (unsigned)ranks), 0);
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
  pthread_barrier_destroy(&all.barrier);
}

void toy_ranks_run(int ranks, toy_rank rank, void *user, size_t size) {
  edgefw_status statuses[MOST];
  char messages[MOST][512];
  toy_ranks_try(ranks, rank, user, size, statuses, messages);
  for (int r = 0; r < ranks; ++r)
    if (statuses[r] != EDGEFW_OK) fail_msg("rank %d of %d: %s", r, ranks, messages[r]);
}
