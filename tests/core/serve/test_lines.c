/* Lines from a pipe: whatever their length, and whatever they come in. */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "serve/lines.h"

static edgefw_context *ctx;
static edgefw__lines lines; /* too large for some stacks */

/* Have the text come through a pipe, in lines of at most `most` bytes. */
static void begin(const char *text, size_t length, size_t most, const volatile int *stop) {
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  assert_int_equal(write(ends[1], text, length), length);
  close(ends[1]);
  edgefw__lines_begin(ctx, ends[0], most, stop, &lines);
}

static void expect(const char *text) {
  edgefw__line line;
  bool more = false;
  assert_int_equal(edgefw__lines_next(&lines, &line, &more), EDGEFW_OK);
  assert_true(more == (text != NULL));
  if (text) {
    assert_int_equal(line.length, strlen(text));
    assert_string_equal(line.text, text);
  }
  edgefw_release(ctx, line.text);
}

static void end(void) {
  expect(NULL);
  close(lines.fd);
}

static void lines_come_one_by_one(void **state) {
  (void)state;
  static const char text[] = "one\n\ntwo\nlast";
  begin(text, strlen(text), 100, NULL);
  expect("one");
  expect("");
  expect("two");
  expect("last");
  end();
  begin("", 0, 100, NULL);
  end();
}

/* One of the limit's length is whole, a longer one is passed over, and the next one is there. */
static void long_ones_are_given_up(void **state) {
  (void)state;
  static const char text[] = "123456\n1234567\nnext\n12345678";
  edgefw__line line;
  bool more = false;
  begin(text, strlen(text), 6, NULL);
  expect("123456");
  assert_int_equal(edgefw__lines_next(&lines, &line, &more), EDGEFW_OK);
  assert_true(more);
  assert_null(line.text);
  expect("next");
  assert_int_equal(edgefw__lines_next(&lines, &line, &more), EDGEFW_OK);
  assert_true(more);
  assert_null(line.text);
  end();
}

/* More than comes at once. */
static void a_line_may_come_in_pieces(void **state) {
  (void)state;
  const size_t length = 3 * EDGEFW__LINES_CHUNK / 2;
  char *text = malloc(length + 1);
  int ends[2];
  memset(text, 'x', length);
  text[length] = '\0';
  assert_int_equal(pipe(ends), 0);
  edgefw__lines_begin(ctx, ends[0], length, NULL, &lines);
  const pid_t child = fork();
  if (child == 0) {
    for (size_t done = 0; done < length;) {
      const ssize_t written = write(ends[1], text + done, length - done);
      if (written < 0) _exit(1);
      done += (size_t)written;
    }
    _exit(0);
  }
  close(ends[1]);
  expect(text);
  end();
  free(text);
}

static void it_stops_when_it_is_told(void **state) {
  (void)state;
  volatile int stop = 0;
  begin("one\ntwo\n", 8, 100, &stop);
  expect("one");
  stop = 1;
  end();
}

static bool count_down(void *user) {
  return --*(int *)user <= 0;
}

/* Nothing comes, and the pipe stays open. */
static void it_stops_when_it_is_idle(void **state) {
  (void)state;
  int ends[2], questions = 2;
  assert_int_equal(pipe(ends), 0);
  edgefw__lines_begin(ctx, ends[0], 100, NULL, &lines);
  lines.is_idle = count_down;
  lines.user = &questions;
  end();
  assert_int_equal(questions, 0);
  close(ends[1]);
}

static void what_cannot_be_read_fails(void **state) {
  (void)state;
  edgefw__line line;
  bool more = true;
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  edgefw__lines_begin(ctx, ends[1], 100, NULL, &lines); /* the end that is written to */
  close(ends[0]);
  assert_int_equal(edgefw__lines_next(&lines, &line, &more), EDGEFW_IO);
  assert_non_null(strstr(edgefw_message(ctx), "cannot read requests"));
  assert_false(more);
  close(ends[1]);
  edgefw_clear(ctx);
}

static int set_up(void **state) {
  (void)state;
  return (int)edgefw_context_create(&ctx, NULL);
}

static int tear_down(void **state) {
  (void)state;
  edgefw_context_destroy(ctx);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lines_come_one_by_one),     cmocka_unit_test(long_ones_are_given_up),
      cmocka_unit_test(a_line_may_come_in_pieces), cmocka_unit_test(it_stops_when_it_is_told),
      cmocka_unit_test(it_stops_when_it_is_idle),  cmocka_unit_test(what_cannot_be_read_fails),
  };
  return test_run(tests, set_up, tear_down);
}
