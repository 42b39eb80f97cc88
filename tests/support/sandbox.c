/* Temporary folders for tests. */
#include "support/sandbox.h"

#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/io_support.h"

void sandbox_create(sandbox *box) {
  io_folder_create(box->folder, sizeof box->folder);
}

void sandbox_create_in_memory(sandbox *box) {
  static const char name[] = "/dev/shm/edgefw-test-XXXXXX";
  memcpy(box->folder, name, sizeof name);
  if (!mkdtemp(box->folder)) sandbox_create(box);
}

void sandbox_remove(sandbox *box) {
  io_folder_remove(box->folder);
}

int sandbox_set_up(void **state) {
  sandbox *box = malloc(sizeof *box);
  assert_non_null(box);
  sandbox_create(box);
  *state = box;
  return 0;
}

int sandbox_tear_down(void **state) {
  sandbox_remove(*state);
  free(*state);
  return 0;
}

const char *sandbox_path(const sandbox *box, const char *name) {
  enum { KEPT = 8, LONGEST = 1024 };
  static char paths[KEPT][LONGEST];
  static int next;
  char *path = paths[next++ % KEPT];
  snprintf(path, LONGEST, "%s/%s", box->folder, name);
  return path;
}

static const char *make_room(const sandbox *box, const char *name) {
  char folder[1024];
  const char *path = sandbox_path(box, name);
  for (const char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
    snprintf(folder, sizeof folder, "%s/%.*s", box->folder, (int)(slash - name), name);
    mkdir(folder, 0700);
  }
  return path;
}

const char *sandbox_write_bytes(const sandbox *box, const char *name, const void *bytes,
                                size_t count) {
  const char *path = make_room(box, name);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, count, file), count);
  assert_int_equal(fclose(file), 0);
  return path;
}

const char *sandbox_write(const sandbox *box, const char *name, const char *text) {
  return sandbox_write_bytes(box, name, text, strlen(text));
}

const char *sandbox_link(const sandbox *box, const char *name, const char *target) {
  const char *path = make_room(box, name);
  assert_int_equal(symlink(target, path), 0);
  return path;
}
