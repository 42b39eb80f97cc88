/* Arenas: memory named by its lifetime. Items are never freed one by one; an arena is reset or
 * destroyed as a whole. An arena is used by one thread at a time. */
#ifndef EDGEFW_ARENA_H
#define EDGEFW_ARENA_H

#include "edgefw/context.h"

EDGEFW_BEGIN_DECLS

typedef struct edgefw_arena edgefw_arena;

/* Make an arena of `bytes` capacity, allocated at once. With `growable` it takes further blocks
 * when that is used up; without, running out is an error naming needed and available bytes. `name`
 * (a literal: "batch") appears in messages. */
EDGEFW_API EDGEFW_NODISCARD edgefw_status edgefw_arena_create(edgefw_context *ctx,
                                                              edgefw_arena **out, const char *name,
                                                              size_t bytes, bool growable);
EDGEFW_API void edgefw_arena_destroy(edgefw_arena *arena); /* NULL is allowed */

/* Zeroed, 64-byte aligned memory for count * size bytes; NULL with a recorded failure otherwise. */
EDGEFW_API void *edgefw_arena_take(edgefw_arena *arena, size_t count, size_t size);

/* Copy of a string into the arena. */
EDGEFW_API char *edgefw_arena_text(edgefw_arena *arena, const char *text);

/* printf into the arena. */
EDGEFW_API char *edgefw_arena_format(edgefw_arena *arena, const char *format, ...)
    EDGEFW_PRINTF(2, 3);

/* Forget all items (the memory is kept for reuse). */
EDGEFW_API void edgefw_arena_reset(edgefw_arena *arena);

/* Bytes in use now, and the most that ever were. */
EDGEFW_API size_t edgefw_arena_used(const edgefw_arena *arena);
EDGEFW_API size_t edgefw_arena_high_water(const edgefw_arena *arena);

EDGEFW_END_DECLS

#endif
