/* Entries one behind the other, as bytes. */
#include "eval/eval_log.h"

#include <string.h>

void edgefw__eval_log_batch(edgefw__eval_log *log, const edgefw__eval_entry *entry) {
  edgefw__text_add_bytes(&log->bytes, (const char *)entry, sizeof *entry);
}

void edgefw__eval_log_add(edgefw__eval_log *log, const edgefw__eval_found *found) {
  const edgefw__eval_answer *answer = &found->answer;
  edgefw__text_add_bytes(&log->bytes, (const char *)found, sizeof *found);
  edgefw__text_add_bytes(&log->bytes, (const char *)answer->tour,
                         (size_t)answer->count * sizeof *answer->tour);
}

void edgefw__eval_log_release(edgefw__eval_log *log) {
  edgefw__text_release(&log->bytes);
}

/* --- All ranks --- */

/* Bytes of the ranks, their places behind one another, and zeros. */
enum { BYTES, PLACES, NOTHING, ROWS };

static edgefw_status receive(edgefw__eval_log *log, edgefw__group *group, size_t *rows) {
  const size_t ranks = (size_t)group->ranks;
  size_t *bytes = rows + BYTES * ranks, *places = rows + PLACES * ranks;
  const size_t own = log->bytes.length;
  edgefw_status status = edgefw__group_gather(group, &own, sizeof own, bytes);
  if (status != EDGEFW_OK) return status;
  size_t total = 0;
  for (size_t r = 0; r < ranks; ++r) {
    places[r] = total;
    total += bytes[r];
  }
  const bool leads = group->rank == 0;
  char *all = leads ? edgefw_allocate(group->ctx, total, 1, "results of all ranks") : NULL;
  if (leads && !all) return edgefw_failure(group->ctx);
  size_t *send = edgefw_allocate(group->ctx, ranks, sizeof *send, "results of all ranks");
  if (send) send[0] = own;
  if (send)
    status = edgefw__group_exchange(
        group, &(edgefw_exchange){.send = edgefw__text_get(&log->bytes),
                                  .send_at = rows + NOTHING * ranks,
                                  .send_bytes = send,
                                  .receive = all,
                                  .receive_at = places,
                                  .receive_bytes = leads ? bytes : rows + NOTHING * ranks});
  else
    status = edgefw_failure(group->ctx);
  edgefw_release(group->ctx, send);
  if (!leads || status != EDGEFW_OK) {
    edgefw_release(group->ctx, all);
    return status;
  }
  edgefw__text_release(&log->bytes);
  log->bytes = (edgefw__text){.ctx = group->ctx, .data = all, .length = total, .capacity = total};
  return EDGEFW_OK;
}

edgefw_status edgefw__eval_log_collect(edgefw__eval_log *log, edgefw__group *group) {
  edgefw_context *ctx = group->ctx;
  size_t *rows =
      edgefw_allocate(ctx, ROWS * (size_t)group->ranks, sizeof *rows, "results of all ranks");
  edgefw_status status = log->bytes.failed || !rows ? edgefw_failure(ctx) : EDGEFW_OK;
  status = edgefw__group_agree(group, status);
  if (status == EDGEFW_OK) status = edgefw__group_noted(group, receive(log, group, rows));
  edgefw_release(ctx, rows);
  return status;
}

/* --- Reading --- */

/* The batch that begins with instance `first`; NULL: none. */
static const char *find(const edgefw__eval_log *log, int64_t first) {
  const char *at = log->bytes.data, *end = at + log->bytes.length;
  while (at < end) {
    edgefw__eval_entry entry;
    memcpy(&entry, at, sizeof entry);
    if (entry.first == first) return at;
    at += sizeof entry;
    for (int64_t b = 0; b < entry.count; ++b) {
      edgefw__eval_found found;
      memcpy(&found, at, sizeof found);
      at += sizeof found + (size_t)found.answer.count * sizeof *found.answer.tour;
    }
  }
  return NULL;
}

/* An instance at *at, its tour copied to where it is aligned. */
static edgefw_status read_instance(const char **at, edgefw_arena *arena,
                                   const edgefw__eval_reader *reader, edgefw_context *ctx) {
  edgefw__eval_found found;
  memcpy(&found, *at, sizeof found);
  *at += sizeof found;
  const size_t bytes = (size_t)found.answer.count * sizeof(int32_t);
  int32_t *tour = edgefw_arena_take(arena, (size_t)found.answer.count, sizeof *tour);
  if (!tour) return edgefw_failure(ctx);
  memcpy(tour, *at, bytes);
  *at += bytes;
  found.answer.tour = tour;
  return reader->instance(reader->user, &found);
}

edgefw_status edgefw__eval_log_read(const edgefw__eval_log *log, int64_t count,
                                    const edgefw__eval_reader *reader) {
  edgefw_context *ctx = log->bytes.ctx;
  edgefw_arena *arena = NULL;
  edgefw_status status = edgefw_arena_create(ctx, &arena, "tours of all ranks", 0, true);
  for (int64_t first = 0; status == EDGEFW_OK && first < count;) {
    const char *at = find(log, first);
    edgefw__eval_entry entry;
    if (!at) {
      status = edgefw_fail(ctx, EDGEFW_INTERNAL, "no rank has evaluated instance %lld",
                           (long long)first);
      break;
    }
    memcpy(&entry, at, sizeof entry);
    at += sizeof entry;
    reader->batch(reader->user, &entry);
    for (int64_t b = 0; status == EDGEFW_OK && b < entry.count; ++b)
      status = read_instance(&at, arena, reader, ctx);
    first += entry.count;
  }
  edgefw_arena_destroy(arena);
  return status;
}
