/* Drives a reader by plain mutation:
 *
 *   fuzz_NAME CORPUS [--seconds S] [--inputs N] [--first I] [--seed K]
 *
 * Inputs are tried in processes of some thousand each, so that one that crashes, hangs or takes all
 * memory is told by its number and kept as fault-NAME-NUMBER in the working directory. The end is
 * at S seconds or N inputs, whichever comes first; `--first I --inputs 1` tries one again. */
#define _GNU_SOURCE /* wait4, anonymous memory */
#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"
#include "mutate.h"

/* An input that computes for so long hangs; one that waits does after the second number, as other
 * programs may keep the processor for long. */
enum { BATCH = 2000, SECONDS_FOR_ONE = 10, PATIENCE = 120 };
/* Of a process, the sanitizers' own included. */
#define MOST_KILOBYTES (3L << 20)

/* What the processes share. */
typedef struct progress {
  uint64_t number, tried, refused;
} progress;

typedef struct settings {
  const char *name, *corpus;
  double seconds;
  uint64_t inputs, first, seed;
} settings;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static bool read_settings(int count, char **words, settings *out) {
  *out =
      (settings){.name = basename(words[0]), .seconds = 1e9, .inputs = UINT64_MAX / 2, .seed = 1};
  bool good = count >= 2 && count % 2 == 0;
  for (int w = 2; w + 1 < count; w += 2) {
    char *end;
    const double value = strtod(words[w + 1], &end);
    good &= *end == '\0' && value >= 0.0;
    if (strcmp(words[w], "--seconds") == 0)
      out->seconds = value;
    else if (strcmp(words[w], "--inputs") == 0)
      out->inputs = (uint64_t)value;
    else if (strcmp(words[w], "--first") == 0)
      out->first = (uint64_t)value;
    else if (strcmp(words[w], "--seed") == 0)
      out->seed = (uint64_t)value;
    else
      good = false;
  }
  if (good) out->corpus = words[1];
  return good;
}

/* Inputs from `from` on, in a process of their own. */
static void run_batch(const settings *s, const mutate_corpus *corpus, uint64_t from, uint64_t end,
                      double deadline, progress *shared) {
  static unsigned char bytes[MUTATE_MAX_BYTES];
  const struct itimerval limit = {.it_value = {.tv_sec = SECONDS_FOR_ONE}};
  for (uint64_t number = from; number < end && now() < deadline; ++number) {
    const size_t length = mutate(corpus, s->seed, number, bytes);
    shared->number = number;
    setitimer(ITIMER_PROF, &limit, NULL);
    alarm(PATIENCE);
    LLVMFuzzerTestOneInput(bytes, length);
    ++shared->tried;
    shared->refused += fuzz_was_refused();
  }
  exit(0);
}

/* Keep the input that did it. */
static void keep(const settings *s, const mutate_corpus *corpus, uint64_t number,
                 const char *what) {
  static unsigned char bytes[MUTATE_MAX_BYTES];
  char name[128];
  snprintf(name, sizeof name, "fault-%s-%llu", s->name, (unsigned long long)number);
  FILE *file = fopen(name, "wb");
  if (file) {
    fwrite(bytes, 1, mutate(corpus, s->seed, number, bytes), file);
    fclose(file);
  }
  printf("%s: input %llu of seed %llu %s; it is kept as %s\n", s->name, (unsigned long long)number,
         (unsigned long long)s->seed, what, name);
}

/* Did the process end well? */
static bool check_end(const settings *s, const mutate_corpus *corpus, int status, long kilobytes,
                      const progress *shared) {
  char what[96] = "";
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF)
    snprintf(what, sizeof what, "computed for more than %d seconds", SECONDS_FOR_ONE);
  else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
    snprintf(what, sizeof what, "took more than %d seconds", PATIENCE);
  else if (WIFSIGNALED(status))
    snprintf(what, sizeof what, "ended the process by signal %d", WTERMSIG(status));
  else if (WEXITSTATUS(status) != 0)
    snprintf(what, sizeof what, "(or one before) ended the process with %d", WEXITSTATUS(status));
  else if (kilobytes > MOST_KILOBYTES)
    snprintf(what, sizeof what, "or one of %d before took %ld MiB", BATCH, kilobytes >> 10);
  if (!*what) return true;
  keep(s, corpus, shared->number, what);
  return false;
}

static int run(const settings *s, const mutate_corpus *corpus, progress *shared) {
  const double begin = now(), deadline = begin + s->seconds;
  const uint64_t end = s->first + s->inputs;
  bool good = true;
  fuzz_begin();
  for (uint64_t from = s->first; from < end && now() < deadline && good; from += BATCH) {
    fflush(stdout);
    const pid_t child = fork();
    if (child < 0) return perror("fork"), 1;
    if (child == 0)
      run_batch(s, corpus, from, from + BATCH < end ? from + BATCH : end, deadline, shared);
    int status = 0;
    struct rusage usage = {0};
    while (wait4(child, &status, 0, &usage) < 0 && errno == EINTR) {
    }
    good = check_end(s, corpus, status, usage.ru_maxrss, shared);
  }
  printf("%s: %llu inputs in %.1f s, %llu refused, %d faults\n", s->name,
         (unsigned long long)shared->tried, now() - begin, (unsigned long long)shared->refused,
         !good);
  return good && shared->tried > (uint64_t)corpus->count ? 0 : 1;
}

int main(int count, char **words) {
  settings s;
  static mutate_corpus corpus;
  if (!read_settings(count, words, &s)) {
    fprintf(stderr, "usage: %s CORPUS [--seconds S] [--inputs N] [--first I] [--seed K]\n",
            words[0]);
    return 2;
  }
  if (!mutate_load(&corpus, s.corpus)) {
    fprintf(stderr, "%s: no file to begin with\n", s.corpus);
    return 2;
  }
  progress *shared =
      mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return perror("mmap"), 1;
  return run(&s, &corpus, shared);
}
