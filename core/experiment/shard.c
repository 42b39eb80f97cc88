/* Which instances a shard has, and what it is called. */
#include "experiment/shard.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text_file.h"
#include "report/run_record.h"

/* "2/8" or "2-of-8" at the beginning of a text; the characters that it takes, 0: none is there. */
static size_t scan(const char *text, const char *between, edgefw__shard *out) {
  char word[2][24];
  const size_t first = strspn(text, "0123456789"), gap = strlen(between);
  if (first == 0 || first >= sizeof word[0] || strncmp(text + first, between, gap) != 0) return 0;
  const char *rest = text + first + gap;
  const size_t second = strspn(rest, "0123456789");
  if (second == 0 || second >= sizeof word[1]) return 0;
  snprintf(word[0], sizeof word[0], "%.*s", (int)first, text);
  snprintf(word[1], sizeof word[1], "%.*s", (int)second, rest);
  if (!edgefw__parse_integer(word[0], &out->index) || !edgefw__parse_integer(word[1], &out->count))
    return 0;
  const bool fits =
      out->index >= 1 && out->index <= out->count && out->count <= EDGEFW__SHARDS_MOST;
  return fits ? first + gap + second : 0;
}

edgefw_status edgefw__shard_parse(edgefw_context *ctx, const char *text, edgefw__shard *out) {
  const size_t length = scan(text, "/", out);
  if (length > 0 && !text[length]) return EDGEFW_OK;
  return edgefw_fail(ctx, EDGEFW_CONFIG,
                     "--shard '%s': expected I/N, the number of the shard, from 1, and how many "
                     "there are, at most %d: 2/8",
                     text, EDGEFW__SHARDS_MOST);
}

const char *edgefw__shard_folder(edgefw_arena *arena, const char *run, const edgefw__shard *shard) {
  return edgefw_arena_format(arena, "%s/" EDGEFW__SHARDS_FOLDER "/%" PRId64 "-of-%" PRId64, run,
                             shard->index, shard->count);
}

const char *edgefw__shard_mark(edgefw_arena *arena, const edgefw__shard *shard) {
  return edgefw_arena_format(arena,
                             EDGEFW__SHARD_MARK "%" PRId64 "/%" PRId64
                                                ", every key resolved. It marks a part of a run.\n",
                             shard->index, shard->count);
}

bool edgefw__shard_read_mark(const char *text, edgefw__shard *out) {
  static const char mark[] = EDGEFW__SHARD_MARK;
  const size_t length = sizeof mark - 1;
  return strncmp(text, mark, length) == 0 && scan(text + length, "/", out) > 0;
}

void edgefw__shard_range(const edgefw__shard *shard, const edgefw__instance_set *sets, int set,
                         int64_t *first, int64_t *end) {
  const int64_t count = sets[set].count, before = shard->index - 1;
  if (count > 1) {
    /* Of count = q N + r instances the first r shards have q + 1. */
    const int64_t each = count / shard->count, more = count % shard->count;
    *first = before * each + (before < more ? before : more);
    *end = *first + each + (before < more);
    return;
  }
  int64_t number = 0;
  for (int s = 0; s < set; ++s) number += sets[s].count == 1;
  *first = 0;
  *end = number % shard->count == before;
}
