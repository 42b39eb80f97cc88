/* Arenas: blocks that are filled from the front. With EDGEFW_ARENA_DEBUG every item is its own
 * allocation, so that the address sanitizer sees an overrun of one item and a use after reset. */
#include "edgefw/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define ALIGNMENT 64u

typedef struct arena_block {
  struct arena_block *next;
  size_t capacity, used; /* bytes behind the header */
} arena_block;

#define HEADER (sizeof(arena_block) + (ALIGNMENT - sizeof(arena_block) % ALIGNMENT) % ALIGNMENT)

struct edgefw_arena {
  edgefw_context *ctx;
  const char *name;
  arena_block *first, *current;
  size_t capacity; /* of a fixed arena */
  size_t used, high_water;
  bool growable;
};

static size_t rounded(size_t bytes) {
  return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static unsigned char *block_data(arena_block *block) {
  return (unsigned char *)block + HEADER;
}

static arena_block *add_block(edgefw_arena *arena, size_t bytes) {
  if (bytes > SIZE_MAX - HEADER) bytes = SIZE_MAX - HEADER;
  arena_block *block = edgefw_allocate(arena->ctx, 1, HEADER + bytes, arena->name);
  if (!block) return NULL;
  block->capacity = bytes;
  if (arena->current) {
    block->next = arena->current->next;
    arena->current->next = block;
  } else {
    arena->first = block;
  }
  arena->current = block;
  return block;
}

static void release_blocks(edgefw_arena *arena) {
  for (arena_block *block = arena->first; block;) {
    arena_block *next = block->next;
    edgefw_release(arena->ctx, block);
    block = next;
  }
  arena->first = arena->current = NULL;
}

edgefw_status edgefw_arena_create(edgefw_context *ctx, edgefw_arena **out, const char *name,
                                  size_t bytes, bool growable) {
  *out = NULL;
  edgefw_arena *arena = edgefw_allocate(ctx, 1, sizeof *arena, name);
  if (!arena) return edgefw_failure(ctx);
  *arena =
      (edgefw_arena){.ctx = ctx, .name = name, .capacity = rounded(bytes), .growable = growable};
#ifndef EDGEFW_ARENA_DEBUG
  if (bytes > 0 && !add_block(arena, arena->capacity)) {
    edgefw_release(ctx, arena);
    return edgefw_failure(ctx);
  }
#endif
  *out = arena;
  return EDGEFW_OK;
}

void edgefw_arena_destroy(edgefw_arena *arena) {
  if (!arena) return;
  release_blocks(arena);
  edgefw_release(arena->ctx, arena);
}

/* A block with room for `bytes`: the current one, a kept later one, or a new one. */
static arena_block *find_room(edgefw_arena *arena, size_t bytes) {
#ifndef EDGEFW_ARENA_DEBUG
  for (arena_block *block = arena->current; block; block = block->next) {
    if (block->capacity - block->used < bytes) continue;
    arena->current = block;
    return block;
  }
  const size_t usual = 64 * 1024;
  const size_t block_bytes = bytes > usual ? bytes : usual;
#else
  const size_t block_bytes = bytes;
#endif
  return add_block(arena, block_bytes);
}

void *edgefw_arena_take(edgefw_arena *arena, size_t count, size_t size) {
  if (size != 0 && count > (SIZE_MAX / 2) / size) {
    edgefw_fail(arena->ctx, EDGEFW_OUT_OF_MEMORY, "out of memory: arena %s needs %zu x %zu bytes",
                arena->name, count, size);
    return NULL;
  }
  const size_t bytes = rounded(count * size + (count * size == 0));
  if (!arena->growable && arena->used + bytes > arena->capacity) {
    edgefw_fail(arena->ctx, EDGEFW_OUT_OF_MEMORY,
                "out of memory: arena %s needs %zu bytes, %zu of %zu are left", arena->name, bytes,
                arena->capacity - arena->used, arena->capacity);
    return NULL;
  }
  arena_block *block = find_room(arena, bytes);
  if (!block) return NULL;
  void *item = block_data(block) + block->used;
  block->used += bytes;
  arena->used += bytes;
  if (arena->used > arena->high_water) arena->high_water = arena->used;
  memset(item, 0, bytes);
  return item;
}

char *edgefw_arena_text(edgefw_arena *arena, const char *text) {
  const size_t bytes = strlen(text) + 1;
  char *copy = edgefw_arena_take(arena, bytes, 1);
  if (copy) memcpy(copy, text, bytes);
  return copy;
}

char *edgefw_arena_format(edgefw_arena *arena, const char *format, ...) {
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  const int length = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  char *text = length < 0 ? NULL : edgefw_arena_take(arena, (size_t)length + 1, 1);
  if (text) vsnprintf(text, (size_t)length + 1, format, again);
  va_end(again);
  return text;
}

void edgefw_arena_reset(edgefw_arena *arena) {
#ifdef EDGEFW_ARENA_DEBUG
  release_blocks(arena);
#else
  for (arena_block *block = arena->first; block; block = block->next) block->used = 0;
  arena->current = arena->first;
#endif
  arena->used = 0;
}

size_t edgefw_arena_used(const edgefw_arena *arena) {
  return arena->used;
}

size_t edgefw_arena_high_water(const edgefw_arena *arena) {
  return arena->high_water;
}
