/* What every page has. */
#include "support/test.h"

#include <string.h>

#include "report/page_parts.h"
#include "support/html_check.h"
#include "support/workspace.h"

static void a_page_needs_nothing_else(void **state) {
  static const char *const outside[] = {"http:",  "https:", "//",      "@import",  "url(",
                                        "fetch(", "eval(",  "XMLHttp", "innerHTML"};
  const workspace *w = *state;
  edgefw__text html = {.ctx = w->ctx}, links = {.ctx = w->ctx};
  edgefw__text_add(&links, "<a href=\"#x\">X</a>\n");
  edgefw__page_head("a <b>", "c & d", &links, &html);
  edgefw__page_foot(&html);
  const char *text = edgefw__text_get(&html);
  assert_true(html_is_fine(text));
  assert_int_equal(strncmp(text, "<!DOCTYPE html>\n<html lang=\"en\">\n", 33), 0);
  assert_non_null(strstr(text, "<title>a &lt;b&gt;</title>"));
  assert_non_null(strstr(text, "<p class=\"lead\">c &amp; d</p>"));
  assert_non_null(strstr(text, "prefers-color-scheme:dark"));
  assert_non_null(strstr(text, "@media print"));
  for (size_t o = 0; o < sizeof outside / sizeof *outside; ++o)
    if (strstr(text, outside[o])) fail_msg("'%s' is in the page", outside[o]);
  edgefw__text_release(&html);
  edgefw__text_release(&links);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_page_needs_nothing_else, workspace_set_up,
                                      workspace_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
