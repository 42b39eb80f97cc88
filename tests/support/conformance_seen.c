/* Collecting the lines of conformance checks. */
#include "support/conformance_seen.h"

#include <stdio.h>
#include <string.h>

void conformance_collect(void *user, bool passed, const char *line) {
  conformance_seen *seen = user;
  const size_t used = strlen(seen->text);
  seen->passed += passed;
  seen->failed += !passed;
  snprintf(seen->text + used, sizeof seen->text - used, "%s %s\n", passed ? "ok" : "FAILED", line);
}
