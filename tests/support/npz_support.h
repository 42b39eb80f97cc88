/* Writing .npz files for tests, right ones and wrong ones. Failures end the test. */
#ifndef EDGEFW_TESTS_SUPPORT_NPZ_SUPPORT_H
#define EDGEFW_TESTS_SUPPORT_NPZ_SUPPORT_H

#include <stdbool.h>
#include <stddef.h>

/* One entry of an archive: an array ("data.npy"), or anything else. */
typedef struct npz_entry {
  const char *name;
  const char *type;  /* "<f8"; NULL: the bytes are all there is */
  const char *shape; /* "(2, 3)" */
  const void *bytes;
  size_t count;      /* of bytes */
  int version;       /* of the head; 0: 1 */
  const char *order; /* NULL: "False" */
} npz_entry;

/* Write an archive of these entries (ended by a NULL name), packed or stored. */
void npz_write(const char *path, const npz_entry *entries, bool packed);

/* Write one array, whose name does not matter, as a file of its own. */
void npy_write(const char *path, const npz_entry *entry);

#endif
