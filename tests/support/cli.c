/* Running the built program. */
#include "support/cli.h"
#include "support/test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/tiny_model.h"

/* Where the streams go: outside of the working directory, which tests look at. */
static void stream_path(const sandbox *box, const char *name, char out[256]) {
  snprintf(out, 256, "%s.%s", box->folder, name);
}

/* In the child: become the program. */
static void become(const sandbox *box, char *const *argv) {
  char out[256], err[256];
  stream_path(box, "out", out);
  stream_path(box, "err", err);
  const int out_file = open(out, O_CREAT | O_TRUNC | O_WRONLY, 0600);
  const int err_file = open(err, O_CREAT | O_TRUNC | O_WRONLY, 0600);
  if (chdir(box->folder) == 0 && out_file >= 0 && err_file >= 0 && dup2(out_file, 1) == 1 &&
      dup2(err_file, 2) == 2)
    execv(EDGEFW_BUILD_DIR "/edgefw", argv);
  _exit(99);
}

pid_t cli_start(const sandbox *box, const char *arguments) {
  char words[2048];
  char *argv[64] = {(char[]){"edgefw"}};
  int count = 1;
  snprintf(words, sizeof words, "%s", arguments);
  for (char *word = strtok(words, " "); word; word = strtok(NULL, " ")) argv[count++] = word;
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) become(box, argv);
  return child;
}

static char *read_path(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  char *text = NULL;
  size_t length = 0, room = 1 << 16;
  text = malloc(room);
  assert_non_null(text);
  for (size_t got; (got = fread(text + length, 1, room - length - 1, file)) > 0;) {
    length += got;
    if (length + 1 < room) continue;
    room *= 2;
    text = realloc(text, room);
    assert_non_null(text);
  }
  text[length] = '\0';
  fclose(file);
  return text;
}

cli_result cli_wait(const sandbox *box, pid_t child) {
  int status = 0;
  char out[256], err[256];
  while (waitpid(child, &status, 0) < 0) assert_int_equal(errno, EINTR);
  stream_path(box, "out", out);
  stream_path(box, "err", err);
  cli_result result = {.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
                       .out = read_path(out),
                       .err = read_path(err)};
  assert_non_null(result.out);
  assert_non_null(result.err);
  unlink(out);
  unlink(err);
  return result;
}

cli_result cli_do(const sandbox *box, const char *arguments) {
  return cli_wait(box, cli_start(box, arguments));
}

void cli_free(cli_result *result) {
  free(result->out);
  free(result->err);
  result->out = result->err = NULL;
}

void cli_expect_at(const sandbox *box, const char *arguments, int status, const char *out,
                   const char *err, const char *file, int line) {
  cli_result result = cli_do(box, arguments);
  const bool right = result.status == status && (!out || strstr(result.out, out)) &&
                     (!err || strstr(result.err, err));
  if (!right)
    print_error("edgefw %s\nexit status %d, expected %d\nstdout:\n%s\nstderr:\n%s\n", arguments,
                result.status, status, result.out, result.err);
  cli_free(&result);
  if (!right) _fail(file, line);
}

/* Terms of the paper that are in the tree, separated by commas. */
static const char *present_terms(char out[64]) {
  static const char *const names[] = {"edge", "closure", "lookahead"};
  out[0] = '\0';
  for (int t = 0; t < 3; ++t) {
    char path[512];
    snprintf(path, sizeof path, "%s/plugins/decoders/%s.c", EDGEFW_SOURCE_DIR, names[t]);
    if (access(path, R_OK) != 0) continue;
    if (out[0]) strcat(out, ", ");
    strcat(out, names[t]);
  }
  return out;
}

void cli_write_config(const sandbox *box, const char *more) {
  char text[4096], terms[64];
  snprintf(text, sizeof text,
           "[experiment]\nname = tiny\nthreads = 1\ndevice = %s\n"
           "[problem]\nname = atsp\n"
           "[backbone]\nname = radar\nembedding_dim = 8\nlayers = 1\nheads = 2\nff_hidden = 8\n"
           "mix_hidden = 4\nsvd_rank = 3\nsinkhorn_iterations = 3\n"
           "[decoder]\nheads = 2\nedge_hidden = 4\n"
           "[variant plain]\ndecoder.terms =\n[variant terms]\ndecoder.terms = %s\n%s",
           tiny_has_device("cpu") ? "cpu" : "reference", present_terms(terms), more);
  sandbox_write(box, "tiny.ini", text);
}

bool cli_exists(const sandbox *box, const char *name) {
  return access(sandbox_path(box, name), F_OK) == 0;
}

char *cli_read(const sandbox *box, const char *name) {
  return read_path(sandbox_path(box, name));
}

/* --- Snapshots --- */

static void add(char **text, const char *more) {
  const size_t old = *text ? strlen(*text) : 0;
  *text = realloc(*text, old + strlen(more) + 1);
  assert_non_null(*text);
  memcpy(*text + old, more, strlen(more) + 1);
}

/* Bytes as a text without NUL: their hash will do. */
static void add_file(char **text, const char *path) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  uint64_t hash = 0xcbf29ce484222325u;
  for (int c; (c = fgetc(file)) != EOF;) hash = (hash ^ (unsigned)c) * 0x100000001b3u;
  fclose(file);
  char line[1400];
  snprintf(line, sizeof line, "%s %016llx\n", path, (unsigned long long)hash);
  add(text, line);
}

static void add_folder(char **text, const char *folder) {
  struct dirent **names = NULL;
  const int count = scandir(folder, &names, NULL, alphasort);
  assert_true(count >= 0);
  for (int i = 0; i < count; ++i) {
    char path[1024];
    struct stat information;
    snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
    const bool skipped = names[i]->d_name[0] == '.' || strcmp(names[i]->d_name, "log.txt") == 0;
    free(names[i]);
    if (skipped) continue;
    assert_int_equal(stat(path, &information), 0);
    if (S_ISDIR(information.st_mode))
      add_folder(text, path);
    else
      add_file(text, path);
  }
  free(names);
}

char *cli_snapshot(const sandbox *box, const char *folder) {
  char *text = NULL;
  add(&text, "");
  add_folder(&text, sandbox_path(box, folder));
  return text;
}

char *cli_results(const sandbox *box, const char *folder) {
  enum { SECONDS = 14, INPUTS = 16, CONSTRUCTION_SECONDS = 19, SEARCH_SECONDS = 20 }; /* columns */
  char name[256];
  snprintf(name, sizeof name, "%s/results.csv", folder);
  char *text = cli_read(box, name);
  assert_non_null(text);
  char *to = text;
  int column = 0;
  for (const char *from = text; *from; ++from) {
    const bool left_out = column == SECONDS || column == INPUTS || column == CONSTRUCTION_SECONDS ||
                          column == SEARCH_SECONDS;
    if (!left_out || *from == '\n') *to++ = *from;
    if (*from == ',') ++column;
    if (*from == '\n') column = 0;
  }
  *to = '\0';
  return text;
}

void cli_expect_same_at(char *a, char *b, const char *file, int line) {
  const bool same = strcmp(a, b) == 0;
  if (!same) print_error("one text:\n%s\nthe other:\n%s\n", a, b);
  free(a);
  free(b);
  if (!same) _fail(file, line);
}
