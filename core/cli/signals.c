/* The program's signal handlers. Their flag is the one global variable: a handler gets nothing
 * else. */
#include "cli/signals.h"

#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

static volatile int interrupted;

static void handle(int signal) {
  static const char text[] = "\nfinishing the running batch; once more to stop at once\n";
  (void)signal;
  interrupted = 1;
  const ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
  (void)written;
}

/* A file that grew over the process's limit: with a handler, the write that did it fails, and says
 * so. A handler, not SIG_IGN, which the programs that are started here would inherit. */
static void let_writes_fail(int signal) {
  (void)signal;
}

/* Was it ignored when the program began? That is what nohup does. */
static bool is_ignored(int signal) {
  struct sigaction before;
  return sigaction(signal, NULL, &before) == 0 && before.sa_handler == SIG_IGN;
}

const volatile int *edgefw__signals_catch(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handle;
  action.sa_flags = SA_RESTART | (int)SA_RESETHAND;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  if (!is_ignored(SIGHUP)) sigaction(SIGHUP, &action, NULL);
  action.sa_handler = let_writes_fail;
  action.sa_flags = SA_RESTART;
  sigaction(SIGXFSZ, &action, NULL);
  return &interrupted;
}
