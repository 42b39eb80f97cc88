/* What the checks of plugins told. */
#ifndef EDGEFW_TESTS_SUPPORT_CONFORMANCE_SEEN_H
#define EDGEFW_TESTS_SUPPORT_CONFORMANCE_SEEN_H

#include <stdbool.h>

typedef struct conformance_seen {
  int passed, failed;
  char text[16384]; /* a line each: "ok LINE" or "FAILED LINE" */
} conformance_seen;

/* An edgefw__conformance_sink whose user is a conformance_seen. */
void conformance_collect(void *user, bool passed, const char *line);

#endif
