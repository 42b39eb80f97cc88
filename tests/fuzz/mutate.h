/* Plain mutation: files of a folder, changed in one to eight places. The same seed and number give
 * the same bytes on every machine. */
#ifndef EDGEFW_TESTS_FUZZ_MUTATE_H
#define EDGEFW_TESTS_FUZZ_MUTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MUTATE_MAX_FILES = 64, MUTATE_MAX_BYTES = 1 << 18 };

typedef struct mutate_file {
  unsigned char *bytes;
  size_t length;
  bool text; /* no control characters but white space */
} mutate_file;

typedef struct mutate_corpus {
  mutate_file files[MUTATE_MAX_FILES];
  int count;
} mutate_corpus;

/* Read the regular files of a folder in the order of their names; false if there is none. Never
 * released: it lives as long as the process. */
bool mutate_load(mutate_corpus *corpus, const char *folder);

/* Input `number` of a seed: its length; `out` has MUTATE_MAX_BYTES. The first inputs are the files
 * as they are. */
size_t mutate(const mutate_corpus *corpus, uint64_t seed, uint64_t number, unsigned char *out);

#endif
