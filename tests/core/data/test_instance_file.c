/* Files of other programs as instances: which they are, for which problem, and what options add.
 * labels: oom
 * needs plugins: atsp acvrp tsp cvrp */
#include "support/test.h"

#include <math.h>
#include <string.h>
#include <zlib.h>

#include "data/instance_file.h"
#include "support/expect.h"
#include "support/npz_support.h"
#include "support/out_of_memory.h"
#include "support/stops_case.h"

static edgefw__registry *registry;

static int open_registry(void **state) {
  static const char *const folders[] = {EDGEFW_BUILD_DIR "/lib/edgefw"};
  if (workspace_set_up(state) != 0) return 1;
  const workspace *w = *state;
  expect_ok(w->ctx, edgefw__registry_create_from(w->ctx, folders, 1, &registry));
  return 0;
}

static int close_registry(void **state) {
  edgefw__registry_destroy(registry);
  return workspace_tear_down(state);
}

/* Read a file for the problem `name`, or for any (NULL); *out is it. */
static edgefw_status read_file(workspace *w, const char *path,
                               const edgefw__instance_options *options, const char *name,
                               const edgefw__plugin **plugin, edgefw__instance_file *out) {
  *plugin = name ? edgefw__registry_lookup(registry, EDGEFW_KIND_PROBLEM, name) : NULL;
  return edgefw__instance_file_read(w->ctx, w->arena, path, options, registry, plugin, out);
}

static void pack(const char *path, const char *text) {
  gzFile stream = gzopen(path, "wb");
  assert_non_null(stream);
  assert_true(gzputs(stream, text) > 0);
  assert_int_equal(gzclose(stream), Z_OK);
}

static void files_are_known_by_ending_and_head(void **state) {
  workspace *w = *state;
  static const char *const yes[] = {"a.csv", "a.TSV", "a.npy", "a.npz", "a.json", "a.csv.gz"};
  static const char *const no[] = {"a.tsp", "a.atsp", "a.vrp.gz", "a.h5", "a", "none.txt.tsp"};
  for (size_t k = 0; k < sizeof yes / sizeof *yes; ++k)
    assert_true(edgefw__instance_file_is(yes[k]));
  for (size_t k = 0; k < sizeof no / sizeof *no; ++k) assert_false(edgefw__instance_file_is(no[k]));
  assert_true(edgefw__instance_file_is(sandbox_write(&w->box, "m.txt", "0 1\n2 0\n")));
  assert_false(
      edgefw__instance_file_is(sandbox_write(&w->box, "l.txt", "NAME: x\n  Dimension : 3\n")));
  const char *packed = edgefw_arena_text(w->arena, sandbox_path(&w->box, "l.txt.gz"));
  pack(packed, "NAME: x\nDIMENSION: 3\n");
  assert_false(edgefw__instance_file_is(packed));
  pack(packed, "0 1\n2 0\n");
  assert_true(edgefw__instance_file_is(packed));
  assert_true(edgefw__instance_file_is(sandbox_write(&w->box, "answer", " \n{\"a\": 1}")));
  assert_false(edgefw__instance_file_is(sandbox_write(&w->box, "lib", "NAME: x\n")));
}

static void the_problem_is_seen_from_the_file(void **state) {
  workspace *w = *state;
  static const edgefw__instance_options demands = {.demands = "0,4,3,5,2,6", .capacity = 10};
  static const edgefw__instance_options capacity = {.capacity = 10};
  static const struct {
    const char *file;
    const edgefw__instance_options *options;
    const char *problem;
  } cases[] = {
      {STOPS_DATA "stops.csv", NULL, "atsp"},  {STOPS_DATA "stops.csv", &demands, "acvrp"},
      {STOPS_DATA "osrm.json", NULL, "atsp"},  {STOPS_DATA "vroom.json", NULL, "acvrp"},
      {STOPS_DATA "stops.npz", NULL, "acvrp"}, {STOPS_DATA "places.csv", &capacity, "cvrp"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    const edgefw__plugin *plugin = NULL;
    edgefw__instance_file file;
    expect_ok(w->ctx, read_file(w, cases[k].file, cases[k].options, NULL, &plugin, &file));
    assert_string_equal(plugin->descriptor->name, cases[k].problem);
    assert_true(file.count == 1 && file.n == STOPS);
  }
  const edgefw__plugin *plugin = NULL;
  edgefw__instance_file file;
  const char *path = sandbox_write(&w->box, "p.csv", "x,y\n0,0\n3,4\n");
  expect_ok(w->ctx, read_file(w, path, NULL, NULL, &plugin, &file));
  assert_string_equal(plugin->descriptor->name, "tsp");
  assert_true(file.places && file.items->weights[1] == 5.0);
}

/* A problem that sees the cost from the first stop to the second. */
static edgefw_status take_weight(edgefw_context *ctx, const edgefw_options *options,
                                 const edgefw_tsplib *file, edgefw_instance *out) {
  (void)ctx;
  (void)options;
  *out->data[0] = file->weights[1];
  return EDGEFW_OK;
}

/* Distances of many instances would not fit a memory that their places fit. */
static void distances_are_made_when_they_are_read(void **state) {
  workspace *w = *state;
  static const double places[3][3][2] = {
      {{0, 0}, {3, 4}, {9, 9}}, {{1, 1}, {1, 3}, {9, 9}}, {{0, 7}, {0, 0}, {9, 9}}};
  static const double expected[] = {5, 2, 7};
  const edgefw__plugin *plugin = NULL;
  edgefw__instance_file file;
  const char *path = edgefw_arena_text(w->arena, sandbox_path(&w->box, "p.npy"));
  npy_write(
      path,
      &(npz_entry){.type = "<f8", .shape = "(3, 3, 2)", .bytes = places, .count = sizeof places});
  expect_ok(w->ctx, read_file(w, path, NULL, "tsp", &plugin, &file));
  assert_ptr_equal(file.items[0].weights, file.items[2].weights);
  const edgefw_problem problem = {.read = take_weight};
  for (int k = 2; k >= 0; --k) {
    double cost = 0.0;
    edgefw_instance instance = {.n = 3, .data = {&cost}};
    expect_ok(w->ctx,
              edgefw__instance_file_load(w->ctx, &problem, NULL, &file.items[k], &instance));
    assert_true(cost == expected[k]);
  }
}

static void the_depot_is_named_or_numbered(void **state) {
  workspace *w = *state;
  edgefw__instance_options options = {.depot = "Cleo", .demands = "4,3,5,2,6", .capacity = 10};
  const edgefw__plugin *plugin = NULL;
  edgefw__instance_file file;
  expect_ok(w->ctx, read_file(w, STOPS_DATA "stops.csv", &options, "acvrp", &plugin, &file));
  const edgefw_problem *problem = &plugin->vtable.problem;
  assert_int_equal(file.stops.depot, 3);
  assert_int_equal(file.items->depot, 3);
  assert_true(file.items->demand[3] == 0.0 && file.items->demand[4] == 2.0);
  assert_string_equal(file.stops.names[edgefw__stops_of_node(&file.stops, problem, 0)], "Cleo");
  assert_string_equal(file.stops.names[edgefw__stops_of_node(&file.stops, problem, 1)], "Depot");
  assert_string_equal(file.stops.names[edgefw__stops_of_node(&file.stops, problem, 4)], "Day, Dee");
  options.depot = "4";
  expect_ok(w->ctx, read_file(w, STOPS_DATA "stops.npy", &options, "acvrp", &plugin, &file));
  assert_int_equal(file.stops.depot, 3);
  options.depot = "7";
  expect_failure(w->ctx, read_file(w, STOPS_DATA "stops.npy", &options, "acvrp", &plugin, &file),
                 EDGEFW_CONFIG, "--depot 7", "expected 1 to 6");
  options = (edgefw__instance_options){.depot = "102"};
  expect_failure(w->ctx, read_file(w, STOPS_DATA "vroom.json", &options, "acvrp", &plugin, &file),
                 EDGEFW_CONFIG, "--depot 102", "says itself");
}

static void units_scale_costs(void **state) {
  workspace *w = *state;
  const edgefw__instance_options options = {.unit = {.scale = 1.0 / 60, .inverse = 60}};
  const edgefw__plugin *plugin = NULL;
  edgefw__instance_file file;
  expect_ok(w->ctx, read_file(w, STOPS_DATA "stops.csv", &options, "atsp", &plugin, &file));
  assert_true(file.items->weights[1] == 31.5 / 60 && isinf(file.items->weights[STOPS + 3]));
}

static void what_does_not_fit_is_refused(void **state) {
  workspace *w = *state;
  static const edgefw__instance_options capacity = {.capacity = 10};
  static const edgefw__instance_options demands = {.demands = "0,4,3,5,2,6"};
  static const edgefw__instance_options told = {.problem_told = true};
  static const edgefw__instance_options use = {.choice = EDGEFW__TABLE_DISTANCES};
  static const struct {
    const char *file;
    const edgefw__instance_options *options;
    const char *problem;
    edgefw_status status;
    const char *words[2];
  } cases[] = {
      {STOPS_DATA "stops.csv", NULL, "acvrp", EDGEFW_UNSUPPORTED, {"without demands", "--demands"}},
      {STOPS_DATA "stops.csv", &demands, "acvrp", EDGEFW_UNSUPPORTED, {"a capacity", "--capacity"}},
      {STOPS_DATA "stops.csv", NULL, "tsp", EDGEFW_UNSUPPORTED, {"without coordinates"}},
      {STOPS_DATA "stops.csv", &demands, "atsp", EDGEFW_CONFIG, {"--demands"}},
      {STOPS_DATA "stops.csv", &capacity, "atsp", EDGEFW_CONFIG, {"--capacity"}},
      {STOPS_DATA "stops.csv", &use, "atsp", EDGEFW_CONFIG, {"--use is for JSON"}},
      {STOPS_DATA "vroom.json", NULL, "atsp", EDGEFW_UNSUPPORTED, {"leave out", "--problem atsp"}}};
  const edgefw__plugin *plugin = NULL;
  edgefw__instance_file file;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k)
    expect_failure(w->ctx,
                   read_file(w, cases[k].file, cases[k].options, cases[k].problem, &plugin, &file),
                   cases[k].status, cases[k].words[0], cases[k].words[1] ? cases[k].words[1] : "");
  expect_ok(w->ctx, read_file(w, STOPS_DATA "vroom.json", &told, "atsp", &plugin, &file));
}

/* Every file of tests/data, with demands and a capacity where it has none. */
static edgefw_status read_one(edgefw_context *ctx, void *path) {
  const bool own = strstr(path, "vroom") || strstr(path, "npz");
  const edgefw__instance_options options = {.demands = own ? NULL : "0,4,3,5,2,6", .capacity = 10};
  const edgefw__plugin *plugin = NULL;
  edgefw_arena *arena = NULL;
  edgefw__instance_file file;
  edgefw_status status = edgefw_arena_create(ctx, &arena, "test", 0, true);
  if (status == EDGEFW_OK)
    status = edgefw__instance_file_read(ctx, arena, path, &options, registry, &plugin, &file);
  edgefw_arena_destroy(arena);
  return status;
}

static void running_out_of_memory_leaks_nothing(void **state) {
  (void)state;
  static char files[][sizeof STOPS_DATA + 24] = {STOPS_DATA "stops.csv", STOPS_DATA "places.csv",
                                                 STOPS_DATA "stops.npz", STOPS_DATA "stops-two.npy",
                                                 STOPS_DATA "osrm.json", STOPS_DATA "valhalla.json",
                                                 STOPS_DATA "vroom.json"};
  for (size_t k = 0; k < sizeof files / sizeof *files; ++k) out_of_memory_sweep(read_one, files[k]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(files_are_known_by_ending_and_head, open_registry,
                                      close_registry),
      cmocka_unit_test_setup_teardown(the_problem_is_seen_from_the_file, open_registry,
                                      close_registry),
      cmocka_unit_test_setup_teardown(distances_are_made_when_they_are_read, open_registry,
                                      close_registry),
      cmocka_unit_test_setup_teardown(the_depot_is_named_or_numbered, open_registry,
                                      close_registry),
      cmocka_unit_test_setup_teardown(units_scale_costs, open_registry, close_registry),
      cmocka_unit_test_setup_teardown(what_does_not_fit_is_refused, open_registry, close_registry),
      cmocka_unit_test_setup_teardown(running_out_of_memory_leaks_nothing, open_registry,
                                      close_registry),
  };
  return test_run(tests, NULL, NULL);
}
