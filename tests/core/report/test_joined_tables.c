/* Joined runs as tables and as a page. */
#include "support/test.h"

#include <string.h>

#include "report/joined_tables.h"
#include "support/expect.h"
#include "support/html_check.h"
#include "support/page_case.h"

static void join(const workspace *w, edgefw__joined *joined) {
  static const char *const names[] = {"a", "b", "c"};
  const char *folders[3];
  for (int r = 0; r < 3; ++r) {
    run_sample sample = run_sample_of(names[r], r + 1);
    sample.experiment = RUN_SAMPLE_EVIL;
    sample.shift = r / 8.0;
    folders[r] = edgefw_arena_text(w->arena, run_sample_write(w, &sample));
  }
  expect_ok(w->ctx, edgefw__joined_read(w->ctx, w->arena, folders, 3, joined));
}

static void tables_are_for_a_terminal(void **state) {
  const workspace *w = *state;
  edgefw__joined joined;
  edgefw__text text = {.ctx = w->ctx};
  join(w, &joined);
  expect_ok(w->ctx, edgefw__joined_tables(&joined, EDGEFW__REPORT_PLAIN, &text));
  page_has(edgefw__text_get(&text), ": atsp, 3 runs: seeds 1, 2, 3\n\nOver the seeds\n\n",
           "plain     1.2500  0.1250  25.00%  12.50%     3", "terms \xE2\x88\x92 plain", "+0.2500",
           "+5.13%", "0.25\n", "not corrected");
  edgefw__text_release(&text);
}

static void a_page_holds_the_same(void **state) {
  const workspace *w = *state;
  edgefw__joined joined;
  edgefw__text html = {.ctx = w->ctx};
  join(w, &joined);
  expect_ok(w->ctx, edgefw__joined_page(&joined, &html));
  assert_true(html_is_fine(edgefw__text_get(&html)));
  page_has(edgefw__text_get(&html), "<h1>&lt;b&gt;", "atsp, 3 runs: seeds 1, 2, 3",
           "<td class=\"best\">1.2500</td><td>0.1250</td><td>25.00%</td><td>12.50%</td>",
           "<td>+0.2500</td>", "[variant terms]\n");
  edgefw__text_release(&html);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(tables_are_for_a_terminal, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(a_page_holds_the_same, workspace_set_up, workspace_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
