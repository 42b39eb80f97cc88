/* What the tests of files share: a temporary folder, whole files, and failures with their message.
 */
#ifndef EDGEFW_TESTS_IO_SUPPORT_H
#define EDGEFW_TESTS_IO_SUPPORT_H

#include "edgefw/context.h"

/* Make a new folder under /tmp, put its name into `out` (24 bytes do) and return it. */
const char *io_folder_create(char *out, size_t size);

/* Remove the folder and all in it. */
void io_folder_remove(const char *folder);

/* "folder/name" in `out`. */
const char *io_path(char out[512], const char *folder, const char *name);

/* A context and a folder with the path of a file, which is not there yet. */
typedef struct io_file {
  edgefw_context *ctx;
  char folder[256], path[512];
} io_file;

/* CMocka's set-up, but for the name of the file, and its tear-down; the state is an io_file. */
int io_file_set_up(void **state, const char *name);
int io_file_tear_down(void **state);

/* Write or read a whole file; reading allocates with malloc and puts a 0 behind the bytes. */
void io_write(const char *path, const void *bytes, size_t length);
char *io_read(const char *path, size_t *length);

/* Copy `bytes` to `out` with one to four of them changed; the same trial, the same changes. */
void io_damage(const char *bytes, size_t length, uint64_t trial, char *out);

/* HDF5 leaks memory of its own when it refuses a damaged file, which LeakSanitizer would report. */
#if defined(__SANITIZE_ADDRESS__)
#define IO_HDF5_LEAKS_SHOW 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define IO_HDF5_LEAKS_SHOW 1
#endif
#endif
#ifndef IO_HDF5_LEAKS_SHOW
#define IO_HDF5_LEAKS_SHOW 0
#endif

/* Number of entries in a folder. */
int io_count_entries(const char *folder);

/* Is `text` in the recorded failure? Prints both if not. */
bool io_message_has(const edgefw_context *ctx, const char *text);

/* `call` must fail with `expected` and a one-line message that contains `text`; clears it. */
#define assert_fails(ctx, call, expected, text)                                                    \
  do {                                                                                             \
    assert_int_equal((call), (expected));                                                          \
    assert_true(io_message_has((ctx), (text)));                                                    \
    edgefw_clear(ctx);                                                                             \
  } while (0)

/* `call` must succeed; prints the message if not. */
#define assert_ok(ctx, call)                                                                       \
  do {                                                                                             \
    const edgefw_status assert_ok_status = (call);                                                 \
    if (assert_ok_status != EDGEFW_OK) print_error("%s\n", edgefw_message(ctx));                   \
    assert_int_equal(assert_ok_status, EDGEFW_OK);                                                 \
  } while (0)

/* Collects log lines: edgefw_set_log(ctx, io_collect, &log). */
typedef struct io_log {
  char text[4096]; /* one line each */
  int warnings;
} io_log;
void io_collect(void *user, edgefw_log_level level, const char *line);

#endif
