/* What a file of weights is a model of.
 * needs plugins: atsp tsp acvrp cvrp radar pomo edge local_policy distance_penalty */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/guess_case.h"

#define POMO(problem, terms)                                                                       \
  "[problem]\nname = " problem "\n[backbone]\nname = pomo\nembedding_dim = 8\nlayers = 2\n"        \
  "heads = 2\nff_hidden = 8\n[decoder]\nterms = " terms "\nheads = 2\n"

/* Guess from a file with the parameters of the model of `text`, without `dropped`. OK: "PROBLEM
 * BACKBONE". Otherwise the message. free(). */
static char *guess(const char *text, edgefw__guess_told told, const char *const *sets,
                   int set_count, const char *dropped) {
  char out[2048];
  guess_case c;
  edgefw__guess found;
  guess_case_open(&c, text, sets, set_count, dropped);
  const edgefw_status status = edgefw__guess_make(&c.frame, &told, &found);
  if (status == EDGEFW_OK)
    snprintf(out, sizeof out, "%s %s%s", found.trial.model->composition->problem_name,
             found.trial.model->composition->backbone_name,
             edgefw__weights_fit_is_whole(&found.fit) ? "" : ", not whole");
  else
    snprintf(out, sizeof out, "%s", edgefw_message(c.tiny.ctx));
  edgefw_clear(c.tiny.ctx);
  edgefw__guess_end(&found);
  guess_case_close(&c);
  return strdup(out);
}

static void expect(const char *text, edgefw__guess_told told, const char *const *sets,
                   int set_count, const char *dropped, const char *expected) {
  char *found = guess(text, told, sets, set_count, dropped);
  if (!strstr(found, expected)) fail_msg("found '%s', expected '%s'", found, expected);
  free(found);
}

static const char *const heads[] = {"backbone.heads=2", "decoder.heads=2"};
static const char *const radar[] = {"decoder.heads=2", "backbone.sinkhorn_iterations=3"};

static void names_tell_problem_and_backbone(void **state) {
  (void)state;
  expect(POMO("tsp", ""), (edgefw__guess_told){0}, heads, 2, NULL, "tsp pomo");
  expect(POMO("cvrp", ""), (edgefw__guess_told){0}, heads, 2, NULL, "cvrp pomo");
  expect(TINY_PLAIN, (edgefw__guess_told){.problem = "atsp"}, radar, 2, NULL, "atsp radar");
  expect(TINY_MODEL("edge"), (edgefw__guess_told){.problem = "tsp", .terms = "edge"}, radar, 2,
         NULL, "tsp radar");
  expect(POMO("tsp", "local_policy"), (edgefw__guess_told){.terms = "local_policy"}, heads, 2, NULL,
         "tsp pomo");
}

static void what_cannot_be_told_is_asked(void **state) {
  (void)state;
  expect(TINY_PLAIN, (edgefw__guess_told){0}, radar, 2, NULL,
         "may be a model of radar on atsp, radar on tsp");
  expect(TINY_ON("acvrp", ""), (edgefw__guess_told){0}, radar, 2, NULL,
         "radar on acvrp, radar on cvrp: its names and shapes are the same; say --problem NAME");
  expect(POMO("tsp", ""), (edgefw__guess_told){0}, NULL, 0, NULL,
         "say the right numbers in --set backbone.heads=8 --set decoder.heads=8");
  expect(TINY_PLAIN, (edgefw__guess_told){.problem = "atsp"}, NULL, 0, NULL,
         "--set backbone.sinkhorn_iterations=10 --set decoder.heads=8");
  expect(TINY_MODEL("edge"), (edgefw__guess_told){.problem = "atsp"}, radar, 2, NULL,
         "has parameters of score terms (decoder.edge_bias.0.");
  expect(TINY_MODEL("edge"), (edgefw__guess_told){.problem = "atsp"}, radar, 2, NULL, "edge");
  expect(POMO("tsp", "local_policy"), (edgefw__guess_told){0}, heads, 2, NULL,
         "such parameters belong to: local_policy)");
}

static void the_nearest_is_taken_where_none_fits(void **state) {
  (void)state;
  expect(POMO("tsp", ""), (edgefw__guess_told){0}, heads, 2, "decoder.Wk.weight",
         "tsp pomo, not whole");
  expect(POMO("tsp", ""), (edgefw__guess_told){.problem = "cvrp", .backbone = "pomo"}, heads, 2,
         NULL, "cvrp pomo, not whole");
}

static void what_is_set_is_checked(void **state) {
  static const char *const unknown[] = {"decoder.hedas=2"};
  (void)state;
  expect(POMO("tsp", ""), (edgefw__guess_told){0}, unknown, 1, NULL, "hedas");
  expect(POMO("tsp", ""), (edgefw__guess_told){.problem = "nosuch"}, NULL, 0, NULL, "nosuch");
  expect(POMO("tsp", ""), (edgefw__guess_told){.problem = "atsp", .backbone = "pomo"}, NULL, 0,
         NULL, "it needs coordinates");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(names_tell_problem_and_backbone),
                                     cmocka_unit_test(what_cannot_be_told_is_asked),
                                     cmocka_unit_test(the_nearest_is_taken_where_none_fits),
                                     cmocka_unit_test(what_is_set_is_checked)};
  return test_run(tests, NULL, NULL);
}
