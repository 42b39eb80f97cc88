/* Running the built program: `edgefw` with arguments, in a folder of its own. Failures to start it
 * end the test. */
#ifndef EDGEFW_TESTS_SUPPORT_CLI_H
#define EDGEFW_TESTS_SUPPORT_CLI_H

#include <stdbool.h>
#include <sys/types.h>

#include "support/sandbox.h"

/* What a run of the program left; the texts are its streams, released by cli_free. */
typedef struct cli_result {
  int status; /* exit status; 128 + signal if a signal ended it */
  char *out, *err;
} cli_result;

/* Run `edgefw ARGUMENTS` (separated by blanks, no quoting) with `box` as working directory. */
cli_result cli_do(const sandbox *box, const char *arguments);
void cli_free(cli_result *result);

/* The two halves: start it, then wait for it. */
pid_t cli_start(const sandbox *box, const char *arguments);
cli_result cli_wait(const sandbox *box, pid_t child);

/* Run it, expect this exit status, and words in its stdout and stderr (NULL: anything). */
void cli_expect_at(const sandbox *box, const char *arguments, int status, const char *out,
                   const char *err, const char *file, int line);
#define cli_expect(box, arguments, status, out, err)                                               \
  cli_expect_at((box), (arguments), (status), (out), (err), __FILE__, __LINE__)

/* Write a small experiment to tiny.ini: variants "plain" and "terms" (those of the terms that are
 * in the tree), size 6, sets 6 and 5. `more` is appended; sections may be given again there. */
void cli_write_config(const sandbox *box, const char *more);

/* More for it: training that takes no time worth speaking of, and no test set. */
#define CLI_SHORT_TRAINING                                                                         \
  "[train]\nsize = 6\nepochs = 1\ninstances_per_epoch = 4\nbatch = 4\nmilestones = 1\n"            \
  "[eval]\nsizes =\ninstances = 1\n"

/* Is there a file or folder of that name in the box? */
bool cli_exists(const sandbox *box, const char *name);

/* Content of a file in the box, to be freed; NULL if there is none. */
char *cli_read(const sandbox *box, const char *name);

/* All files below box/FOLDER, with their contents and their names, as one text to compare; to be
 * freed. Files called log.txt are left out. */
char *cli_snapshot(const sandbox *box, const char *folder);

/* results.csv of a run directory without its columns of seconds and `inputs`: what was found,
 * however long it took and whatever files it came from; to be freed. */
char *cli_results(const sandbox *box, const char *folder);

/* Two such texts are equal; both are freed. */
#define cli_expect_same(a, b) cli_expect_same_at((a), (b), __FILE__, __LINE__)
void cli_expect_same_at(char *a, char *b, const char *file, int line);

#endif
