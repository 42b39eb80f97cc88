/* edgefw model import: models that PyTorch wrote, under the names of the published programs, and
 * the greedy tours that PyTorch finds with them in double (tests/golden/make_torch_models.py).
 * labels: e2e
 * needs plugins: radar pomo atsp acvrp tsp cvrp distance_penalty local_policy edge closure */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cli.h"

#define GOLDEN EDGEFW_TEST_DATA "/golden/torch/"
#define HEADS  " --set backbone.heads=2 --set decoder.heads=2"
#define RADAR  " --set decoder.heads=2 --set backbone.sinkhorn_iterations=10"
#define ELG                                                                                        \
  " --terms distance_penalty,local_policy --set term.distance_penalty.local_size=4"                \
  " --set term.local_policy.local_size=4"

static const struct {
  const char *name, *file, *suffix, *options, *told;
} cases[] = {
    {"radar_atsp", "radar_atsp.pt", "atsp", "--problem atsp" RADAR, "under 'model_state_dict'"},
    {"radar_acvrp", "radar_acvrp.pt", "vrp", "--problem acvrp" RADAR,
     "under 'state_dict', names without 'module.'"},
    {"pomo_tsp", "pomo_tsp.pt", "tsp", HEADS, "problem     tsp"},
    {"pomo_cvrp", "pomo_cvrp.pt", "vrp", HEADS, "under 'model'"},
    {"elg_tsp", "elg_tsp.pt", "tsp", HEADS ELG, "passed over step, optimizer_state_dict"},
    {"elg_cvrp", "elg_cvrp.safetensors", "vrp", HEADS ELG, "safetensors, "},
};

/* "tour": [1, 2] of an answer in JSON as "1 2"; free(). */
static char *tour_in(const char *json) {
  const char *at = strstr(json, "\"tour\": [");
  assert_non_null(at);
  at += strlen("\"tour\": [");
  const size_t length = strcspn(at, "]");
  char *out = malloc(length + 1);
  assert_non_null(out);
  size_t used = 0;
  for (size_t k = 0; k < length; ++k)
    if (at[k] != ',') out[used++] = at[k];
  out[used] = '\0';
  return out;
}

/* Is there a line "NAME,INSTANCE,START,TOUR" among PyTorch's tours? */
static bool is_golden(const char *name, int instance, const char *start, const char *tour) {
  char wanted[256], line[256];
  bool found = false;
  FILE *file = fopen(GOLDEN "tours.csv", "r");
  assert_non_null(file);
  snprintf(wanted, sizeof wanted, "%s,%d,%s,%s\n", name, instance, start, tour);
  while (!found && fgets(line, sizeof line, file)) found = strcmp(line, wanted) == 0;
  fclose(file);
  if (!found) print_message("no golden tour %s", wanted);
  return found;
}

static void check_tours(const sandbox *box, const char *model, const char *name,
                        const char *suffix) {
  for (int instance = 0; instance < 2; ++instance)
    for (int first = 0; first < 2; ++first) {
      char words[1024];
      snprintf(words, sizeof words,
               "solve " GOLDEN
               "%s-%d.%s --model %s --device reference64 --improve none --construct none --json%s",
               name, instance, suffix, model, first ? " --starts 1" : "");
      cli_result result = cli_do(box, words);
      if (result.status != 0) print_message("%s", result.err);
      assert_int_equal(result.status, 0);
      char *tour = tour_in(result.out);
      assert_true(is_golden(name, instance, first ? "first" : "best", tour));
      free(tour);
      cli_free(&result);
    }
}

/* A cell of the first row of a table, to be freed. */
static char *cell_of(const char *csv, int column) {
  const char *at = strchr(csv, '\n') + 1;
  for (; column > 0; --column) at = strchr(at, ',') + 1;
  return strndup(at, strcspn(at, ",\n"));
}

/* Two tables of results are of the same model, and of the same costs. */
static void check_rows(const char *one, const char *two) {
  static const int columns[] = {8, 15}; /* objective, model */
  for (int c = 0; c < 2; ++c) {
    char *a = cell_of(one, columns[c]), *b = cell_of(two, columns[c]);
    assert_true(a && b && strlen(a) > 5);
    assert_string_equal(a, b);
    free(a);
    free(b);
  }
}

/* Each file is imported, gives PyTorch's tours, is exported, and comes back as the same model. */
static void pytorchs_models_give_pytorchs_tours(void **state) {
  const sandbox *box = *state;
  for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
    char words[1024];
    snprintf(words, sizeof words, "model import " GOLDEN "%s -o model.h5 %s", cases[c].file,
             cases[c].options);
    cli_expect(box, words, 0, cases[c].told, NULL);
    check_tours(box, "model.h5", cases[c].name, cases[c].suffix);
    cli_expect(box, "model export model.h5 -o out.safetensors --format safetensors", 0,
               "tensors written", NULL);
    cli_expect(box, "model import out.safetensors -o again.h5", 0, "all exact in float32", NULL);
    check_tours(box, "again.h5", cases[c].name, cases[c].suffix);
    cli_result one = cli_do(box, "eval --model model.h5 8 --instances 2 --csv");
    cli_result two = cli_do(box, "eval --model again.h5 8 --instances 2 --csv");
    assert_int_equal(one.status, 0);
    assert_int_equal(two.status, 0);
    check_rows(one.out, two.out);
    cli_free(&one);
    cli_free(&two);
  }
  cli_expect(box, "model info model.h5", 0, "12 epochs", NULL);
  cli_expect(box, "model info --config model.h5", 0, "embedding_dim = 8", NULL);
}

static void what_the_file_does_not_tell_is_asked_for(void **state) {
  const sandbox *box = *state;
#define IMPORT "model import -o model.h5 " GOLDEN
  cli_expect(box, IMPORT "radar_atsp.pt" RADAR, 2, "", "radar on atsp, radar on tsp");
  cli_expect(box, IMPORT "radar_atsp.pt" RADAR, 2, "", "say --problem NAME");
  cli_expect(box, IMPORT "pomo_tsp.pt", 2, "",
             "say the right numbers in --set backbone.heads=8 --set decoder.heads=8");
  cli_expect(box, IMPORT "elg_tsp.pt" HEADS, 2, "", "such parameters belong to: local_policy");
  cli_expect(box, IMPORT "elg_tsp.pt" HEADS, 2, "", "decoder.local_policy_0.");
  cli_expect(box, IMPORT "pomo_tsp.pt --set backbone.hedas=2", 2, "", "hedas");
  cli_expect(box, IMPORT "pomo_tsp.pt --backbone nomo", 2, "", "did you mean 'pomo'");
  cli_expect(box, IMPORT "pomo_tsp.pt --problem atsp --backbone pomo", 1, "", "pomo");
  cli_expect(box, IMPORT "pomo_tsp.pt --variant a", 2, "", "--variant needs --config");
  cli_expect(box, "model import " GOLDEN "pomo_tsp.pt", 2, "", "-o OUT.h5 is missing");
  cli_expect(box, "model import -o model.h5", 2, "", "FILE is missing");
  cli_expect(box, "model import -o model.h5 none.pt", 1, "", "none.pt");
  assert_false(cli_exists(box, "model.h5"));
}

/* Every difference is listed, with the nearest name. */
static void what_does_not_fit_is_listed(void **state) {
  const sandbox *box = *state;
  const char *words = IMPORT "pomo_tsp.pt --problem cvrp --backbone pomo" HEADS;
  cli_expect(box, words, 1, "", "missing: encoder.embedding_depot.weight (8, 2)");
  cli_expect(box, words, 1, "", "left over: encoder.embedding.weight (8, 2)");
  cli_expect(box, words, 1, "", "another shape: decoder.Wq_last.weight (8, 8), expected (8, 9)");
  cli_expect(box, words, 1, "", "does not fit pomo on cvrp: ");
  words = IMPORT "pomo_tsp.pt --set backbone.embedding_dim=16" HEADS;
  cli_expect(box, words, 1, "", "another shape: encoder.embedding.weight (8, 2), expected (16, 2)");
  assert_false(cli_exists(box, "model.h5"));
}

/* A configuration tells everything, and is held against the file. */
static void a_configuration_says_what_it_is(void **state) {
  const sandbox *box = *state;
  sandbox_write(box, "config.ini",
                "[problem]\nname = tsp\n[backbone]\nname = pomo\nembedding_dim = 8\nlayers = 2\n"
                "heads = 2\nff_hidden = 16\n[decoder]\nheads = 2\n[variant a]\n"
                "[variant b]\nbackbone.layers = 3\n");
  cli_expect(box, IMPORT "pomo_tsp.pt --config config.ini", 2, "", "say --variant NAME");
  cli_expect(box, IMPORT "pomo_tsp.pt --config config.ini --variant c", 2, "", "variants are a, b");
  cli_expect(box, IMPORT "pomo_tsp.pt --config config.ini --problem tsp", 2, "", "leave out");
  cli_expect(box, IMPORT "pomo_tsp.pt --config config.ini --variant b", 1, "",
             "missing: encoder.layers.2.Wq.weight");
  cli_expect(box, IMPORT "pomo_tsp.pt --config config.ini --variant a", 0, "problem     tsp", NULL);
  check_tours(box, "model.h5", "pomo_tsp", "tsp");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(pytorchs_models_give_pytorchs_tours, sandbox_set_up,
                                      sandbox_tear_down),
      cmocka_unit_test_setup_teardown(what_the_file_does_not_tell_is_asked_for, sandbox_set_up,
                                      sandbox_tear_down),
      cmocka_unit_test_setup_teardown(what_does_not_fit_is_listed, sandbox_set_up,
                                      sandbox_tear_down),
      cmocka_unit_test_setup_teardown(a_configuration_says_what_it_is, sandbox_set_up,
                                      sandbox_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
