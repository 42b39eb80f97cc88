/* Text in HTML. */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "report/html.h"
#include "support/html_check.h"
#include "support/workspace.h"

static void expect(const workspace *w, const char *value, const char *expected) {
  edgefw__text html = {.ctx = w->ctx};
  edgefw__html_add(&html, value);
  assert_string_equal(edgefw__text_get(&html), expected);
  edgefw__text_release(&html);
}

static void any_bytes_become_text(void **state) {
  const workspace *w = *state;
  expect(w, "", "");
  expect(w, NULL, "");
  expect(w, "a<b & \"c\">'d'", "a&lt;b &amp; &quot;c&quot;&gt;&#39;d&#39;");
  expect(w, "&amp;", "&amp;amp;");
  expect(w, "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x9A\x9A", "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x9A\x9A");
  expect(w, "\x01\tb\n", "\xEF\xBF\xBD\tb\n");
  expect(w, "\xFFx\xC3", "\xEF\xBF\xBDx\xEF\xBF\xBD");
  expect(w, "\xC2\x85", "\xEF\xBF\xBD"); /* a control character of two bytes */
}

static void entities_are_kept_where_they_are_meant(void **state) {
  const workspace *w = *state;
  static const char text[] = "&lt;&#65;&#39; &#1; &#0065; &nbsp; &x \xC3\xA9";
  edgefw__text html = {.ctx = w->ctx};
  edgefw__html_add_bytes(&html, text, sizeof text - 2, true); /* the last character is cut */
  assert_string_equal(edgefw__text_get(&html), "&lt;&#65;&#39; &amp;#1; &amp;#0065; &amp;nbsp; "
                                               "&amp;x \xEF\xBF\xBD");
  assert_true(html_is_fine(edgefw__text_get(&html)));
  edgefw__text_release(&html);
}

static void numbers_have_their_digits(void **state) {
  const workspace *w = *state;
  edgefw__text html = {.ctx = w->ctx};
  edgefw__html_number(&html, "td class=\"x\"", 1.23456, 3);
  edgefw__html_number(&html, "td", (double)NAN, 3);
  edgefw__html_percent(&html, "td", -1e-14);
  edgefw__html_percent(&html, "td", 2.345678);
  edgefw__html_percent(&html, "td", (double)NAN);
  assert_string_equal(edgefw__text_get(&html),
                      "<td class=\"x\">1.23</td><td>\xE2\x80\x93</td><td>0.00</td><td>2.35</td>"
                      "<td>\xE2\x80\x93</td>");
  edgefw__text_release(&html);
}

static void tables_are_well_formed(void **state) {
  const workspace *w = *state;
  static const char *const columns[] = {"a", "<b>"};
  edgefw__text html = {.ctx = w->ctx};
  edgefw__html_table_begin(&html, "c & d", EDGEFW__HTML_WORDS, columns, 2);
  edgefw__html_table_end(&html);
  assert_true(html_is_fine(edgefw__text_get(&html)));
  assert_non_null(strstr(edgefw__text_get(&html), "<caption>c &amp; d</caption>"));
  assert_non_null(strstr(edgefw__text_get(&html), "<th scope=\"col\" data-c=\"1\">&lt;b&gt;</th>"));
  edgefw__text_release(&html);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(any_bytes_become_text, workspace_set_up, workspace_tear_down),
      cmocka_unit_test_setup_teardown(entities_are_kept_where_they_are_meant, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(numbers_have_their_digits, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(tables_are_well_formed, workspace_set_up,
                                      workspace_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
