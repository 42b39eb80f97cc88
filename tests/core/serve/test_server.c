/* The server between two pipes.
 * labels: threads
 * needs plugins: atsp radar nearest */
#define _GNU_SOURCE /* F_SETPIPE_SZ */
#include "support/test.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "serve/server.h"
#include "support/solver_case.h"

enum { REQUESTS = 60, MALFORMED = 6 }; /* every so manieth is malformed */

static edgefw_model *models[1];

static edgefw_status serve_from(const solver_case *c, int input, int output) {
  models[0] = c->model;
  const edgefw__server_settings settings = {.input = input,
                                            .output = output,
                                            .workers = 3,
                                            .threads = 1,
                                            .queue = 4,
                                            .most_bytes = 1000,
                                            .most_nodes = 4,
                                            .most_seconds = 5.0,
                                            .solve = {.size = sizeof settings.solve, .starts = 1},
                                            .models = models,
                                            .model_count = 1};
  return edgefw__serve(c->ctx, &settings);
}

/* Requests in a file, answers to a file descriptor. */
static edgefw_status serve(const solver_case *c, int output) {
  char path[128];
  snprintf(path, sizeof path, "%s", sandbox_path(&c->box, "requests"));
  FILE *file = fopen(path, "w+");
  assert_non_null(file);
  for (int i = 0; i < REQUESTS; ++i)
    fprintf(file,
            i % MALFORMED ? "{\"id\":%d,\"matrix\":[[0,%d,9],[9,0,1],[1,9,0]]}\n"
                          : "{\"id\":%d,%d\n",
            i, i % 7);
  rewind(file);
  const edgefw_status status = serve_from(c, fileno(file), output);
  (void)fclose(file);
  return status;
}

static void every_request_is_answered_in_order(void **state) {
  const solver_case *c = *state;
  char path[128], line[512], expected[64];
  snprintf(path, sizeof path, "%s", sandbox_path(&c->box, "answers"));
  FILE *answers = fopen(path, "w+");
  assert_non_null(answers);
  solver_case_ok(c->ctx, serve(c, fileno(answers)));
  rewind(answers);
  for (int i = 0; i < REQUESTS; ++i) {
    assert_non_null(fgets(line, sizeof line, answers));
    if (i % MALFORMED)
      snprintf(expected, sizeof expected, "{\"id\":%d,\"status\":\"OK\",", i);
    else
      snprintf(expected, sizeof expected, "{\"id\":null,\"status\":\"FORMAT\",\"line\":%d,", i + 1);
    assert_memory_equal(line, expected, strlen(expected));
  }
  assert_null(fgets(line, sizeof line, answers));
  (void)fclose(answers);
}

/* Nobody reads: it ends, and says why. */
static void a_client_may_be_gone(void **state) {
  const solver_case *c = *state;
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  close(ends[0]);
  (void)signal(SIGPIPE, SIG_IGN);
  solver_case_fails(c->ctx, serve(c, ends[1]), EDGEFW_IO, "cannot write answers");
  close(ends[1]);
}

/* Also where one request was all that came, and the client's side of the input stays open. */
static void a_client_may_be_gone_and_silent(void **state) {
  static const char request[] = "{\"matrix\":[[0,1,9],[9,0,1],[1,9,0]]}\n";
  const solver_case *c = *state;
  int input[2], output[2];
  assert_int_equal(pipe(input), 0);
  assert_int_equal(pipe(output), 0);
  close(output[0]);
  (void)signal(SIGPIPE, SIG_IGN);
  assert_int_equal(write(input[1], request, strlen(request)), strlen(request));
  solver_case_fails(c->ctx, serve_from(c, input[0], output[1]), EDGEFW_IO, "cannot write answers");
  close(input[0]);
  close(input[1]);
  close(output[1]);
}

/* The reader is slow, and writes return at once: the server waits, and nothing is lost. */
static void a_slow_reader_gets_everything(void **state) {
  const solver_case *c = *state;
  int ends[2], lines = 0;
  assert_int_equal(pipe(ends), 0);
  assert_int_equal(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
  (void)fcntl(ends[1], F_SETPIPE_SZ, 4096); /* else it may hold all of them */
  const pid_t child = fork();
  if (child == 0) {
    char byte;
    close(ends[1]);
    usleep(100000);
    while (read(ends[0], &byte, 1) == 1) lines += byte == '\n';
    _exit(lines == REQUESTS ? 0 : 1);
  }
  close(ends[0]);
  solver_case_ok(c->ctx, serve(c, ends[1]));
  close(ends[1]);
  int status = 1;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
}

#define SERVER_TEST(name)                                                                          \
  cmocka_unit_test_setup_teardown(name, solver_case_set_up, solver_case_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      SERVER_TEST(every_request_is_answered_in_order),
      SERVER_TEST(a_client_may_be_gone),
      SERVER_TEST(a_client_may_be_gone_and_silent),
      SERVER_TEST(a_slow_reader_gets_everything),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
