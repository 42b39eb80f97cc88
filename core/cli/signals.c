/* The program's signal handlers. Their flag is the one global variable: a handler gets nothing
 * else. */
#include "cli/signals.h"

#include <signal.h>
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

const volatile int *edgefw__signals_catch(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handle;
  action.sa_flags = SA_RESTART | (int)SA_RESETHAND;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  return &interrupted;
}
