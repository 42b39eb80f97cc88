/* Requests: what they say, and what is wrong with them. */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "serve/request.h"
#include "support/check.h"
#include "support/out_of_memory.h"
#include "support/workspace.h"

static edgefw_status read(edgefw_context *ctx, edgefw_arena *arena, const char *text,
                          edgefw__request *out) {
  *out = (edgefw__request){.settings = {.size = sizeof out->settings, .starts = 1}};
  return edgefw__request_read(ctx, arena, text, strlen(text), 3, out);
}

static void a_matrix_and_all_settings(void **state) {
  workspace *f = *state;
  edgefw__request r;
  assert_int_equal(
      read(f->ctx, f->arena,
           "{\"id\":\"a\\\"b\",\"problem\":\"acvrp\",\"matrix\":[[0,1],[null,0]],"
           "\"demands\":[0,2.5],\"capacity\":4,\"depot\":1,\"seed\":9,\"time_limit\":0.5,"
           "\"makers\":\"model\",\"improve\":false,\"starts\":2,\"samples\":3,\"augment\":8,"
           "\"beam\":4,\"reconstruct\":5,\"kicks\":6,\"bound\":true}",
           &r),
      EDGEFW_OK);
  const double *costs = r.instances.costs;
  assert_string_equal(r.id, "\"a\\\"b\"");
  assert_string_equal(r.problem, "acvrp");
  assert_int_equal(r.instances.nodes, 2);
  assert_int_equal(r.instances.count, 1);
  assert_true(costs[1] == 1.0 && isinf(costs[2]));
  check_close(r.instances.demands[1], 2.5, 0.0, 0.0, "demand");
  check_close(*r.instances.capacities, 4.0, 0.0, 0.0, "capacity");
  assert_int_equal(r.instances.depot, 1);
  assert_int_equal(r.settings.seed, 9);
  check_close(r.settings.time_limit, 0.5, 0.0, 0.0, "limit");
  assert_int_equal(r.settings.makers, EDGEFW_MAKERS_POLICY);
  assert_true(r.settings.unimproved && r.settings.bound);
  const int64_t numbers[] = {r.settings.starts, r.settings.samples,     r.settings.augment,
                             r.settings.beam,   r.settings.reconstruct, r.settings.kicks};
  const int64_t expected[] = {2, 3, 8, 4, 5, 6};
  assert_memory_equal(numbers, expected, sizeof numbers);
}

/* What is not said stays. */
static void points_alone(void **state) {
  workspace *f = *state;
  edgefw__request r;
  assert_int_equal(read(f->ctx, f->arena, "{\"points\":[[0,1.5],[2,3],[4,5]]}", &r), EDGEFW_OK);
  const double *points = r.instances.points;
  assert_string_equal(r.id, "null");
  assert_null(r.problem);
  assert_int_equal(r.instances.nodes, 3);
  check_close(points[1], 1.5, 0.0, 0.0, "y");
  assert_int_equal(r.settings.starts, 1);
}

static void expect(workspace *f, const char *text, const char *id, const char *part) {
  edgefw__request r;
  const edgefw_status status = read(f->ctx, f->arena, text, &r);
  if (status != EDGEFW_FORMAT || !strstr(edgefw_message(f->ctx), part))
    fail_msg("%s: %s: %s; expected %s", text, edgefw_status_name(status), edgefw_message(f->ctx),
             part);
  assert_string_equal(r.id, id);
  edgefw_clear(f->ctx);
}

static void what_is_wrong_is_told(void **state) {
  workspace *f = *state;
  static const struct {
    const char *text, *id, *part;
  } cases[] = {
      {"", "null", "'line 3', byte 0: "},
      {"{\"id\":1", "null", "expected JSON"},
      {"{} {}", "null", "expected JSON"},
      {"[1]", "null", "the request is an array of 1; expected an object"},
      {"{\"id\":1}", "1", "it has neither a matrix nor points"},
      {"{\"id\":1,\"id\":2}", "null", "duplicate object key"},
      {"{\"id\":[1],\"matrix\":[[0,1],[1,0]]}", "null", "id is an array of 1; expected a text"},
      {"{\"id\":1.5}", "null", "id is 1.5; expected a text or a whole number"},
      {"{\"id\":1,\"matrix\":[[0,1],[1,0]],\"capcity\":1}", "1",
       "unknown member 'capcity' (did you mean 'capacity'?)"},
      {"{\"id\":1,\"matrix\":7}", "1", "matrix is 7; expected an array of 2 to 50000 rows"},
      {"{\"id\":1,\"matrix\":[[0,1],[1]]}", "1",
       "matrix[1] is an array of 1; expected an array of 2"},
      {"{\"matrix\":[[0,\"x\"],[1,0]]}", "null", "matrix[0][1] is 'x'; expected a number or null"},
      {"{\"matrix\":[[0,1e999],[1,0]]}", "null", "real number overflow"},
      {"{\"matrix\":[[0,NaN],[1,0]]}", "null", "invalid token"},
      {"{\"points\":[[0,1],[2]]}", "null", "points[1] is an array of 1; expected two numbers"},
      {"{\"points\":[[0,1],[2,null]]}", "null", "points[1] is null; expected a number"},
      {"{\"points\":[[0,1],[2,2]],\"demands\":[1,2,3]}", "null",
       "demands is an array of 3; expected an array of 2, as there are nodes"},
      {"{\"matrix\":[[0,1],[1,0]],\"kicks\":1.5}", "null", "kicks is 1.5; expected a whole number"},
      {"{\"matrix\":[[0,1],[1,0]],\"seed\":-1}", "null", "seed is -1"},
      {"{\"matrix\":[[0,1],[1,0]],\"makers\":\"me\"}", "null", "makers is 'me'; expected \"all\""},
      {"{\"matrix\":[[0,1],[1,0]],\"bound\":1}", "null", "bound is 1; expected true or false"},
      {"{\"matrix\":[[0,1],[1,0]],\"problem\":1}", "null", "problem is 1; expected the name"},
      {"{\"matrix\":[[0,1],[1,0]],\"time_limit\":-1}", "null", "time_limit is -1"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    expect(f, cases[i].text, cases[i].id, cases[i].part);
}

/* A tower of arrays falls over nothing. */
static void too_deep_is_refused(void **state) {
  workspace *f = *state;
  enum { DEPTH = 100000 };
  char *text = malloc(DEPTH + 16);
  memcpy(text, "{\"matrix\":", 10);
  memset(text + 10, '[', DEPTH);
  text[10 + DEPTH] = '\0';
  expect(f, text, "null", "maximum parsing depth");
  free(text);
}

/* A matrix that is read apart hides nothing of the rest, and its place is told as it came. */
static void what_surrounds_a_matrix_counts(void **state) {
  workspace *f = *state;
  expect(f, "{\"matrix\":[[0,1],[1,0]],\"matrix\":[[0,1],[1,0]]}", "null", "duplicate object key");
  expect(f, "{\"matrix\":[[0,1],[1,0]],\"matr\\u0069x\":[[0,1],[1,0]]}", "null",
         "duplicate object key");
  expect(f, "{\"matrix\":[[0,1],[1,0]]} x", "null", "byte 26: ");
  expect(f, "{\"id\":4,\"matrix\":[[0,1],[1,0]],\"demands\":[1]}", "4", "demands is an array of 1");
}

static void a_long_id_is_refused(void **state) {
  workspace *f = *state;
  char text[400] = "{\"id\":\"";
  memset(text + 7, 'x', 300);
  memcpy(text + 307, "\"}", 3);
  expect(f, text, "null", "of at most 256 bytes");
}

static edgefw_status read_once(edgefw_context *ctx, void *user) {
  edgefw_arena *arena = NULL;
  edgefw__request r;
  (void)user;
  edgefw_status status = edgefw_arena_create(ctx, &arena, "test", 0, true);
  if (status == EDGEFW_OK)
    status =
        read(ctx, arena,
             "{\"problem\":\"x\",\"matrix\":[[0,1],[1,0]],\"demands\":[0,1],\"capacity\":1}", &r);
  edgefw_arena_destroy(arena);
  return status;
}

static void memory_may_end_anywhere(void **state) {
  (void)state;
  out_of_memory_sweep(read_once, NULL);
}

#define REQUEST_TEST(name)                                                                         \
  cmocka_unit_test_setup_teardown(name, workspace_set_up, workspace_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      REQUEST_TEST(a_matrix_and_all_settings),      REQUEST_TEST(points_alone),
      REQUEST_TEST(what_is_wrong_is_told),          REQUEST_TEST(too_deep_is_refused),
      REQUEST_TEST(what_surrounds_a_matrix_counts), REQUEST_TEST(a_long_id_is_refused),
      cmocka_unit_test(memory_may_end_anywhere),
  };
  return test_run(tests, NULL, NULL);
}
