/* The context: first failure and notes, allocation, log, interruption.
 * labels: threads */
#include "support/test.h"

#include "base/clock.h"
#include "base/deadline.h"
#include "base/log_sink.h"
#include "base/onlooker.h"
#include "support/check.h"
#include "edgefw/context.h"
#include "support/failing_allocator.h"

#include <pthread.h>
#include <string.h>

static int setup(void **state) {
  edgefw_context *ctx = NULL;
  if (edgefw_context_create(&ctx, NULL) != EDGEFW_OK) return -1;
  *state = ctx;
  return 0;
}

static int teardown(void **state) {
  edgefw_context_destroy(*state);
  return 0;
}

/* --- Messages --- */

static void begins_without_a_failure(void **state) {
  const edgefw_context *ctx = *state;
  assert_int_equal(edgefw_failure(ctx), EDGEFW_OK);
  assert_string_equal(edgefw_message(ctx), "");
}

static void the_first_failure_stays(void **state) {
  edgefw_context *ctx = *state;
  assert_int_equal(edgefw_fail(ctx, EDGEFW_IO, "cannot read '%s'", "a.h5"), EDGEFW_IO);
  assert_int_equal(edgefw_fail(ctx, EDGEFW_FORMAT, "something else"), EDGEFW_IO);
  assert_int_equal(edgefw_failure(ctx), EDGEFW_IO);
  assert_string_equal(edgefw_message(ctx), "cannot read 'a.h5'");
  edgefw_clear(ctx);
  assert_int_equal(edgefw_failure(ctx), EDGEFW_OK);
  assert_string_equal(edgefw_message(ctx), "");
  assert_int_equal(edgefw_fail(ctx, EDGEFW_FORMAT, "second"), EDGEFW_FORMAT);
  assert_string_equal(edgefw_message(ctx), "second");
}

static void notes_are_appended(void **state) {
  edgefw_context *ctx = *state;
  const edgefw_status status = edgefw_fail(ctx, EDGEFW_IO, "cannot read");
  assert_int_equal(edgefw_note(ctx, status, "line %d", 7), EDGEFW_IO);
  assert_int_equal(edgefw_note(ctx, status, "while loading"), EDGEFW_IO);
  assert_string_equal(edgefw_message(ctx), "cannot read (line 7) (while loading)");
}

static void a_note_on_success_does_nothing(void **state) {
  edgefw_context *ctx = *state;
  assert_int_equal(edgefw_note(ctx, EDGEFW_OK, "unwanted"), EDGEFW_OK);
  assert_string_equal(edgefw_message(ctx), "");
}

static void keep_line(void *user, edgefw_log_level level, const char *line) {
  (void)level;
  strcpy(user, line);
}

/* Names of files may hold anything; messages and log lines hold no control character of theirs. */
static void names_leave_messages_clean(void **state) {
  edgefw_context *ctx = *state;
  char line[64] = "";
  const char *name = "a\x1B[2J\nK\xF6ln\tb";
  const edgefw_status status = edgefw_fail(ctx, EDGEFW_IO, "cannot read '%s'", name);
  (void)edgefw_note(ctx, status, "while reading %s", "b\r\xC3\xB6");
  assert_string_equal(edgefw_message(ctx), "cannot read 'a?[2J?K?ln b' (while reading b?\xC3\xB6)");
  edgefw_set_log(ctx, keep_line, line);
  edgefw_log(ctx, EDGEFW_LOG_WARNING, "%s", name);
  assert_string_equal(line, "a?[2J?K?ln b");
}

/* Far more text than the message holds: cut, ended, and its beginning kept. */
static void long_messages_are_cut(void **state) {
  edgefw_context *ctx = *state;
  char text[5000];
  memset(text, 'x', sizeof text - 1);
  text[sizeof text - 1] = '\0';
  edgefw_fail(ctx, EDGEFW_IO, "begin %s", text);
  const size_t length = strlen(edgefw_message(ctx));
  assert_true(length > 1000 && length < sizeof text);
  for (int i = 0; i < 3; ++i) edgefw_note(ctx, EDGEFW_IO, "%s", text);
  assert_memory_equal(edgefw_message(ctx), "begin xxx", 9);
  assert_true(strlen(edgefw_message(ctx)) <= length + 4);
}

/* Notes of every length around the end of the buffer never run over it, and stay closed. */
static void notes_stop_at_the_end_of_the_buffer(void **state) {
  edgefw_context *ctx = *state;
  char filler[2048];
  for (int used = 2030; used < 2048; ++used) {
    memset(filler, 'y', sizeof filler);
    filler[used] = '\0';
    edgefw_clear(ctx);
    edgefw_fail(ctx, EDGEFW_IO, "%s", filler);
    edgefw_note(ctx, EDGEFW_IO, "0123456789");
    const char *message = edgefw_message(ctx);
    const size_t length = strlen(message);
    assert_true(length < 2048);
    if (length > (size_t)used) assert_int_equal(message[length - 1], ')');
  }
}

/* --- Several threads --- */

static void *fail_often(void *argument) {
  edgefw_context *ctx = argument;
  for (int i = 0; i < 200; ++i) edgefw_fail(ctx, EDGEFW_NUMERIC, "same text");
  return NULL;
}

static void failures_from_several_threads(void **state) {
  edgefw_context *ctx = *state;
  pthread_t threads[4];
  for (int t = 0; t < 4; ++t)
    assert_int_equal(pthread_create(&threads[t], NULL, fail_often, ctx), 0);
  for (int t = 0; t < 4; ++t) pthread_join(threads[t], NULL);
  assert_int_equal(edgefw_failure(ctx), EDGEFW_NUMERIC);
  assert_string_equal(edgefw_message(ctx), "same text");
}

static void contexts_are_independent(void **state) {
  edgefw_context *ctx = *state, *other = NULL;
  assert_int_equal(edgefw_context_create(&other, NULL), EDGEFW_OK);
  edgefw_fail(ctx, EDGEFW_IO, "mine");
  edgefw_set_threads(ctx, 5);
  edgefw_set_threads(other, 2);
  assert_int_equal(edgefw_failure(other), EDGEFW_OK);
  assert_int_equal(edgefw_threads(ctx), 5);
  assert_int_equal(edgefw_threads(other), 2);
  edgefw_context_destroy(other);
}

/* --- Memory --- */

static void memory_is_zeroed_and_aligned(void **state) {
  edgefw_context *ctx = *state;
  const size_t sizes[] = {1, 63, 64, 65, 1000};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
    unsigned char *memory = edgefw_allocate(ctx, sizes[i], 3, "test");
    assert_non_null(memory);
    assert_int_equal((uintptr_t)memory % 64, 0);
    for (size_t k = 0; k < 3 * sizes[i]; ++k) assert_int_equal(memory[k], 0);
    memset(memory, 255, 3 * sizes[i]);
    edgefw_release(ctx, memory);
  }
  edgefw_release(ctx, NULL);
}

static void no_items_are_still_memory(void **state) {
  edgefw_context *ctx = *state;
  void *memory = edgefw_allocate(ctx, 0, 8, "nothing");
  assert_non_null(memory);
  edgefw_release(ctx, memory);
}

static void too_much_memory_is_refused(void **state) {
  edgefw_context *ctx = *state;
  const size_t counts[] = {SIZE_MAX, SIZE_MAX / 8 + 1, SIZE_MAX / 8};
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
    assert_null(edgefw_allocate(ctx, counts[i], 8, "the whole world"));
    assert_int_equal(edgefw_failure(ctx), EDGEFW_OUT_OF_MEMORY);
    assert_non_null(strstr(edgefw_message(ctx), "the whole world"));
    edgefw_clear(ctx);
  }
}

static void a_failing_allocator_is_reported(void **state) {
  (void)state;
  failing_allocator memory;
  edgefw_context *ctx = NULL;
  edgefw_allocator allocator = failing_allocator_begin(&memory, 0);
  assert_int_equal(edgefw_context_create(&ctx, &allocator), EDGEFW_OUT_OF_MEMORY);
  assert_null(ctx);
  allocator = failing_allocator_begin(&memory, 1);
  assert_int_equal(edgefw_context_create(&ctx, &allocator), EDGEFW_OK);
  assert_null(edgefw_allocate(ctx, 10, 8, "a table"));
  assert_int_equal(edgefw_failure(ctx), EDGEFW_OUT_OF_MEMORY);
  assert_string_equal(edgefw_message(ctx), "out of memory: a table needs 128 bytes");
  edgefw_context_destroy(ctx);
  edgefw_context_destroy(NULL);
  assert_int_equal(failing_allocator_live(&memory), 0);
}

/* --- Log and interruption --- */

typedef struct lines {
  int count;
  edgefw_log_level level;
  char last[64];
} lines;

static void collect(void *user, edgefw_log_level level, const char *line) {
  lines *seen = user;
  ++seen->count;
  seen->level = level;
  strncpy(seen->last, line, sizeof seen->last - 1);
}

static void log_lines_reach_the_sink(void **state) {
  edgefw_context *ctx = *state;
  lines seen = {.count = 0};
  edgefw_log(ctx, EDGEFW_LOG_INFO, "nobody listens");
  edgefw_set_log(ctx, collect, &seen);
  edgefw_log(ctx, EDGEFW_LOG_WARNING, "%d of %d", 3, 4);
  assert_int_equal(seen.count, 1);
  assert_int_equal(seen.level, EDGEFW_LOG_WARNING);
  assert_string_equal(seen.last, "3 of 4");
  edgefw_log_sink sink = NULL;
  void *user = NULL;
  edgefw__log_sink_of(ctx, &sink, &user);
  assert_true(sink == collect && user == &seen);
  edgefw_set_log(ctx, NULL, NULL);
  edgefw_log(ctx, EDGEFW_LOG_INFO, "nobody listens any more");
  assert_int_equal(seen.count, 1);
}

static void the_interrupt_flag_is_polled(void **state) {
  edgefw_context *ctx = *state;
  volatile int flag = 0;
  assert_false(edgefw_interrupted(ctx));
  edgefw_set_interrupt(ctx, &flag);
  assert_false(edgefw_interrupted(ctx));
  flag = 1;
  assert_true(edgefw_interrupted(ctx));
  edgefw_set_interrupt(ctx, NULL);
  assert_false(edgefw_interrupted(ctx));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static void a_deadline_interrupts_when_it_is_over(void **state) {
  edgefw_context *ctx = *state;
  const double at = edgefw__seconds() + 1000.0;
  edgefw__set_deadline(ctx, at);
  check_close(edgefw__deadline(ctx), at, 0.0, 0.0, "deadline");
  assert_false(edgefw_interrupted(ctx));
  edgefw__set_deadline(ctx, edgefw__seconds());
  assert_true(edgefw_interrupted(ctx));
  edgefw__set_deadline(ctx, 0.0);
  assert_false(edgefw_interrupted(ctx));
}

static void count_look(void *user) {
  ++*(int *)user;
}

static void *poll_elsewhere(void *ctx) {
  for (int i = 0; i < 100; ++i) (void)edgefw_interrupted(ctx);
  return NULL;
}

/* The thread that set it looks on, now and then; others do not. */
static void an_onlooker_looks_now_and_then(void **state) {
  edgefw_context *ctx = *state;
  int looks = 0;
  edgefw__onlooker onlooker = {.look = count_look, .user = &looks, .thread = pthread_self()};
  edgefw__set_onlooker(ctx, &onlooker);
  for (int i = 0; i < 5; ++i) assert_false(edgefw_interrupted(ctx));
  assert_int_equal(looks, 5);
  onlooker.every = 1000.0;
  for (int i = 0; i < 5; ++i) assert_false(edgefw_interrupted(ctx));
  assert_int_equal(looks, 6); /* the one that was due, and then none for a while */
  onlooker.next = 0.0;
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, poll_elsewhere, ctx), 0);
  assert_int_equal(pthread_join(thread, NULL), 0);
  assert_int_equal(looks, 6);
  onlooker.stop = true;
  assert_true(edgefw_interrupted(ctx));
  edgefw__set_onlooker(ctx, NULL);
  assert_false(edgefw_interrupted(ctx));
  assert_int_equal(looks, 7); /* with the question above, and no more */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(begins_without_a_failure),
      TEST(the_first_failure_stays),
      TEST(notes_are_appended),
      TEST(names_leave_messages_clean),
      TEST(a_note_on_success_does_nothing),
      TEST(long_messages_are_cut),
      TEST(notes_stop_at_the_end_of_the_buffer),
      TEST(failures_from_several_threads),
      TEST(contexts_are_independent),
      TEST(memory_is_zeroed_and_aligned),
      TEST(no_items_are_still_memory),
      TEST(too_much_memory_is_refused),
      cmocka_unit_test(a_failing_allocator_is_reported),
      TEST(log_lines_reach_the_sink),
      TEST(the_interrupt_flag_is_polled),
      TEST(a_deadline_interrupts_when_it_is_over),
      TEST(an_onlooker_looks_now_and_then),
  };
  return test_run(tests, NULL, NULL);
}
