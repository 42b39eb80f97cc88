/* Which bytes are UTF-8, and what is left of those that are not. */
#include "support/test.h"

#include <string.h>

#include "base/utf8.h"

static void characters_have_their_lengths(void **state) {
  (void)state;
  static const struct {
    const char *text;
    size_t length;
  } cases[] = {
      {"", 0},
      {"a", 1},
      {"\x7F", 1},
      {"\xC3\xA4", 2},         /* U+00E4 */
      {"\xE2\x82\xAC", 3},     /* U+20AC */
      {"\xED\x9F\xBF", 3},     /* U+D7FF */
      {"\xF0\x9F\x9A\x9A", 4}, /* U+1F69A */
      {"\xF4\x8F\xBF\xBF", 4}, /* U+10FFFF */
      {"\x80", 0},             /* a second byte */
      {"\xC0\xAF", 0},         /* overlong '/' */
      {"\xE0\x9F\xBF", 0},     /* overlong */
      {"\xF0\x8F\xBF\xBF", 0}, /* overlong */
      {"\xED\xA0\x80", 0},     /* a surrogate */
      {"\xF4\x90\x80\x80", 0}, /* beyond U+10FFFF */
      {"\xF5\x80\x80\x80", 0},
      {"\xFF", 0},
      {"\xC3", 0}, /* cut short */
      {"\xE2\x82", 0},
      {"\xE4r", 0}, /* Latin-1 */
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    assert_int_equal(edgefw__utf8_length(cases[i].text), cases[i].length);
}

static void control_characters_are_known(void **state) {
  (void)state;
  assert_true(edgefw__utf8_is_control("\x1B", 1));
  assert_true(edgefw__utf8_is_control("\x7F", 1));
  assert_true(edgefw__utf8_is_control("\xC2\x9B", 2)); /* U+009B begins a terminal's sequence too */
  assert_false(edgefw__utf8_is_control("\xC2\xA0", 2));
  assert_false(edgefw__utf8_is_control("\xC3\x9B", 2));
  assert_false(edgefw__utf8_is_control(" ", 1));
}

static void texts_become_clean(void **state) {
  (void)state;
  static const struct {
    const char *text, *kept, *clean;
  } cases[] = {
      {"plain \xC3\xA4 \xE2\x82\xAC", "", "plain \xC3\xA4 \xE2\x82\xAC"},
      {"\x1B[31mred\x07", "", "?[31mred?"},
      {"a\xC2\x9B"
       "b",
       "", "a??b"},
      {"K\xF6ln", "", "K?ln"},
      {"a\tb\nc", "", "a b?c"},
      {"a\tb\nc\r", "\t\n", "a\tb\nc?"},
      {"cut \xE2\x82", "", "cut ??"},
      {"", "", ""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    char text[64];
    strcpy(text, cases[i].text);
    edgefw__utf8_clean(text, cases[i].kept);
    assert_string_equal(text, cases[i].clean);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(characters_have_their_lengths),
      cmocka_unit_test(control_characters_are_known),
      cmocka_unit_test(texts_become_clean),
  };
  return test_run(tests, NULL, NULL);
}
