/* A folder of its own for a test that needs files; gone after sandbox_remove. Failures end the
 * test.
 */
#ifndef EDGEFW_TESTS_SUPPORT_SANDBOX_H
#define EDGEFW_TESTS_SUPPORT_SANDBOX_H

#include <stddef.h>

typedef struct sandbox {
  char folder[64];
} sandbox;

void sandbox_create(sandbox *box);
/* The same in a file system of memory, where there is one: for thousands of small files, whose
 * names a disk would write down one after the other. */
void sandbox_create_in_memory(sandbox *box);

void sandbox_remove(sandbox *box);

/* CMocka's set-up and tear-down; the state is a sandbox. */
int sandbox_set_up(void **state);
int sandbox_tear_down(void **state);

/* Path of `name` in the folder; the text is valid for the next few calls. */
const char *sandbox_path(const sandbox *box, const char *name);

/* Write a file (folders in its name are made) and give its path. */
const char *sandbox_write(const sandbox *box, const char *name, const char *text);
const char *sandbox_write_bytes(const sandbox *box, const char *name, const void *bytes,
                                size_t count);

/* Make `name` a symbolic link to `target`; folders in its name are made. */
const char *sandbox_link(const sandbox *box, const char *name, const char *target);

#endif
