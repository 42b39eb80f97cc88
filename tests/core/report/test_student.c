/* Student's distribution against scipy.stats (1.17). */
#include "support/test.h"

#include "report/student.h"
#include "support/check.h"

static void tails_are_those_of_the_distribution(void **state) {
  static const struct {
    double t, freedom, tails;
  } known[] = {{0.5, 1, 0.70483276469913347},   {2, 2, 0.18350341907227397},
               {2.5, 3, 0.087706647008065561},  {1.0, 9, 0.3434363961379136},
               {4.2, 9, 0.0023066925065402381}, {0.01, 30, 0.99208749257317774},
               {12, 4, 0.00027642854850297303}, {3, 1000, 0.0027667090442381925},
               {-2, 2, 0.18350341907227397},    {0, 5, 1}};
  (void)state;
  for (size_t k = 0; k < sizeof known / sizeof *known; ++k)
    check_close(edgefw__student_tails(known[k].t, known[k].freedom), known[k].tails, 0, 1e-12,
                "the value");
}

static void bounds_invert_the_tails(void **state) {
  static const struct {
    double tails, freedom, bound;
  } known[] = {{0.05, 1, 12.706204736174705},  {0.05, 2, 4.3026527297494637},
               {0.05, 4, 2.7764451051977943},  {0.05, 9, 2.2621571627982053},
               {0.05, 99, 1.9842169515864176}, {0.01, 3, 5.8409093097333571}};
  (void)state;
  for (size_t k = 0; k < sizeof known / sizeof *known; ++k)
    check_close(edgefw__student_bound(known[k].tails, known[k].freedom), known[k].bound, 0, 1e-11,
                "the value");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tails_are_those_of_the_distribution),
      cmocka_unit_test(bounds_invert_the_tails),
  };
  return test_run(tests, NULL, NULL);
}
