/* Drawings on a page. */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/page_case.h"

#define SVG(inside) "<?xml version=\"1.0\"?>\n<svg viewBox=\"0 0 9 5\">" inside "</svg>\n"

/* Sorted by name, with a caption, and with names of their own. */
static void drawings_are_shown(void **state) {
  const workspace *w = *state;
  const run_sample sample = run_sample_of("a", 7);
  run_sample_write(w, &sample);
  assert_string_equal(page_case(w, "a", edgefw__page_figures), "");
  sandbox_write(&w->box, "a/plots/training.gp", "plot");
  page_has(page_case(w, "a", edgefw__page_figures), "gnuplot was not there");
  sandbox_write(&w->box, "a/plots/training.svg", SVG("<g id='x'/><use xlink:href='#x'/>"));
  sandbox_write(&w->box, "a/plots/gap.svg", SVG("<g id='x'/>"));
  sandbox_write(&w->box, "a/plots/some-thing.svg", SVG("<script>alert(1)</script>"));
  sandbox_write(&w->box, "a/plots/.hidden.svg", SVG(""));
  sandbox_write(&w->box, "a/plots/broken.svg", "<svg><g></svg>");
  sandbox_write(&w->box, "a/plots/binary.svg", "\xFF\xFE");
  const char *html = page_case(w, "a", edgefw__page_figures);
  page_has(html, "<figcaption>Training: ", "<figcaption>Gap to ", "<figcaption>Some thing<",
           "broken.svg is too large for a page, or no drawing", "binary.svg is");
  assert_int_equal(page_count(html, "<figure>"), 5);
  assert_int_equal(page_count(html, "<svg role=\"img\" aria-label=\""), 3);
  assert_null(strstr(html, "alert"));
  assert_true(strstr(html, "<figcaption>Gap") < strstr(html, "<figcaption>Training"));
}

static void tours_are_beside_each_other(void **state) {
  const workspace *w = *state;
  const run_sample sample = run_sample_of("a", 7);
  run_sample_write(w, &sample);
  for (int t = 0; t < 4; ++t) {
    char name[64];
    snprintf(name, sizeof name, "a/plots/tour-ours-s%d-best.svg", t);
    sandbox_write(&w->box, name, SVG("<g id='x'/>"));
  }
  const char *few = page_case(w, "a", edgefw__page_figures);
  page_has(few, "<h3>Tours</h3>", "<div class=\"pair\">", "<figcaption>Tour: ours s3 best<");
  assert_null(strstr(few, "<details>"));
  sandbox_write(&w->box, "a/plots/tour-ours-s4-worst.svg", SVG(""));
  sandbox_write(&w->box, "a/plots/gap.svg", SVG(""));
  const char *more = page_case(w, "a", edgefw__page_figures);
  page_has(more, "<summary>Show 1 more tour</summary>");
  assert_true(strstr(more, "Gap to") < strstr(more, "<h3>Tours"));
  assert_true(strstr(more, "<summary>") < strstr(more, "s4 worst"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(drawings_are_shown, workspace_set_up, workspace_tear_down),
      cmocka_unit_test_setup_teardown(tours_are_beside_each_other, workspace_set_up,
                                      workspace_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
