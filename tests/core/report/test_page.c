/* The page of a run as a whole. */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/page.h"
#include "support/cli.h"
#include "support/expect.h"
#include "support/html_check.h"
#include "support/run_sample.h"

static char *write_page(const workspace *w, const char *name) {
  char page[128];
  bool changed = false;
  expect_ok(w->ctx, edgefw__page_write(w->ctx, sandbox_path(&w->box, name), &changed));
  assert_true(changed);
  snprintf(page, sizeof page, "%s/report.html", name);
  char *html = cli_read(&w->box, page);
  assert_non_null(html);
  assert_true(html_is_fine(html));
  return html;
}

static void a_page_is_written_once(void **state) {
  const workspace *w = *state;
  const run_sample sample = run_sample_of("a", 7);
  bool changed = false;
  const char *folder = run_sample_write(w, &sample);
  char *before = cli_snapshot(&w->box, "a");
  char *html = write_page(w, "a");
  static const char *const sections[] = {"run",     "results",       "training", "instances",
                                         "machine", "configuration", "again"};
  size_t last = 0;
  for (size_t s = 0; s < sizeof sections / sizeof *sections; ++s) {
    char head[64];
    snprintf(head, sizeof head, "<section id=\"%s\">", sections[s]);
    const char *at = strstr(html, head);
    assert_non_null(at);
    assert_true((size_t)(at - html) > last);
    last = (size_t)(at - html);
  }
  assert_non_null(strstr(html, "<h1>quick</h1>"));
  assert_non_null(strstr(html, "ATSP, 2 variants, seed 7"));
  assert_null(strstr(html, "<section id=\"figures\">"));
  assert_null(strstr(html, folder)); /* wherever the folder is, the page is the same */
  expect_ok(w->ctx, edgefw__page_write(w->ctx, folder, &changed));
  assert_false(changed);
  assert_int_equal(unlink(sandbox_path(&w->box, "a/report.html")), 0);
  cli_expect_same(before, cli_snapshot(&w->box, "a")); /* nothing else was touched */
  free(html);
}

/* Results that are not there yet, or no longer, are no failure. */
static void parts_may_be_missing(void **state) {
  const workspace *w = *state;
  run_sample sample = run_sample_of("a", 7);
  sample.plain = true;
  run_sample_write(w, &sample);
  char *html = write_page(w, "a");
  assert_non_null(strstr(html, "<td class=\"best\">1.1250</td>"));
  assert_null(strstr(html, "<section id=\"training\">"));
  assert_null(strstr(html, "<section id=\"instances\">"));
  assert_non_null(strstr(html, "did not say on what"));
  free(html);
  assert_int_equal(unlink(sandbox_path(&w->box, "a/results.csv")), 0);
  html = write_page(w, "a");
  assert_non_null(strstr(html, "Nothing was evaluated yet."));
  free(html);
}

/* Whatever the names are, they are text. */
static void hostile_names_are_text(void **state) {
  const workspace *w = *state;
  run_sample sample = run_sample_of("a", 7);
  sample.experiment = RUN_SAMPLE_EVIL "\xC3\xA9\xE4\xB8\xAD\xFF";
  sample.file = "</td><script>x</script> \xF0\x9F\x9A\x9A\"'";
  sample.more = "[term.x]\na = <img src=x onerror=alert(1)>\n";
  run_sample_write(w, &sample);
  char *html = write_page(w, "a");
  assert_non_null(strstr(html, "<h1>&lt;b&gt;&quot;x&quot; &amp; &#39;y&#39;&lt;/b&gt;"
                               "\xC3\xA9\xE4\xB8\xAD\xEF\xBF\xBD</h1>"));
  assert_non_null(strstr(html, "&lt;/td&gt;&lt;script&gt;x&lt;/script&gt; \xF0\x9F\x9A\x9A"));
  assert_non_null(strstr(html, "a = &lt;img src=x onerror=alert(1)&gt;"));
  assert_null(strstr(html, "<script>x"));
  assert_null(strstr(html, "<b>"));
  free(html);
}

static void damaged_files_are_named(void **state) {
  const workspace *w = *state;
  const run_sample sample = run_sample_of("a", 7);
  const char *folder = run_sample_write(w, &sample);
  bool changed = false;
  sandbox_write(&w->box, "a/plain/metrics.csv", "epoch,score,instances,seconds\n1,x,1,1\n");
  expect_failure(w->ctx, edgefw__page_write(w->ctx, folder, &changed), EDGEFW_FORMAT,
                 "plain/metrics.csv:2", "'x'");
  assert_false(changed);
  assert_false(cli_exists(&w->box, "a/report.html"));
}

int main(void) {
#define PAGE_TEST(name) cmocka_unit_test_setup_teardown(name, workspace_set_up, workspace_tear_down)
  const struct CMUnitTest tests[] = {
      PAGE_TEST(a_page_is_written_once),
      PAGE_TEST(parts_may_be_missing),
      PAGE_TEST(hostile_names_are_text),
      PAGE_TEST(damaged_files_are_named),
  };
  return test_run(tests, NULL, NULL);
}
