/* Progress: a live line on a terminal, plain lines otherwise.
 * labels: e2e */
#include "support/test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/cli.h"
#include "support/tiny_model.h"
#include "support/toy_plugins.h"

#define TRAIN                                                                                      \
  "[train]\nsize = 6\nepochs = 2\ninstances_per_epoch = 4\nbatch = 2\nmilestones = 1\n"            \
  "[eval]\nsizes = 5\ninstances = 2\n"

static void without_a_terminal_there_is_a_line_per_epoch_and_set(void **state) {
  const sandbox *box = *state;
  cli_write_config(box, TRAIN);
  cli_result result = cli_do(box, "run tiny.ini");
  assert_int_equal(result.status, 0);
  assert_null(strchr(result.err, '\r'));
  assert_non_null(strstr(result.err, "plain: epoch 1/2, score "));
  assert_non_null(strstr(result.err, "plain: set 5, 2 instances: cost "));
  cli_free(&result);
  cli_expect(box, "run tiny.ini --fresh --log warning", 0, NULL, "");
}

/* Run the program with a terminal as its stderr, and give what it wrote there; to be freed. */
static char *run_on_terminal(const sandbox *box, char *const *arguments, int *status) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0) {
    print_message("no terminals here (is /dev/pts mounted?): not tested\n");
    skip();
  }
  const int other = open(ptsname(terminal), O_RDWR | O_NOCTTY);
  assert_true(other >= 0);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    const int nowhere = open("/dev/null", O_WRONLY);
    if (chdir(box->folder) == 0 && dup2(nowhere, 1) == 1 && dup2(other, 2) == 2)
      execv(EDGEFW_BUILD_DIR "/edgefw", arguments);
    _exit(99);
  }
  close(other);
  char *text = calloc(1, 1 << 20);
  assert_non_null(text);
  size_t length = 0;
  for (ssize_t got; (got = read(terminal, text + length, 4096)) > 0 && length < (1 << 20) - 8192;)
    length += (size_t)got;
  assert_int_equal(waitpid(child, status, 0), child);
  close(terminal);
  return text;
}

/* While a file is solved the line has its best cost so far, with the gap to the solution beside it.
 */
static void a_terminal_sees_the_best_so_far(void **state) {
  const sandbox *box = *state;
  int status = 0;
  sandbox_link(box, "plugins/edgefw_inorder.so", toy_fixture("good_heuristic"));
  sandbox_write(box, "hand.atsp",
                "NAME: hand\nTYPE: ATSP\nDIMENSION: 4\nEDGE_WEIGHT_TYPE: EXPLICIT\n"
                "EDGE_WEIGHT_FORMAT: FULL_MATRIX\nEDGE_WEIGHT_SECTION\n"
                "0 9 1 9\n9 0 9 1\n9 1 0 9\n1 9 9 0\nEOF\n");
  sandbox_write(box, "hand.tour", "TOUR_SECTION\n1\n3\n2\n4\n-1\n");
  char *const arguments[] = {"edgefw",      "solve",   "hand.atsp", "--plugin-path", "plugins",
                             "--construct", "inorder", "--improve", "none",          NULL};
  char *text = run_on_terminal(box, arguments, &status);
  assert_int_equal(status, 0);
  assert_non_null(strstr(text, "\r\033[Khand: best cost 28, gap 600.00 %, "));
  assert_non_null(strstr(strstr(text, "best cost"), "\r\033[K")); /* removed for the answer */
  free(text);
}

static void a_terminal_gets_a_live_line_that_is_removed(void **state) {
  const sandbox *box = *state;
  int status = 0;
  cli_write_config(box, TRAIN);
  char *const arguments[] = {"edgefw", "run", "tiny.ini", NULL};
  char *text = run_on_terminal(box, arguments, &status);
  assert_int_equal(status, 0);
  const char *bar = strstr(text, "\r\033[Kplain: epoch 1/2 [");
  assert_non_null(bar);
  assert_non_null(strstr(bar, " left, score "));
  assert_non_null(strstr(bar, "\r\033[Kplain: epoch 1/2, score ")); /* removed for the log's line */
  free(text);
}

int main(void) {
  if (tiny_missing()) return TEST_SKIPPED;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(without_a_terminal_there_is_a_line_per_epoch_and_set,
                                      sandbox_set_up, sandbox_tear_down),
      cmocka_unit_test_setup_teardown(a_terminal_gets_a_live_line_that_is_removed, sandbox_set_up,
                                      sandbox_tear_down),
      cmocka_unit_test_setup_teardown(a_terminal_sees_the_best_so_far, sandbox_set_up,
                                      sandbox_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
