/* The configuration reference. */
#include "support/test.h"

#include <string.h>

#include "config/help.h"
#include "config/schema.h"
#include "support/expect.h"
#include "support/toy_config.h"

static char page[64 * 1024];

static void keep(void *user, const char *text) {
  (void)user;
  assert_true(strlen(page) + strlen(text) < sizeof page);
  strcat(page, text);
}

/* Every key of the core and of the plugins has its line. */
static void every_key_is_there(void **state) {
  toy_config *t = *state;
  page[0] = '\0';
  expect_ok(t->ctx, edgefw__reference_write(t->ctx, t->registry, keep, NULL));
  for (const edgefw__section *s = edgefw__schema_sections(); s->name; ++s) {
    assert_non_null(strstr(page, s->help));
    for (const edgefw_option *o = s->options; o->key; ++o) assert_non_null(strstr(page, o->help));
  }
  assert_non_null(strstr(page, "## [variant NAME]\n"));
  assert_non_null(strstr(page, "| `size` | whole number in [2, 50000] | `100` | "));
  assert_non_null(strstr(page, "| `select` | one of greedy\\|sample | `greedy` | "));
  assert_non_null(strstr(page, "| `test.N` | file |  | "));
  assert_non_null(strstr(
      page,
      "### backbone `plain`\n\na backbone for tests. It is also called `simple`. Its keys stand in "
      "`[backbone]`."));
  assert_non_null(
      strstr(page, "| `width` | whole number in [1, 1024] | `16` | embedding width |\n"));
  assert_non_null(strstr(page, "Its keys stand in `[term.progress]`."));
  assert_non_null(strstr(page, "### term `picky`\n\nfits nothing. It has no keys.\n"));
}

static void the_same_tables_give_the_same_text(void **state) {
  toy_config *t = *state;
  static char first[sizeof page];
  page[0] = '\0';
  expect_ok(t->ctx, edgefw__reference_write(t->ctx, t->registry, keep, NULL));
  memcpy(first, page, sizeof page);
  page[0] = '\0';
  expect_ok(t->ctx, edgefw__reference_write(t->ctx, t->registry, keep, NULL));
  assert_string_equal(page, first);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, toy_config_set_up, toy_config_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {TEST(every_key_is_there),
                                     TEST(the_same_tables_give_the_same_text)};
  return test_run(tests, NULL, NULL);
}
