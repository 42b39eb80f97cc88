/* Structs that begin with their size, as plugins hand them over: a plugin that was built against an
 * older minor ABI has a shorter one, one of a newer ABI a longer one. */
#ifndef EDGEFW__SIZED_H
#define EDGEFW__SIZED_H

#include <stdbool.h>
#include <stddef.h>

/* Is the struct as long as its first release, `least` bytes? If not, `why` gets one line with what
 * was found and expected, and what to do. Only the size itself is read. */
bool edgefw__sized_check(const void *given, size_t least, char *why, size_t why_size);

/* Overwrite `own`, which holds the defaults in `known` bytes, with what both sides know. Its size
 * then says how many bytes were taken over. Nothing behind the end of `given` is read. */
void edgefw__sized_take(void *own, size_t known, const void *given);

#endif
