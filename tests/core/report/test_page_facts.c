/* What was run, on what, and how to run it again. */
#include "support/test.h"

#include <string.h>

#include "support/page_case.h"

static void variants_are_listed(void **state) {
  const workspace *w = *state;
  const run_sample sample = run_sample_of("a", 7);
  run_sample_write(w, &sample);
  page_has(page_case(w, "a", edgefw__page_variants), "<dt>Experiment</dt><dd>quick</dd>",
           "<dt>Training seed</dt><dd>7</dd>", "<dt>Tested on</dt><dd>6</dd>",
           "<th scope=\"row\">plain</th><td>net</td><td>none</td><td>trained here</td><td><code>"
           "0000000000000070</code>",
           "<th scope=\"row\">terms</th><td>net</td><td>one</td>");
}

static void parameters_of_others_are_told(void **state) {
  const workspace *w = *state;
  sandbox_write(&w->box, "a/config.ini",
                EDGEFW__RUN_MARK "[experiment]\nname = q\n[backbone]\nname = net\n[eval]\n"
                                 "terms = trained\n[variant x]\ndecoder.terms = one\n"
                                 "checkpoint = /some/where/m<1>.h5\n[variant y]\ntrained = x\n"
                                 "eval.terms = one, two\ndecoder.terms = one\n");
  page_has(
      page_case(w, "a", edgefw__page_variants),
      "<th scope=\"row\">x</th><td>net</td><td>one</td><td>m&lt;1&gt;.h5</td>",
      "<th scope=\"row\">y</th><td>net</td><td>one; in evaluation: one, two</td><td>as trained "
      "for x</td>");
}

static void machines_are_told(void **state) {
  const workspace *w = *state;
  const run_sample sample = run_sample_of("a", 7);
  run_sample_write(w, &sample);
  sandbox_write(&w->box, "a/log.txt",
                "2026-01-01T00:00:00Z quick in a: 2 variants on cpu (fast & <good>) in fp32, 2 "
                "threads\n2026-01-01T00:00:01Z done\n");
  page_has(page_case(w, "a", edgefw__page_machine),
           "<p>cpu (fast &amp; &lt;good&gt;) in fp32, 2 threads</p>", "As the log tells it");
  sandbox_write(&w->box, "a/machine.csv", "processor,cores\nOld & slow,2\n");
  const char *one = page_case(w, "a", edgefw__page_machine);
  page_has(one, "<dt>processor</dt><dd>Old &amp; slow</dd>", "<dt>cores</dt><dd>2</dd>");
  assert_null(strstr(one, "another machine"));
  assert_null(strstr(one, "As the log"));
  sandbox_write(&w->box, "a/machine.csv", "processor,cores\nOld & slow,2\nNew,64\n");
  page_has(page_case(w, "a", edgefw__page_machine), "<h3>Machine 2</h3>", "<dd>64</dd>",
           "another machine");
}

static void the_configuration_is_there(void **state) {
  const workspace *w = *state;
  run_sample sample = run_sample_of("a", 7);
  sample.more = "[term.x]\nnote = a<b\n";
  run_sample_write(w, &sample);
  page_has(page_case(w, "a", edgefw__page_configuration), "<details>", "note = a&lt;b\n",
           "edgefw run config.ini --out again\n", "experiment.seed=2");
}

int main(void) {
#define FACTS_TEST(name)                                                                           \
  cmocka_unit_test_setup_teardown(name, workspace_set_up, workspace_tear_down)
  const struct CMUnitTest tests[] = {
      FACTS_TEST(variants_are_listed),
      FACTS_TEST(parameters_of_others_are_told),
      FACTS_TEST(machines_are_told),
      FACTS_TEST(the_configuration_is_there),
  };
  return test_run(tests, NULL, NULL);
}
