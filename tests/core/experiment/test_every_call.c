/* A tiny run that is ended, and one that fails for lack of space, at each call by which it changes
 * a file: going on gives what an uninterrupted run gives, whatever was left behind. What two of
 * them leave behind in the same bytes is gone on from once. labels: interrupt needs plugins: atsp
 * radar */
#include "support/test.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/checkpoint.h"
#include "plugin/blas_core.h"
#include "support/cli.h"
#include "support/io_support.h"

#define SHIM EDGEFW_BUILD_DIR "/tests/interrupt/interrupt_shim.so"

/* The program's run, with and without the shim. There is no gnuplot on the empty PATH: a figure is
 * drawn by another program, in another time. */
#define RUN "run tiny.ini --out run"

typedef struct fixture {
  sandbox box;
  char *expected; /* of the uninterrupted run, as `describe` has it */
  uint64_t bytes; /* of the same, as `bytes_of` has it */
  long calls;
  uint64_t *states; /* what was gone on from, as `bytes_of` has it */
  int state_count;
  char path[4096]; /* $PATH of the test */
} fixture;

/* --- What a run folder holds, without times --- */

typedef struct text {
  char *data;
  size_t length;
} text;

static void add(text *t, const char *more, size_t length) {
  t->data = realloc(t->data, t->length + length + 1);
  assert_non_null(t->data);
  memcpy(t->data + t->length, more, length);
  t->length += length;
  t->data[t->length] = '\0';
}

/* Does the text of `length` bytes end in "seconds"? */
static bool is_time(const char *name, size_t length) {
  return length >= 7 && strncmp(name + length - 7, "seconds", 7) == 0;
}

/* A table without its columns "seconds", "construction_seconds" and "search_seconds". */
static void add_csv(text *t, const char *csv) {
  enum { MOST = 32 };
  bool times[MOST] = {false}, head = true;
  int column = 0;
  for (const char *cell = csv; *cell;) {
    const size_t length = strcspn(cell, ",\n"), with_end = length + (cell[length] != '\0');
    assert_true(column < MOST);
    if (head) times[column] = is_time(cell, length);
    if (!times[column])
      add(t, cell, with_end);
    else if (cell[length] == '\n')
      add(t, "\n", 1);
    head &= cell[length] != '\n';
    column = cell[length] == '\n' ? 0 : column + 1;
    cell += with_end;
  }
}

static void add_json(text *t, const char *json) {
  static const char key[] = "seconds\": ";
  for (const char *at; (at = strstr(json, key)); json = at + strcspn(at, ",}")) {
    add(t, json, (size_t)(at - json));
    at += strlen(key);
  }
  add(t, json, strlen(json));
}

/* Rows without their last cell, which is the time. */
static void add_table(text *t, const char *table) {
  while (*table) {
    const size_t length = strcspn(table, "\n") + 1;
    size_t kept = length;
    if (*table == '|') {
      kept -= 2;
      while (table[kept - 1] != '|') --kept;
    }
    add(t, table, kept);
    table += length;
  }
}

/* A page without what elements of the class "time" hold. */
static void add_page(text *t, const char *page) {
  static const char mark[] = "class=\"time\">";
  for (const char *at; (at = strstr(page, mark)); page = at + strcspn(at, "<")) {
    at += strlen(mark);
    add(t, page, (size_t)(at - page));
  }
  add(t, page, strlen(page));
}

static const uint64_t BASIS = 0xcbf29ce484222325u;

static uint64_t mix(uint64_t hash, const void *bytes, size_t count) {
  for (size_t b = 0; b < count; ++b)
    hash = (hash ^ ((const unsigned char *)bytes)[b]) * 0x100000001b3u;
  return hash;
}

static void add_bits(text *t, const char *name, const void *bits, size_t bytes) {
  const uint64_t hash = mix(BASIS, bits, bytes);
  char line[400];
  add(t, line, (size_t)snprintf(line, sizeof line, "  %s %016" PRIx64 "\n", name, hash));
}

static void add_checkpoint(text *t, const char *path) {
  edgefw_context *ctx = NULL;
  edgefw__checkpoint *checkpoint = NULL;
  assert_int_equal(edgefw_context_create(&ctx, NULL), EDGEFW_OK);
  assert_ok(ctx, edgefw__checkpoint_open(ctx, path, &checkpoint));
  const edgefw__checkpoint_content *c = edgefw__checkpoint_content_of(checkpoint);
  const int64_t meta[] = {c->meta.epoch, c->meta.step, (int64_t)c->meta.instances};
  add_bits(t, "meta", meta, sizeof meta);
  for (int64_t k = 0; k < c->tensor_count; ++k) {
    const edgefw__checkpoint_tensor *tensor = &c->tensors[k];
    size_t bytes = sizeof(float);
    for (int axis = 0; axis < tensor->rank; ++axis) bytes *= (size_t)tensor->shape[axis];
    add_bits(t, tensor->name, tensor->value, bytes);
    add_bits(t, "m", tensor->m, bytes);
    add_bits(t, "v", tensor->v, bytes);
    if (tensor->ema) add_bits(t, "ema", tensor->ema, bytes);
  }
  for (int64_t s = 0; s < c->series_count; ++s)
    if (strcmp(c->series[s].name, "seconds") != 0)
      add_bits(t, c->series[s].name, c->series[s].values,
               (size_t)c->series[s].count * sizeof(double));
  edgefw__checkpoint_close(checkpoint);
  edgefw_context_destroy(ctx);
}

/* The records of an event file without their times, which come first in each. */
static void add_events(text *t, const char *events, size_t length) {
  enum { HEAD = 12, TIME = 9, TAIL = 4 };
  for (size_t at = 0; at < length;) {
    uint64_t size = 0;
    assert_true(length - at > HEAD);
    for (int b = 0; b < 8; ++b) size |= (uint64_t)(unsigned char)events[at + b] << (8 * b);
    assert_true(size > TIME && size <= length - at - HEAD - TAIL);
    add_bits(t, "event", events + at + HEAD + TIME, size - TIME);
    at += HEAD + size + TAIL;
  }
}

static bool ends_with(const char *name, const char *end) {
  const size_t length = strlen(name), tail = strlen(end);
  return length >= tail && strcmp(name + length - tail, end) == 0;
}

static void add_file(text *t, const char *path) {
  size_t length = 0;
  char *content = io_read(path, &length);
  if (ends_with(path, ".csv"))
    add_csv(t, content);
  else if (ends_with(path, ".json"))
    add_json(t, content);
  else if (ends_with(path, ".md"))
    add_table(t, content);
  else if (ends_with(path, ".html"))
    add_page(t, content);
  else if (ends_with(path, ".h5"))
    add_checkpoint(t, path);
  else if (strstr(path, "tfevents"))
    add_events(t, content, length);
  else
    add(t, content, length);
  free(content);
}

/* All files of a folder, with their names: one that was left over shows. The log tells of what was
 * interrupted, so it differs. */
static void add_folder(text *t, const char *folder) {
  struct dirent **names = NULL;
  const int count = scandir(folder, &names, NULL, alphasort);
  assert_true(count >= 0);
  for (int i = 0; i < count; ++i) {
    char path[1024];
    struct stat info;
    const char *name = names[i]->d_name;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    const bool skipped =
        strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strcmp(name, "log.txt") == 0;
    if (!skipped) {
      assert_int_equal(lstat(path, &info), 0);
      add(t, "\n== ", 4);
      add(t, name, strlen(name));
      add(t, "\n", 1);
      if (S_ISDIR(info.st_mode))
        add_folder(t, path);
      else
        add_file(t, path);
    }
    free(names[i]);
  }
  free(names);
}

static char *describe(const sandbox *box) {
  text t = {0};
  add_folder(&t, sandbox_path(box, "run"));
  return t.data;
}

/* --- What it holds, in bytes --- */

/* Is it a part of the state? The log tells what happened; that there is one counts. */
static bool is_told(const char *path) {
  return !ends_with(path, "/log.txt");
}

static uint64_t mix_folder(uint64_t hash, const char *folder) {
  struct dirent **names = NULL;
  const int count = scandir(folder, &names, NULL, alphasort);
  assert_true(count >= 0);
  for (int i = 0; i < count; ++i) {
    char path[1024];
    struct stat info;
    const char *name = names[i]->d_name;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0) {
      assert_int_equal(lstat(path, &info), 0);
      hash = mix(hash, name, strlen(name) + 1);
      if (S_ISDIR(info.st_mode)) {
        hash = mix_folder(hash, path) + 1;
      } else if (is_told(path)) {
        size_t length = 0;
        char *content = io_read(path, &length);
        hash = mix(mix(hash, &length, sizeof length), content, length);
        free(content);
      }
    }
    free(names[i]);
  }
  free(names);
  return hash;
}

/* A hash of all files of the run's folder; 0 if there is none. */
static uint64_t bytes_of(const sandbox *box) {
  return cli_exists(box, "run") ? mix_folder(BASIS, sandbox_path(box, "run")) : 0;
}

/* Was that gone on from before? If not, it is from now on. */
static bool is_known(fixture *f, uint64_t state) {
  for (int s = 0; s < f->state_count; ++s)
    if (f->states[s] == state) return true;
  f->states[f->state_count++] = state;
  return false;
}

/* --- The calls --- */

/* Start the program's run, to be interrupted at that call; 0: at none. */
static pid_t start(const sandbox *box, const char *how, long call) {
  char number[32];
  snprintf(number, sizeof number, "%ld", call);
  setenv("INTERRUPT_HOW", how, 1);
  setenv("INTERRUPT_AT", number, 1);
  setenv("INTERRUPT_COUNT", sandbox_path(box, "count"), 1);
  setenv("LD_PRELOAD", SHIM, 1);
  const pid_t child = cli_start(box, RUN);
  unsetenv("LD_PRELOAD");
  return child;
}

static void write_config(const sandbox *box) {
  cli_write_config(
      box, "[train]\nsize = 6\nepochs = 2\ninstances_per_epoch = 8\nbatch = 4\n"
           "checkpoint_every = 1\n[eval]\nsizes = 6\ninstances = 4\n"
           "[variant terms]\neval.files = three.atsp\ntrain.ema = 0.5\n"
           "train.validate_every = 2\ntrain.validation_instances = 2\n[report]\ntensorboard = yes\n"
           "[diagnostics]\nstates = 3\n");
  sandbox_write(box, "three.atsp",
                "TYPE: ATSP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EXPLICIT\n"
                "EDGE_WEIGHT_FORMAT: FULL_MATRIX\nEDGE_WEIGHT_SECTION\n0 1 5 7 0 2 4 8 0\nEOF\n");
  sandbox_write(box, "three.tour", "TOUR_SECTION\n1 2 3 -1\nEOF\n"); /* a gap, so an event */
}

/* What the program sets for its libraries, for which it starts anew: more than a thousand times. */
static void spare_starting_over(void) {
  const char *core = edgefw__blas_core_missed();
  setenv("OMP_WAIT_POLICY", "passive", 0);
  setenv("GOMP_SPINCOUNT", "1000", 0);
  if (core) setenv("OPENBLAS_CORETYPE", core, 0);
}

static int setup(void **state) {
  fixture *f = calloc(1, sizeof *f);
  const sandbox *box = &f->box;
  sandbox_create_in_memory(&f->box);
  write_config(box);
  snprintf(f->path, sizeof f->path, "%s", getenv("PATH"));
  setenv("PATH", box->folder, 1);
  setenv("OMP_NUM_THREADS", "1", 1); /* the run has one; BLAS would start more and end them */
  spare_starting_over();
  cli_result whole = cli_wait(box, start(box, "full", 0));
  if (whole.status != 0) print_error("%s\n", whole.err);
  assert_int_equal(whole.status, 0);
  cli_free(&whole);
  f->expected = describe(box);
  f->bytes = bytes_of(box);
  char *count = cli_read(box, "count");
  f->calls = count ? strtol(count, NULL, 10) : 0;
  free(count);
  f->states = calloc((size_t)(2 * f->calls + 1), sizeof *f->states);
  assert_non_null(f->states);
  /* Whatever ends in the same files is complete. */
  cli_expect(box, RUN, 0, NULL, "nothing to do");
  *state = f;
  return 0;
}

static int teardown(void **state) {
  fixture *f = *state;
  setenv("PATH", f->path, 1);
  sandbox_remove(&f->box);
  free(f->expected);
  free(f->states);
  free(f);
  return 0;
}

/* Say where two texts part. */
static void show_difference(const char *found, const char *expected) {
  size_t at = 0;
  while (found[at] && found[at] == expected[at]) ++at;
  while (at > 0 && found[at - 1] != '\n') --at;
  print_error("found:    %.*s\nexpected: %.*s\n", (int)strcspn(found + at, "\n"), found + at,
              (int)strcspn(expected + at, "\n"), expected + at);
}

/* Is that the end of an interrupted run? Says what is wrong. */
static bool ended_well(const char *how, const cli_result *broken) {
  const bool full = strcmp(how, "full") == 0;
  /* A call whose failure does no harm may be passed over; any other is told in words. */
  const bool good =
      full ? broken->status == 0 || (broken->status == 1 && *broken->err) : broken->status == 137;
  if (!good) print_error("interrupted: exit status %d: %s\n", broken->status, broken->err);
  return good;
}

/* Go on with the run that is there. Does it end as the uninterrupted one did? */
static bool goes_on(const fixture *f, const char *how) {
  cli_result resumed = cli_wait(&f->box, start(&f->box, how, 0));
  bool same = resumed.status == 0;
  if (!same) {
    print_error("going on: exit status %d: %s\n", resumed.status, resumed.err);
  } else if (bytes_of(&f->box) != f->bytes) { /* such as the order in which HDF5 laid things down */
    char *found = describe(&f->box);
    same = strcmp(found, f->expected) == 0;
    if (!same) show_difference(found, f->expected);
    free(found);
  }
  cli_free(&resumed);
  return same;
}

/* Interrupt at that call and go on. */
static bool try_call(fixture *f, const char *how, long call) {
  if (cli_exists(&f->box, "run")) io_folder_remove(sandbox_path(&f->box, "run"));
  cli_result broken = cli_wait(&f->box, start(&f->box, how, call));
  bool good = ended_well(how, &broken);
  cli_free(&broken);
  if (!is_known(f, bytes_of(&f->box))) good &= goes_on(f, how);
  if (!good) print_error("... at call %ld of %ld (%s)\n", call, f->calls, how);
  return good;
}

static void try_every_call(fixture *f, const char *how) {
  int faults = 0;
  const int before = f->state_count;
  assert_true(f->calls > 50); /* the shim counts */
  for (long call = 1; call <= f->calls; ++call) faults += !try_call(f, how, call);
  print_message("%ld calls (%s) left %d new states\n", f->calls, how, f->state_count - before);
  if (faults > 0) fail_msg("%d of %ld calls", faults, f->calls);
}

static void a_killed_run_goes_on(void **state) {
  try_every_call(*state, "kill");
}

static void a_run_without_space_goes_on(void **state) {
  try_every_call(*state, "full");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_killed_run_goes_on),
      cmocka_unit_test(a_run_without_space_goes_on),
  };
  /* A sanitizer's own library must come first, and its program is too slow for a thousand runs. */
  if (IO_HDF5_LEAKS_SHOW || access(SHIM, R_OK) != 0) return TEST_SKIPPED;
  return test_run(tests, setup, teardown);
}
