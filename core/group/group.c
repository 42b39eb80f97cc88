/* Ranks: joining them, and what they do together. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "group/group.h"

#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/context.h"
#include "base/hash.h"
#include "base/text.h"
#include "edgefw/arena.h"

bool edgefw__group_leads(const edgefw__group *group) {
  return !group || group->rank == 0;
}

bool edgefw__group_is_shared(const edgefw__group *group) {
  return group && group->ranks > 1;
}

/* --- Places --- */

static edgefw__rank_place place_here(void) {
  edgefw__rank_place place = {.core_count = 1};
  (void)gethostname(place.host, sizeof place.host - 1);
#ifdef CPU_COUNT
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (sched_getaffinity(0, sizeof cores, &cores) == 0) {
    place.core_count = CPU_COUNT(&cores);
    place.cores = edgefw__hash_add(0, &cores, sizeof cores);
  }
#endif
  return place;
}

/* Who is on this host, and who shares its cores with this rank. */
static void find_neighbours(edgefw__group *g) {
  const edgefw__rank_place *here = &g->places[g->rank];
  int sharing = 0;
  for (int r = 0; r < g->ranks; ++r) {
    if (strcmp(g->places[r].host, here->host) != 0) continue;
    g->local_rank += r < g->rank;
    ++g->local_ranks;
    sharing += g->places[r].cores == here->cores;
  }
  const int64_t share = sharing > 0 ? here->core_count / sharing : 0;
  g->threads = share > 0 ? (int)share : 1;
}

void edgefw__group_set_threads(const edgefw__group *group, edgefw_context *ctx, int asked) {
  edgefw_set_threads(ctx, asked == 0 && group ? group->threads : asked);
}

double edgefw__group_share(const edgefw__group *group, int64_t count, int64_t piece) {
  if (!edgefw__group_is_shared(group) || count <= piece) return 1.0;
  const int64_t turn = piece * group->ranks, turns = (count + turn - 1) / turn;
  return (double)(turns * piece) / (double)count;
}

void edgefw__group_tell(const edgefw__group *group) {
  edgefw__text text = {.ctx = group ? group->ctx : NULL};
  if (!group) return;
  for (int r = 0; r < group->ranks; ++r) {
    const bool first = r == 0 || strcmp(group->places[r].host, group->places[r - 1].host) != 0;
    if (first) edgefw__text_add(&text, "%s%s:", r ? "; " : "", group->places[r].host);
    edgefw__text_add(&text, " %d", r);
  }
  edgefw_log(group->ctx, EDGEFW_LOG_INFO, "%d ranks, started by %s; %s", group->ranks,
             group->launcher, edgefw__text_get(&text));
  edgefw__text_release(&text);
}

/* --- Beginning and end --- */

static edgefw_status open_registry(edgefw__group *g, const edgefw__registry *registry,
                                   edgefw_arena *arena) {
  const size_t count = edgefw__registry_folder_count(registry);
  const char **folders = edgefw_arena_take(arena, count, sizeof *folders);
  if (!folders) return edgefw_failure(g->ctx);
  for (size_t f = 0; f < count; ++f) {
    folders[f] =
        edgefw_arena_format(arena, "%s/communicators", edgefw__registry_folder_at(registry, f));
    if (!folders[f]) return edgefw_failure(g->ctx);
  }
  return edgefw__registry_create_from(g->ctx, folders, count, &g->registry);
}

/* The first communicator, or why there is none. */
static edgefw_status find_communicator(edgefw__group *g) {
  for (size_t i = 0; i < edgefw__registry_count(g->registry); ++i) {
    const edgefw__plugin *plugin = edgefw__registry_at(g->registry, i);
    if (plugin->kind != EDGEFW_KIND_COMMUNICATOR) continue;
    g->communicator = &plugin->vtable.communicator;
    return EDGEFW_OK;
  }
  const bool skipped = edgefw__registry_skipped_count(g->registry) > 0;
  return edgefw_fail(g->ctx, EDGEFW_PLUGIN_FIND,
                     "%s started %d processes, and there is no communicator plugin here%s%s; "
                     "install Open MPI and build with EDGEFW_MPI=ON, or start one process",
                     g->launcher, g->ranks, skipped ? ": " : "",
                     skipped ? edgefw__registry_skipped_at(g->registry, 0)->message : "");
}

static edgefw_status join(edgefw__group *g) {
  const int expected = g->ranks;
  edgefw_status status = g->communicator->join(g->ctx, &g->handle);
  if (status != EDGEFW_OK) return status;
  g->rank = g->communicator->rank(g->handle);
  g->ranks = g->communicator->count(g->handle);
  if (g->ranks != expected)
    return edgefw_fail(g->ctx, EDGEFW_PLUGIN_INIT,
                       "%s started %d processes, and the communicator sees %d: they belong to "
                       "different versions of MPI; use the mpirun of the one that edgefw was built "
                       "with, or srun --mpi=pmix",
                       g->launcher, expected, g->ranks);
  const edgefw__rank_place here = place_here();
  g->places = edgefw_allocate(g->ctx, (size_t)g->ranks, sizeof *g->places, "ranks");
  if (!g->places) return edgefw_failure(g->ctx);
  status = edgefw__group_gather(g, &here, sizeof here, g->places);
  if (status == EDGEFW_OK) find_neighbours(g);
  return status;
}

edgefw_status edgefw__group_open(edgefw_context *ctx, const edgefw__registry *registry,
                                 edgefw__group **out) {
  edgefw__launch launch;
  edgefw_arena *arena = NULL;
  *out = NULL;
  edgefw_status status = edgefw__launch_find(ctx, &launch);
  if (status != EDGEFW_OK || launch.ranks == 1) return status;
  edgefw__group *g = edgefw_allocate(ctx, 1, sizeof *g, "ranks");
  if (!g) return edgefw_failure(ctx);
  *g = (edgefw__group){
      .ctx = ctx, .rank = launch.rank, .ranks = launch.ranks, .launcher = launch.launcher};
  status = edgefw_arena_create(ctx, &arena, "communicators", 0, true);
  if (status == EDGEFW_OK) status = open_registry(g, registry, arena);
  if (status == EDGEFW_OK) status = find_communicator(g);
  if (status == EDGEFW_OK) status = join(g);
  edgefw_arena_destroy(arena);
  g->out_of_step = status != EDGEFW_OK;
  *out = g;
  return status;
}

void edgefw__group_close(edgefw__group *group, int exit_status) {
  if (!group) return;
  edgefw_context *ctx = group->ctx;
  if (group->handle && group->out_of_step)
    group->communicator->give_up(group->handle, exit_status ? exit_status : 1);
  else if (group->handle)
    group->communicator->leave(group->handle);
  edgefw_release(ctx, group->places);
  edgefw__registry_destroy(group->registry);
  edgefw_release(ctx, group);
}

/* --- Together --- */

edgefw_status edgefw__group_noted(edgefw__group *g, edgefw_status status) {
  if (status == EDGEFW_OK || !g || g->out_of_step) return status;
  g->out_of_step = true;
  return edgefw_note(g->ctx, status, "rank %d of %d", g->rank, g->ranks);
}

edgefw_status edgefw__group_broadcast(edgefw__group *group, void *data, size_t bytes) {
  if (!edgefw__group_is_shared(group)) return EDGEFW_OK;
  return edgefw__group_noted(group, group->communicator->broadcast(group->handle, 0, data, bytes));
}

typedef edgefw_status (*exchange)(edgefw_ranks *ranks, const edgefw_exchange *parts);

/* An exchange, with what it takes. */
static edgefw_status timed(edgefw__group *group, exchange how, const edgefw_exchange *parts) {
  const double begin = edgefw__seconds();
  const edgefw_status status = edgefw__group_noted(group, how(group->handle, parts));
  group->waited += edgefw__seconds() - begin;
  for (int r = 0; r < group->ranks; ++r)
    if (r != group->rank) group->sent += parts->send_bytes[r];
  return status;
}

edgefw_status edgefw__group_exchange(edgefw__group *group, const edgefw_exchange *parts) {
  if (!edgefw__group_is_shared(group)) {
    memcpy((char *)parts->receive + parts->receive_at[0],
           (const char *)parts->send + parts->send_at[0], parts->send_bytes[0]);
    return EDGEFW_OK;
  }
  return timed(group, group->communicator->exchange, parts);
}

bool edgefw__group_reaches_devices(const edgefw__group *group) {
  return edgefw__group_is_shared(group) && group->communicator->exchange_on_device;
}

edgefw_status edgefw__group_exchange_on_device(edgefw__group *group, const edgefw_exchange *parts) {
  return timed(group, group->communicator->exchange_on_device, parts);
}

edgefw_status edgefw__group_gather(edgefw__group *group, const void *one, size_t bytes, void *all) {
  if (!edgefw__group_is_shared(group)) {
    memcpy(all, one, bytes);
    return EDGEFW_OK;
  }
  const size_t ranks = (size_t)group->ranks;
  size_t *numbers = edgefw_allocate(group->ctx, 3 * ranks, sizeof *numbers, "ranks");
  if (!numbers) return edgefw__group_noted(group, edgefw_failure(group->ctx));
  for (size_t r = 0; r < ranks; ++r) {
    numbers[ranks + r] = bytes;
    numbers[2 * ranks + r] = r * bytes;
  }
  const edgefw_status status =
      edgefw__group_exchange(group, &(edgefw_exchange){.send = one,
                                                       .send_at = numbers, /* zeros */
                                                       .send_bytes = numbers + ranks,
                                                       .receive = all,
                                                       .receive_at = numbers + 2 * ranks,
                                                       .receive_bytes = numbers + ranks});
  edgefw_release(group->ctx, numbers);
  return status;
}

/* Every rank takes over what failed on rank `from`. */
static edgefw_status take_failure(edgefw__group *g, int from, edgefw_status failure) {
  char message[EDGEFW__MESSAGE_SIZE] = "";
  if (g->rank == from) memcpy(message, edgefw_message(g->ctx), sizeof message);
  const edgefw_status status =
      edgefw__group_noted(g, g->communicator->broadcast(g->handle, from, message, sizeof message));
  if (status != EDGEFW_OK) return status;
  edgefw_clear(g->ctx); /* its own may be a later one */
  message[sizeof message - 1] = '\0';
  if (from == 0) return edgefw_fail(g->ctx, failure, "%s", message);
  return edgefw_fail(g->ctx, failure, "rank %d on %s: %s", from, g->places[from].host, message);
}

edgefw_status edgefw__group_agree(edgefw__group *group, edgefw_status status) {
  if (!edgefw__group_is_shared(group) || group->out_of_step) return status;
  const int64_t mine = status;
  int64_t *all = edgefw_allocate(group->ctx, (size_t)group->ranks, sizeof *all, "ranks");
  if (!all) return edgefw__group_noted(group, edgefw_failure(group->ctx));
  edgefw_status agreed = edgefw__group_gather(group, &mine, sizeof mine, all);
  for (int r = 0; agreed == EDGEFW_OK && r < group->ranks; ++r)
    if (all[r] != EDGEFW_OK) {
      agreed = take_failure(group, r, (edgefw_status)all[r]);
      break;
    }
  edgefw_release(group->ctx, all);
  return agreed;
}

edgefw_status edgefw__group_compare(edgefw__group *group, uint64_t fingerprint, const char *what) {
  uint64_t first = fingerprint;
  edgefw_status status = edgefw__group_broadcast(group, &first, sizeof first);
  if (status == EDGEFW_OK && first != fingerprint)
    status = edgefw_fail(group->ctx, EDGEFW_MISMATCH, "it has another %s than rank 0", what);
  return edgefw__group_agree(group, status);
}

edgefw_status edgefw__group_next(edgefw__group *group, int64_t amount, int64_t *before) {
  return edgefw__group_noted(group, group->communicator->next(group->handle, amount, before));
}

/* --- Calls --- */

edgefw_status edgefw__group_call(edgefw__group *group, edgefw__call *call) {
  return edgefw__group_broadcast(group, call, sizeof *call);
}

void edgefw__group_dismiss(edgefw__group *group) {
  if (!edgefw__group_is_shared(group) || group->out_of_step) return;
  edgefw__call call = {.kind = EDGEFW__CALL_QUIT};
  const edgefw_status status = group->communicator->broadcast(group->handle, 0, &call, sizeof call);
  group->out_of_step = status != EDGEFW_OK;
}
