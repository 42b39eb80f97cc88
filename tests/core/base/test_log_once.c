/* Lines that are told once, by each sink. */
#include "support/test.h"

#include <stdio.h>

#include "base/context.h"
#include "base/log_once.h"

typedef struct heard {
  int lines;
  char last[256];
} heard;

static void listen(void *user, edgefw_log_level level, const char *line) {
  heard *h = user;
  assert_int_equal(level, EDGEFW_LOG_WARNING);
  ++h->lines;
  snprintf(h->last, sizeof h->last, "%s", line);
}

static void a_line_is_told_once(void **state) {
  (void)state;
  edgefw_context *ctx;
  heard h = {.lines = 0};
  assert_int_equal(edgefw_context_create(&ctx, NULL), EDGEFW_OK);
  edgefw__log_once(ctx, EDGEFW_LOG_WARNING, "file %d", 1); /* nobody listens, so it is not told */
  edgefw_set_log(ctx, listen, &h);
  for (int k = 0; k < 3; ++k) edgefw__log_once(ctx, EDGEFW_LOG_WARNING, "file %d", 1);
  assert_int_equal(h.lines, 1);
  assert_string_equal(h.last, "file 1");
  edgefw__log_once(ctx, EDGEFW_LOG_WARNING, "file %d", 2);
  edgefw_log(ctx, EDGEFW_LOG_WARNING, "file %d", 2); /* what is always told still is */
  assert_int_equal(h.lines, 3);
  edgefw_set_log(ctx, listen, &h);
  edgefw__log_once(ctx, EDGEFW_LOG_WARNING, "file %d", 2);
  assert_int_equal(h.lines, 4);
  edgefw_context_destroy(ctx);
}

static void of_many_lines_the_last_are_known(void **state) {
  (void)state;
  edgefw_context *ctx;
  heard h = {.lines = 0};
  assert_int_equal(edgefw_context_create(&ctx, NULL), EDGEFW_OK);
  edgefw_set_log(ctx, listen, &h);
  for (int k = 0; k <= EDGEFW__TOLD; ++k) edgefw__log_once(ctx, EDGEFW_LOG_WARNING, "file %d", k);
  assert_int_equal(h.lines, EDGEFW__TOLD + 1);
  for (int k = EDGEFW__TOLD; k > 0; --k) edgefw__log_once(ctx, EDGEFW_LOG_WARNING, "file %d", k);
  assert_int_equal(h.lines, EDGEFW__TOLD + 1);
  edgefw__log_once(ctx, EDGEFW_LOG_WARNING, "file %d", 0);
  assert_int_equal(h.lines, EDGEFW__TOLD + 2);
  edgefw_context_destroy(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_line_is_told_once),
      cmocka_unit_test(of_many_lines_the_last_are_known),
  };
  return test_run(tests, NULL, NULL);
}
