/* Structs that end where memory ends: whoever reads on is stopped by the system. */
#ifndef EDGEFW_TESTS_GUARDED_H
#define EDGEFW_TESTS_GUARDED_H

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct guarded {
  char *pages; /* two: the second one cannot be read */
  size_t page;
} guarded;

/* A copy of the first `size` bytes of `whole`, which says that this is its size. NULL: no memory.
 * Give it back by guarded_release. */
static inline const void *guarded_copy(guarded *g, const void *whole, size_t size) {
  g->page = (size_t)sysconf(_SC_PAGESIZE);
  const int zeros = open("/dev/zero", O_RDWR);
  g->pages = mmap(NULL, 2 * g->page, PROT_READ | PROT_WRITE, MAP_PRIVATE, zeros, 0);
  close(zeros);
  if (g->pages == MAP_FAILED) return NULL;
  if (mprotect(g->pages + g->page, g->page, PROT_NONE) != 0) return NULL;
  char *copy = g->pages + g->page - size;
  memcpy(copy, whole, size);
  memcpy(copy, &size, sizeof size);
  return copy;
}

static inline void guarded_release(const guarded *g) {
  munmap(g->pages, 2 * g->page);
}

#endif
