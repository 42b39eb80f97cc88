/* Lines are known by their fingerprints. */
#include "base/log_once.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/hash.h"

/* Is the line to be told? Then it counts as told. The lock is held. */
static bool is_new(edgefw_context *ctx, const char *line) {
  const uint64_t mark = edgefw__hash_add(EDGEFW__HASH_EMPTY, line, strlen(line));
  const int64_t known = ctx->told < EDGEFW__TOLD ? ctx->told : EDGEFW__TOLD;
  for (int64_t k = 0; k < known; ++k)
    if (ctx->marks[k] == mark) return false;
  ctx->marks[ctx->told++ % EDGEFW__TOLD] = mark;
  return true;
}

void edgefw__log_once(edgefw_context *ctx, edgefw_log_level level, const char *format, ...) {
  char line[EDGEFW__MESSAGE_SIZE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  pthread_mutex_lock(&ctx->lock);
  const bool tell = ctx->sink && is_new(ctx, line);
  pthread_mutex_unlock(&ctx->lock);
  if (tell) edgefw_log(ctx, level, "%s", line);
}
