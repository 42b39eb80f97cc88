/* What the tests of files share. */
#include "support/io_support.h"

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "edgefw/rng.h"

static void require(bool condition, const char *what) {
  if (condition) return;
  perror(what);
  abort();
}

const char *io_folder_create(char *out, size_t size) {
  require(snprintf(out, size, "/tmp/edgefw-test-XXXXXX") < (int)size, "folder");
  require(mkdtemp(out) != NULL, "mkdtemp");
  return out;
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *walk) {
  (void)info, (void)kind, (void)walk;
  return remove(path);
}

void io_folder_remove(const char *folder) {
  require(nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS) == 0, "nftw");
}

int io_file_set_up(void **state, const char *name) {
  io_file *f = calloc(1, sizeof *f);
  require(f != NULL && edgefw_context_create(&f->ctx, NULL) == EDGEFW_OK, "context");
  io_path(f->path, io_folder_create(f->folder, sizeof f->folder), name);
  *state = f;
  return 0;
}

int io_file_tear_down(void **state) {
  io_file *f = *state;
  io_folder_remove(f->folder);
  edgefw_context_destroy(f->ctx);
  free(f);
  return 0;
}

const char *io_path(char out[512], const char *folder, const char *name) {
  snprintf(out, 512, "%s/%s", folder, name);
  return out;
}

void io_write(const char *path, const void *bytes, size_t length) {
  FILE *stream = fopen(path, "wb");
  require(stream != NULL, path);
  require(fwrite(bytes, 1, length, stream) == length, path);
  require(fclose(stream) == 0, path);
}

char *io_read(const char *path, size_t *length) {
  FILE *stream = fopen(path, "rb");
  require(stream != NULL, path);
  require(fseek(stream, 0, SEEK_END) == 0, path);
  *length = (size_t)ftell(stream);
  rewind(stream);
  char *bytes = malloc(*length + 1);
  require(bytes != NULL, path);
  require(fread(bytes, 1, *length, stream) == *length, path);
  bytes[*length] = '\0';
  require(fclose(stream) == 0, path);
  return bytes;
}

void io_damage(const char *bytes, size_t length, uint64_t trial, char *out) {
  memcpy(out, bytes, length);
  uint32_t words[4];
  edgefw_random_block(1, EDGEFW_STREAM_COST, trial, 0, words);
  const uint32_t changes = 1 + words[0] % 4;
  for (uint32_t change = 1; change <= changes; ++change) {
    edgefw_random_block(1, EDGEFW_STREAM_COST, trial, change, words);
    const char value = words[1] % 3 == 0 ? 0 : words[1] % 3 == 1 ? (char)0xff : (char)words[2];
    out[edgefw_random_below(words[0], (uint32_t)length)] = value;
  }
}

int io_count_entries(const char *folder) {
  DIR *entries = opendir(folder);
  require(entries != NULL, folder);
  int count = 0;
  for (struct dirent *entry; (entry = readdir(entries));) count += entry->d_name[0] != '.';
  closedir(entries);
  return count;
}

bool io_message_has(const edgefw_context *ctx, const char *text) {
  const char *message = edgefw_message(ctx);
  if (message[0] != '\0' && strstr(message, text) && !strchr(message, '\n')) return true;
  fprintf(stderr, "message: %s\nexpected in it, in one line: %s\n", message, text);
  return false;
}

void io_collect(void *user, edgefw_log_level level, const char *line) {
  io_log *log = user;
  const size_t used = strlen(log->text);
  snprintf(log->text + used, sizeof log->text - used, "%s\n", line);
  log->warnings += level == EDGEFW_LOG_WARNING;
}
