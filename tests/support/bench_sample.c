/* The report with known numbers. */
#include "support/bench_sample.h"

void bench_sample_make(bench_sample *sample) {
  *sample = (bench_sample){.report = {.device = "abacus",
                                      .precision = "fp32",
                                      .description = "beads",
                                      .problem = "p",
                                      .backbone = "b",
                                      .terms = "a+c",
                                      .config = "[problem]\nname = p\n",
                                      .threads = 2,
                                      .ranks = 1,
                                      .width = 8,
                                      .heads = 2,
                                      .parameters = 1234,
                                      .peak_first = 3e9,
                                      .peak_last = 4e9,
                                      .group_count = 3},
                           .groups = {{.section = EDGEFW__BENCH_OPS, .row_count = 1},
                                      {.section = EDGEFW__BENCH_EVAL, .row_count = 2},
                                      {.section = EDGEFW__BENCH_TRAIN, .row_count = 1}},
                           .rows = {
                               {.name = "linear 8->8", .pass = "forward", .calls = 2, .flops = 2e9},
                               {.name = "encode", .pass = "", .calls = 1},
                               {.name = "decode", .pass = "", .calls = 1, .ratio = 1.5},
                               {.name = "step", .pass = "", .calls = 1, .ratio = 1.0, .bytes = 8e9},
                           }};
  static const int first[] = {0, 1, 3};
  static const double seconds[] = {1.0, 0.5, 1.0, 4.0};
  for (int g = 0; g < 3; ++g) {
    sample->groups[g].rows = sample->rows + first[g];
    sample->groups[g].n = 10;
    sample->groups[g].batch = 8;
    sample->groups[g].rollouts = 10;
    sample->groups[g].peak = 1e9 * (g + 1);
    sample->groups[g].memory = 5000000;
  }
  for (int r = 0; r < 4; ++r) {
    sample->rows[r].instances = 8;
    sample->rows[r].terms = sample->rows[r].changed = "";
    edgefw__timing_add(&sample->rows[r].timing, seconds[r]);
  }
  sample->rows[2].terms = "a+c";
  sample->rows[2].changed = "a.mode=x";
  edgefw__timing_add(&sample->rows[2].timing, 4.0);
  edgefw__timing_add(&sample->rows[2].timing, 2.0);
  sample->report.groups = sample->groups;
}
