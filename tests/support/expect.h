/* Expecting a failure with the words that a user needs. */
#ifndef EDGEFW_TESTS_SUPPORT_EXPECT_H
#define EDGEFW_TESTS_SUPPORT_EXPECT_H

#include "edgefw/context.h"

/* `status` and the recorded failure are `expected`, and the message, which is one line, holds all
 * of the words (ended by NULL). The failure is then forgotten. Prints what differs and ends the
 * test. */
void expect_failure_at(edgefw_context *ctx, edgefw_status status, edgefw_status expected,
                       const char *const *words, const char *file, int line);

#define expect_failure(ctx, status, expected, ...)                                                 \
  expect_failure_at((ctx), (status), (expected), (const char *const[]){__VA_ARGS__, NULL},         \
                    __FILE__, __LINE__)

/* `status` is OK; otherwise the message is printed and the test ends. */
void expect_ok_at(edgefw_context *ctx, edgefw_status status, const char *file, int line);
#define expect_ok(ctx, status) expect_ok_at((ctx), (status), __FILE__, __LINE__)

#endif
