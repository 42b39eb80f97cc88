/* Expecting failures. */
#include "support/expect.h"

#include "support/test.h"

#include <string.h>

void expect_failure_at(edgefw_context *ctx, edgefw_status status, edgefw_status expected,
                       const char *const *words, const char *file, int line) {
  const char *message = edgefw_message(ctx);
  if (status != expected || edgefw_failure(ctx) != expected) {
    print_error("expected %s, got %s: %s\n", edgefw_status_name(expected),
                edgefw_status_name(status), message);
    _fail(file, line);
  }
  for (; *words; ++words) {
    if (strstr(message, *words)) continue;
    print_error("expected '%s' in: %s\n", *words, message);
    _fail(file, line);
  }
  if (strchr(message, '\n')) {
    print_error("expected one line: %s\n", message);
    _fail(file, line);
  }
  edgefw_clear(ctx);
}

void expect_ok_at(edgefw_context *ctx, edgefw_status status, const char *file, int line) {
  if (status == EDGEFW_OK && edgefw_failure(ctx) == EDGEFW_OK) return;
  print_error("%s: %s\n", edgefw_status_name(status), edgefw_message(ctx));
  _fail(file, line);
}
