/* Instances on a page. */
#include "support/test.h"

#include <stdio.h>
#include <string.h>

#include "support/page_case.h"

static void instances_are_summed_up_and_listed(void **state) {
  const workspace *w = *state;
  const run_sample sample = run_sample_of("a", 7);
  run_sample_write(w, &sample);
  const char *html = page_case(w, "a", edgefw__page_instances);
  page_has(html, "<h3>Size 6: 3 instances</h3>",
           /* least, quartiles, largest, none better */
           "<th scope=\"row\">plain</th><td>0.00</td><td>6.25</td><td>12.50</td><td>18.75</td>"
           "<td>25.00</td><td>3</td>",
           "<th scope=\"row\">terms</th><td>25.00</td><td>31.25</td><td>37.50</td><td>43.75</td>"
           "<td>50.00</td><td>0</td>",
           "<th scope=\"row\">terms, worst</th><td>50.00 <small>#2</small></td><td>37.50 "
           "<small>#1</small></td><td>25.00 <small>#0</small></td><td></td><td></td>",
           "<th scope=\"row\">plain, best</th><td>0.00 <small>#0</small></td>",
           "<summary>Show all 3 instances</summary>",
           "<tr><th scope=\"row\">2</th><td>1</td><td>1.25</td><td>25.00</td><td>1.5</td>"
           "<td>50.00</td></tr>");
  assert_null(strstr(html, "br17")); /* a row of the results */
}

static void without_references_costs_count(void **state) {
  const workspace *w = *state;
  const run_sample sample = run_sample_of("a", 7);
  run_sample_write(w, &sample);
  sandbox_write(&w->box, "a/results/plain-6.csv",
                "instance,cost,reference,gap_percent,seconds\n0,3,,,1\n1,2,,,1\n");
  sandbox_write(&w->box, "a/results/terms-6.csv",
                "instance,cost,reference,gap_percent,seconds\n0,3,,,1\n1,2.5,,,1\n2,9,,,1\n");
  const char *html = page_case(w, "a", edgefw__page_instances);
  page_has(html, "Costs of the instances", "<th scope=\"row\">plain</th><td>2</td>",
           "<th scope=\"row\">terms, best</th><td>2.5 <small>#1</small></td>",
           "<tr><th scope=\"row\">2</th><td>\xE2\x80\x93</td><td>9</td></tr>");
  assert_null(strstr(html, "gap (%)"));
}

/* A large set is shown in part. */
static void large_sets_stay_usable(void **state) {
  const workspace *w = *state;
  run_sample sample = run_sample_of("a", 7);
  sample.instances = 6000;
  run_sample_write(w, &sample);
  const char *html = page_case(w, "a", edgefw__page_instances);
  page_has(html, "<h3>Size 6: 6000 instances</h3>", "Show the first 5000 instances",
           "terms, worst</th><td>75012.50 <small>#5999</small></td>");
  assert_true(page_count(html, "<tr>") < 5020);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(instances_are_summed_up_and_listed, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(without_references_costs_count, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(large_sets_stay_usable, workspace_set_up,
                                      workspace_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
