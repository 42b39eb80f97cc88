/* What every test file begins with: CMocka, with the headers that it needs before it, and how a
 * test program ends. */
#ifndef EDGEFW_TESTS_SUPPORT_TEST_H
#define EDGEFW_TESTS_SUPPORT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Exit status of a program that could not test all that it is for; ctest shows it as skipped. */
#define TEST_SKIPPED 77

/* Run the tests of an array; the result is the status to end with: TEST_SKIPPED if none failed but
 * one was left out by test_skip_missing. */
#define test_run(tests, setup, teardown)                                                           \
  test_status(cmocka_run_group_tests((tests), (setup), (teardown)))

int test_status(int failures);

/* Leave the running test out, because a plugin that it needs is not in the tree. */
void test_skip_missing(void);

#endif
