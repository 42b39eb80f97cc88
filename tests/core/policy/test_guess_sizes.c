/* Sizes from names and shapes.
 * needs plugins: atsp tsp radar pomo edge */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policy/guess_sizes.h"
#include "support/guess_case.h"

/* Sizes that are found in a file of the model of `text`, "key=value key=value ... | unseen";
 * free().
 */
static char *sizes_of(const char *text, const char *const *base, int base_count,
                      const char *const *sets, int set_count, const char *backbone) {
  char out[1024] = "";
  guess_case c;
  edgefw__guess_sizes sizes;
  guess_case_open(&c, text, sets, set_count, NULL);
  tiny_ok(&c.tiny,
          edgefw__guess_sizes_find(
              &c.frame, base, base_count,
              edgefw__registry_lookup(c.tiny.registry, EDGEFW_KIND_BACKBONE, backbone), &sizes));
  for (int i = 0; i < sizes.seen_count; ++i) strcat(strcat(out, sizes.seen[i]), " ");
  strcat(out, sizes.published ? "published |" : "|");
  for (int i = 0; i < sizes.unseen_count; ++i) strcat(strcat(out, " "), sizes.unseen[i]);
  guess_case_close(&c);
  return strdup(out);
}

#define EXPECT(text, base, sets, set_count, backbone, expected)                                    \
  do {                                                                                             \
    char *found = sizes_of(text, base, 3, sets, set_count, backbone);                              \
    assert_string_equal(found, expected);                                                          \
    free(found);                                                                                   \
  } while (0)

static const char *const radar[] = {"problem.name=atsp", "backbone.name=radar",
                                    "decoder.terms=edge"};
static const char *const pomo[] = {"problem.name=tsp", "backbone.name=pomo", "decoder.terms="};

static void shapes_tell_sizes(void **state) {
  (void)state;
  EXPECT(TINY_MODEL("edge"), radar, NULL, 0, "radar",
         "backbone.embedding_dim=8 backbone.layers=1 backbone.heads=2 backbone.ff_hidden=8 "
         "backbone.mix_hidden=4 backbone.svd_rank=3 decoder.edge_hidden=4 | "
         "backbone.sinkhorn_iterations=10 decoder.heads=8");
}

/* What the user says is not looked for, even where the defaults would not go with it. */
static void what_is_told_is_not_looked_for(void **state) {
  static const char *const sets[] = {"backbone.heads=3", "decoder.heads = 2",
                                     "backbone.attention=softmax"};
  (void)state;
  EXPECT(TINY_MODEL("edge"), radar, sets, 3, "radar",
         "backbone.embedding_dim=8 backbone.layers=1 backbone.ff_hidden=8 backbone.mix_hidden=4 "
         "backbone.svd_rank=3 decoder.edge_hidden=4 | backbone.sinkhorn_iterations=10");
}

static void layers_are_counted(void **state) {
  static const int counts[] = {1, 2, 3, 5, 6};
  (void)state;
  for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c) {
    char text[256], expected[256];
    snprintf(text, sizeof text,
             "[problem]\nname = tsp\n[backbone]\nname = pomo\nembedding_dim = 16\nlayers = %d\n"
             "ff_hidden = 12\n",
             counts[c]);
    snprintf(expected, sizeof expected,
             "backbone.embedding_dim=16 backbone.layers=%d backbone.ff_hidden=12 | "
             "backbone.heads=8 decoder.heads=8",
             counts[c]);
    EXPECT(text, pomo, NULL, 0, "pomo", expected);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(shapes_tell_sizes),
                                     cmocka_unit_test(what_is_told_is_not_looked_for),
                                     cmocka_unit_test(layers_are_counted)};
  return test_run(tests, NULL, NULL);
}
