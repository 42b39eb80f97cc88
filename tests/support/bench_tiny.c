/* Benches for tests. */
#include "support/bench_tiny.h"
#include "support/test.h"

#include <string.h>

edgefw__bench_settings bench_tiny_settings(uint32_t sections) {
  static const char *const sets[] = {"backbone.layers=1",    "backbone.heads=2",
                                     "backbone.ff_hidden=8", "backbone.mix_hidden=4",
                                     "backbone.svd_rank=3",  "backbone.sinkhorn_iterations=3",
                                     "decoder.heads=2",      "decoder.edge_hidden=4"};
  return (edgefw__bench_settings){.problem = "atsp",
                                  .backbone = "radar",
                                  .terms = "closure,edge,lookahead",
                                  .sets = sets,
                                  .set_count = (int)(sizeof sets / sizeof *sets),
                                  .width = 8,
                                  .device = "cpu",
                                  .sections = sections,
                                  .sizes = {6},
                                  .size_count = 1,
                                  .batch = 2,
                                  .repeat = 1};
}

bool bench_tiny_missing(void) {
  if (tiny_missing()) return true;
  if (tiny_has_device("cpu")) return false;
  print_message("there is no device \"cpu\": nothing is measured\n");
  return true;
}

edgefw__bench_report *bench_tiny_open(tiny_model *tiny, uint32_t sections) {
  const edgefw__bench_settings settings = bench_tiny_settings(sections);
  edgefw__bench_report *report = NULL;
  tiny_begin(tiny, NULL, TINY_PLAIN, "cpu");
  tiny_ok(tiny, edgefw__bench(tiny->ctx, tiny->registry, &settings, &report));
  assert_non_null(report);
  return report;
}

void bench_tiny_close(tiny_model *tiny, edgefw__bench_report *report) {
  edgefw__bench_report_destroy(report);
  tiny_close(tiny);
}

const edgefw__bench_row *bench_tiny_row(const edgefw__bench_group *group, const char *name,
                                        const char *pass) {
  for (int r = 0; r < group->row_count; ++r)
    if (strcmp(group->rows[r].name, name) == 0 && strcmp(group->rows[r].pass, pass) == 0)
      return &group->rows[r];
  fail_msg("no row %s %s", name, pass);
  return NULL;
}
