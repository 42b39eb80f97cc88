/* One input: a file for the reader, and what must hold whatever is in it. */
#include "fuzz.h"

#include <ftw.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plugin/registry.h"

/* Inputs have at most some hundred kilobytes. */
#define MOST_MEMORY ((size_t)512 << 20)

static edgefw_context *context;
static char folder[256], path[512];
static pid_t owner; /* of the folder */
static bool refused;
static _Atomic int64_t live; /* blocks that were not given back */

void fuzz_fault(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("fuzz: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  abort();
}

bool fuzz_was_refused(void) {
  return refused;
}

const edgefw__registry *fuzz_registry(edgefw_context *ctx) {
  static edgefw__registry *registry;
  static const char *const folders[] = {EDGEFW_BUILD_DIR "/lib/edgefw"};
  if (!registry && edgefw__registry_create_from(ctx, folders, 1, &registry) != EDGEFW_OK)
    fuzz_fault("no plugins: %s", edgefw_message(ctx));
  return registry;
}

static void *take(void *user, size_t bytes) {
  (void)user;
  if (bytes > MOST_MEMORY) fuzz_fault("asked for %zu bytes of memory", bytes);
  ++live;
  return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

static void give_back(void *user, void *memory) {
  (void)user;
  live -= memory != NULL;
  free(memory);
}

static int remove_entry(const char *entry, const struct stat *info, int kind, struct FTW *walk) {
  (void)info, (void)kind, (void)walk;
  return remove(entry);
}

static void end(void) {
  if (owner == getpid()) nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

void fuzz_begin(void) {
  static const edgefw_allocator allocator = {.allocate = take, .release = give_back};
  /* A disk would be the slowest part by far. */
  const char *place = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
  snprintf(folder, sizeof folder, "%s/edgefw-fuzz-XXXXXX", place);
  if (!mkdtemp(folder)) fuzz_fault("cannot make a folder like %s", folder);
  owner = getpid();
  atexit(end);
  if (edgefw_context_create(&context, &allocator) != EDGEFW_OK) fuzz_fault("no context");
  edgefw_set_threads(context, 1);
  fuzz_set_up(context);
}

/* Each process has its own file: main.c forks. */
static void write_file(const uint8_t *data, size_t size) {
  static pid_t writer;
  if (writer != getpid()) {
    writer = getpid();
    snprintf(path, sizeof path, "%s/%ld", folder, (long)writer);
    (void)mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/%ld/%s", folder, (long)writer, fuzz_file_name);
  }
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0)
    fuzz_fault("cannot write %s", path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!context) fuzz_begin();
  write_file(data, size);
  const int64_t before = live;
  const edgefw_status status = fuzz_read(context, path);
  const char *message = edgefw_message(context);
  refused = status != EDGEFW_OK;
  if (status != edgefw_failure(context))
    fuzz_fault("status %d, recorded %d", (int)status, (int)edgefw_failure(context));
  if (refused && (!*message || strchr(message, '\n')))
    fuzz_fault("status %d with the message '%s', expected one line", (int)status, message);
  edgefw_clear(context);
  if (live != before)
    fuzz_fault("%lld blocks of memory were not given back", (long long)(live - before));
  return 0;
}
