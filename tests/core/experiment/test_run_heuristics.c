/* Runs with variants that have no model: rows, tables, the page, going on, the dry run.
 * labels: e2e
 * needs plugins: atsp radar */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "support/cli.h"
#include "support/sandbox.h"
#include "support/tiny_model.h"
#include "support/toy_plugins.h"

static const char alone[] =
    "[problem]\nname = atsp\n[eval]\nsizes = 6, 8\ninstances = 3\nfiles = hand.atsp\n"
    "[diagnostics]\nstates = 4\n"
    "[variant order]\nconstruct = inorder\n"
    "[variant better]\nconstruct = inorder\nsearch.improve = local\nsearch.kicks = 5\n"
    "[variant back]\nconstruct = inorder\nheuristic.inorder.order = down\neval.starts = 2\n";

static const char hand[] = "NAME: hand\nTYPE: ATSP\nDIMENSION: 4\nEDGE_WEIGHT_TYPE: EXPLICIT\n"
                           "EDGE_WEIGHT_FORMAT: FULL_MATRIX\nEDGE_WEIGHT_SECTION\n"
                           "0 5 3 4\n5 0 6 7\n8 9 0 1\n2 3 4 0\nEOF\n";

static sandbox box;

static int set_up(void **state) {
  (void)state;
  sandbox_create(&box);
  sandbox_link(&box, "plugins/edgefw_inorder.so", toy_fixture("good_heuristic"));
  sandbox_write(&box, "hand.atsp", hand);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  sandbox_remove(&box);
  return 0;
}

static void expect_text(const char *file, const char *const *words) {
  char *text = cli_read(&box, file);
  assert_non_null(text);
  for (; *words; ++words)
    if (!strstr(text, *words)) fail_msg("%s lacks '%s':\n%s", file, *words, text);
  free(text);
}

static void heuristics_alone_make_a_run(void **state) {
  (void)state;
  sandbox_write(&box, "x.ini", alone);
  cli_expect(&box, "run x.ini --plugin-path plugins", 0, "Constr  Search",
             "no diagnostics, which ask a model's logits");
  expect_text("runs/x/results.csv",
              (const char *const[]){
                  "constructed,construction_seconds,search_seconds\n", "order,6,6,3,inorder,,6,1,",
                  "better,8,8,3,inorder+local+kicks,", "back,8,8,3,inorder,,2,1,", NULL});
  expect_text("runs/x/table.md",
              (const char *const[]){"Solutions: order inorder, better inorder+local+kicks, back "
                                    "inorder; the best tour of an instance counts.",
                                    "Time of construction, and of search after it", NULL});
  expect_text("runs/x/report.html",
              (const char *const[]){"constructed by inorder", "<td>none</td>", NULL});
  expect_text("runs/x/config.ini", (const char *const[]){"construct = inorder\n", NULL});
  assert_false(cli_exists(&box, "runs/x/order"));
  char *before = cli_snapshot(&box, "runs/x");
  cli_expect(&box, "run x.ini --plugin-path plugins", 0, "inorder+local+kicks", "nothing to do");
  char *after = cli_snapshot(&box, "runs/x");
  cli_expect_same(before, after);
  cli_expect(&box, "report runs/x", 0, NULL, NULL);
}

/* Another key of the heuristic, in a run directory of the old one, is another configuration. */
static void other_keys_are_another_run(void **state) {
  (void)state;
  sandbox_write(&box, "x.ini", alone);
  cli_expect(&box, "run x.ini --plugin-path plugins --out y", 0, NULL, NULL);
  cli_expect(&box, "run x.ini --plugin-path plugins --out y --set heuristic.inorder.order=down", 2,
             NULL, "another configuration");
}

static void models_stand_beside_them(void **state) {
  (void)state;
  cli_write_config(&box, "[train]\nsize = 6\nepochs = 1\ninstances_per_epoch = 4\nbatch = 4\n"
                         "milestones = 1\n[eval]\nsizes = 6\ninstances = 3\n"
                         "[variant order]\nconstruct = inorder\n");
  cli_expect(&box, "run tiny.ini --plugin-path plugins", 0, "order", NULL);
  expect_text("runs/tiny/results.csv", (const char *const[]){"plain,6,6,", "order,6,6,", ",greedy,",
                                                             ",inorder,,6,1,", NULL});
  assert_true(cli_exists(&box, "runs/tiny/plain"));
  assert_false(cli_exists(&box, "runs/tiny/order"));
  cli_expect(&box, "run tiny.ini --plugin-path plugins --variant order --only eval", 0, NULL,
             "nothing to do");
}

static void a_dry_run_tells_of_them(void **state) {
  (void)state;
  sandbox_write(&box, "x.ini", alone);
  cli_expect(&box, "run x.ini --plugin-path plugins --dry-run", 0,
             "no model: constructed by inorder", NULL);
  cli_expect(&box, "run x.ini --plugin-path plugins --dry-run", 0, "test set 8", NULL);
  assert_false(cli_exists(&box, "runs"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(heuristics_alone_make_a_run, set_up, tear_down),
      cmocka_unit_test_setup_teardown(other_keys_are_another_run, set_up, tear_down),
      cmocka_unit_test_setup_teardown(models_stand_beside_them, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_dry_run_tells_of_them, set_up, tear_down),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
