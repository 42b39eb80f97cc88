/* LKH as a solver. */
#include "costs/lkh.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/child_process.h"
#include "base/text_file.h"

/* --- The executable --- */

static bool is_executable(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

/* Search PATH; *out stays NULL if it is nowhere. */
static edgefw_status search(edgefw_context *ctx, edgefw_arena *arena, const char *name,
                            const char **out) {
  const char *folder = getenv("PATH");
  while (folder && *folder && !*out) {
    const size_t length = strcspn(folder, ":");
    const char *path = length ? edgefw_arena_format(arena, "%.*s/%s", (int)length, folder, name)
                              : edgefw_arena_format(arena, "./%s", name);
    if (!path) return edgefw_failure(ctx);
    if (is_executable(path)) *out = path;
    folder += length + (folder[length] == ':');
  }
  return EDGEFW_OK;
}

edgefw_status edgefw__lkh_find(edgefw_context *ctx, edgefw_arena *arena, const char *named,
                               const char **out) {
  edgefw_status status = EDGEFW_OK;
  *out = NULL;
  if (named && strchr(named, '/')) {
    if (is_executable(named)) *out = named;
  } else {
    status = search(ctx, arena, named ? named : "LKH", out);
    if (status == EDGEFW_OK && !*out && !named) status = search(ctx, arena, "lkh", out);
  }
  if (status != EDGEFW_OK || *out) return status;
  return edgefw_fail(
      ctx, EDGEFW_CONFIG,
      "%s%s: LKH-3 is free for research; get its source at "
      "http://webhotel4.ruc.dk/~keld/research/LKH-3/, unpack it, run make there, and "
      "name the executable with --lkh, or put it into PATH",
      named ? named : "neither LKH nor lkh is in PATH", named ? " is no executable file" : "");
}

/* --- The folder --- */

enum { FOLDER_SIZE = 512 };

/* Files in the folder. */
static const char problem_name[] = "instance.tsp", parameters_name[] = "instance.par",
                  tour_name[] = "instance.tour", log_name[] = "output.txt";

typedef struct workplace {
  char folder[FOLDER_SIZE];
  char problem[FOLDER_SIZE + 16], parameters[FOLDER_SIZE + 16], tour[FOLDER_SIZE + 16];
  char log[FOLDER_SIZE + 16];
} workplace;

/* A folder that LKH can read in its parameter file: '$' has a meaning there, blanks end a name. */
static const char *temporary_folder(void) {
  static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._-+";
  const char *folder = getenv("TMPDIR");
  const bool usable = folder && *folder == '/' && strlen(folder) < FOLDER_SIZE / 2 &&
                      strspn(folder, plain) == strlen(folder);
  return usable ? folder : "/tmp";
}

static edgefw_status workplace_open(edgefw_context *ctx, workplace *w) {
  snprintf(w->folder, sizeof w->folder, "%s/edgefw-lkh-XXXXXX", temporary_folder());
  if (!mkdtemp(w->folder)) {
    const int error = errno;
    w->folder[0] = '\0';
    return edgefw_fail(ctx, EDGEFW_IO, "cannot make a folder in '%s': %s", temporary_folder(),
                       strerror(error));
  }
  snprintf(w->problem, sizeof w->problem, "%s/%s", w->folder, problem_name);
  snprintf(w->parameters, sizeof w->parameters, "%s/%s", w->folder, parameters_name);
  snprintf(w->tour, sizeof w->tour, "%s/%s", w->folder, tour_name);
  snprintf(w->log, sizeof w->log, "%s/%s", w->folder, log_name);
  return EDGEFW_OK;
}

/* Remove the folder with all files in it. */
static void workplace_close(const workplace *w) {
  DIR *directory = w->folder[0] ? opendir(w->folder) : NULL;
  if (!directory) return;
  for (struct dirent *entry = NULL; (entry = readdir(directory)) != NULL;)
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
      (void)unlinkat(dirfd(directory), entry->d_name, 0);
  (void)closedir(directory);
  (void)rmdir(w->folder);
}

/* The last line that says something of what LKH printed, for a message. */
static void last_line(const workplace *w, char *out, size_t size) {
  char line[256];
  out[0] = '\0';
  FILE *stream = fopen(w->log, "rb");
  if (!stream) return;
  while (fgets(line, sizeof line, stream)) {
    for (char *c = line; *c; ++c)
      if ((unsigned char)*c < ' ') *c = ' ';
    size_t length = strlen(line);
    while (length > 0 && line[length - 1] == ' ') line[--length] = '\0';
    if (length > 0) snprintf(out, size, "; it said: %s", line + strspn(line, " "));
  }
  (void)fclose(stream);
}

/* --- Running --- */

static edgefw_status judge(edgefw_context *ctx, const edgefw__lkh *lkh, const workplace *w,
                           edgefw__child_end end) {
  char said[320];
  last_line(w, said, sizeof said);
  switch (end.outcome) {
  case EDGEFW__CHILD_EXITED:
    if (end.code == 0 && access(w->tour, F_OK) == 0) return EDGEFW_OK;
    if (end.code == 0)
      return edgefw_fail(ctx, EDGEFW_FORMAT, "%s found no feasible tour%s", lkh->program, said);
    return edgefw_fail(ctx, EDGEFW_IO, "%s ended with status %d%s", lkh->program, end.code, said);
  case EDGEFW__CHILD_SIGNALED:
    return edgefw_fail(ctx, EDGEFW_IO, "%s crashed: signal %d ended it%s", lkh->program, end.code,
                       said);
  case EDGEFW__CHILD_TIMED_OUT:
    return edgefw_fail(
        ctx, EDGEFW_IO,
        "%s was killed after %g seconds; limit its work (--time-limit) or allow more "
        "(--kill-after)",
        lkh->program, lkh->kill_after);
  case EDGEFW__CHILD_STOPPED: return edgefw_fail(ctx, EDGEFW_INTERRUPTED, "interrupted");
  case EDGEFW__CHILD_NOT_STARTED: break;
  }
  return edgefw_fail(ctx, EDGEFW_IO, "cannot start %s: %s", lkh->program, strerror(end.code));
}

static edgefw_status run(edgefw_context *ctx, const edgefw__lkh *lkh, const workplace *w) {
  const size_t length = strlen(lkh->program) + 1;
  char *program = edgefw_allocate(ctx, length, 1, "a command line");
  if (!program) return EDGEFW_OUT_OF_MEMORY;
  memcpy(program, lkh->program, length);
  char parameters[sizeof w->parameters];
  memcpy(parameters, w->parameters, sizeof parameters);
  char *const argv[] = {program, parameters, NULL};
  const edgefw__child child = {
      .argv = argv, .output = w->log, .limit = lkh->kill_after, .interruptible = true};
  const edgefw_status status = judge(ctx, lkh, w, edgefw__child_run(ctx, &child));
  edgefw_release(ctx, program);
  return status;
}

static double scale_for(const edgefw__lkh *lkh, const edgefw__routing *routing) {
  if (!lkh->keep_whole) return lkh->scale;
  for (int64_t k = 0; k < routing->n * routing->n; ++k)
    if (edgefw__routing_allows(routing, k) && rint(routing->cost[k]) != routing->cost[k])
      return lkh->scale;
  return 1.0;
}

edgefw_status edgefw__lkh_solve(edgefw_context *ctx, const edgefw__lkh *lkh,
                                const edgefw__routing *routing, int32_t *tour) {
  workplace w = {.folder = ""};
  int64_t vehicles = 1;
  edgefw_status status = edgefw__lkh_vehicles(ctx, routing, &vehicles);
  if (status == EDGEFW_OK) status = workplace_open(ctx, &w);
  if (status == EDGEFW_OK)
    status = edgefw__lkh_write_problem(ctx, w.problem, routing, scale_for(lkh, routing), vehicles);
  if (status == EDGEFW_OK)
    status = edgefw__lkh_write_parameters(ctx, w.parameters, &lkh->parameters, w.problem, w.tour);
  if (status == EDGEFW_OK) status = run(ctx, lkh, &w);
  if (status == EDGEFW_OK)
    status = edgefw_note(ctx, edgefw__lkh_read_tour(ctx, w.tour, routing, vehicles, tour),
                         "the tour that %s wrote", lkh->program);
  workplace_close(&w);
  return status;
}

const char *edgefw__lkh_settings(const edgefw__lkh *lkh, char *out, size_t size) {
  const edgefw__lkh_parameters *p = &lkh->parameters;
  char trials[48] = "", limit[48] = "";
  if (p->trials > 0) snprintf(trials, sizeof trials, ", MAX_TRIALS = %" PRId64, p->trials);
  if (p->time_limit > 0.0) snprintf(limit, sizeof limit, ", TIME_LIMIT = %g", p->time_limit);
  snprintf(out, size, "RUNS = %" PRId64 "%s%s, SEED = %" PRId64 ", costs times %.10g%s", p->runs,
           trials, limit, p->seed, lkh->scale, lkh->keep_whole ? " unless they are whole" : "");
  return out;
}
