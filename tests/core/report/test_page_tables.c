/* Results, training and diagnostics on a page. */
#include "support/test.h"

#include <string.h>

#include "support/page_case.h"

/* The numbers of results.csv, the reported ones apart and below. */
static void results_are_those_of_the_run(void **state) {
  const workspace *w = *state;
  run_sample sample = run_sample_of("a", 7);
  run_sample_write(w, &sample);
  const char *html = page_case(w, "a", edgefw__page_results);
  page_has(html, "<h3>quick: measured</h3>", "colspan=\"3\">ATSP-6 (3)</th>",
           "<th scope=\"row\">(reference)</th><td>1.0000</td>",
           "<th scope=\"row\">plain</th><td class=\"best\">1.1250</td><td>12.50%</td><td "
           "class=\"time\">0.25 s</td>",
           "<th scope=\"row\">terms</th><td>1.3750</td><td>37.50%</td>",
           "<th scope=\"row\">terms</th><td>41</td><td>5.13%</td>",
           "Decoding: greedy, clip 50; the best rollout of an instance counts.\n");
  assert_null(strstr(html, "not measured here"));
}

static const char *write_reported(const workspace *w) {
  edgefw__text text = {.ctx = w->ctx};
  const char *path = sandbox_path(&w->box, "reported.csv");
  edgefw__text_add(&text,
                   EDGEFW__RUN_MARK "[experiment]\nname = q\n[problem]\nname = atsp\n[backbone]\n"
                                    "name = net\n[report]\nreported = %s\n[variant plain]\n"
                                    "[variant terms]\n",
                   path);
  sandbox_write(&w->box, "a/config.ini", edgefw__text_get(&text));
  edgefw__text_release(&text);
  return path;
}

static void reported_rows_stand_apart(void **state) {
  const workspace *w = *state;
  const run_sample sample = run_sample_of("a", 7);
  run_sample_write(w, &sample);
  write_reported(w);
  page_has(page_case(w, "a", edgefw__page_results), "their file is not here", "1.1250");
  sandbox_write(&w->box, "reported.csv",
                "method,set,size,obj,gap_percent,time_minutes,note\n"
                "LKH <3>,atsp,6,0.5,1,2,exact & old\n");
  const char *html = page_case(w, "a", edgefw__page_results);
  page_has(html, "<h3>Reported by the publication", "LKH &lt;3&gt;</th><td>0.5000</td>",
           "exact &amp; old");
  assert_true(strstr(html, "1.1250") < strstr(html, "Reported by the publication"));
  assert_null(strstr(html, "best\">0.5000"));
}

static void training_is_summed_up(void **state) {
  const workspace *w = *state;
  const run_sample sample = run_sample_of("a", 7);
  run_sample_write(w, &sample);
  page_has(page_case(w, "a", edgefw__page_training),
           "<th scope=\"row\">plain</th><td>2</td><td>2,000</td><td>2.5000</td><td>2.2500</td>"
           "<td>2.2500</td><td class=\"time\">2 min 02 s</td><td class=\"time\">16.39</td>",
           "<th scope=\"row\">terms</th>");
}

/* Whatever columns the table has. */
static void diagnostics_are_shown(void **state) {
  const workspace *w = *state;
  const run_sample sample = run_sample_of("a", 7);
  run_sample_write(w, &sample);
  assert_string_equal(page_case(w, "a", edgefw__page_diagnostics), "");
  sandbox_write(&w->box, "a/diagnostics.csv",
                "variant,metric <x>,count,share,seconds,model,inputs\n"
                "plain,current,1000,0.98765432,2.5,0f,0e\nterms,a&b,,,,,\n");
  page_has(page_case(w, "a", edgefw__page_diagnostics), "metric &lt;x&gt;</th>",
           "<th scope=\"row\">plain</th><td>current</td><td>1000</td><td>0.9877</td><td "
           "class=\"time\">2.5</td></tr>",
           "<th scope=\"row\">terms</th><td>a&amp;b</td><td></td><td></td><td "
           "class=\"time\"></td></tr>");
}

int main(void) {
#define TABLES_TEST(name)                                                                          \
  cmocka_unit_test_setup_teardown(name, workspace_set_up, workspace_tear_down)
  const struct CMUnitTest tests[] = {
      TABLES_TEST(results_are_those_of_the_run),
      TABLES_TEST(reported_rows_stand_apart),
      TABLES_TEST(training_is_summed_up),
      TABLES_TEST(diagnostics_are_shown),
  };
  return test_run(tests, NULL, NULL);
}
