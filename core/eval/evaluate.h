/* Evaluation: decode whole sets, price every reported tour with the problem's independent checker,
 * and compare with reference costs. */
#ifndef EDGEFW__EVALUATE_H
#define EDGEFW__EVALUATE_H

#include "data/source.h"
#include "policy/policy.h"

/* How to decode; from [eval] or the command line. */
typedef struct edgefw__eval_settings {
  double clip;
  edgefw_select select; /* GREEDY or SAMPLE */
  int64_t starts;       /* 0: all */
  int64_t samples;      /* SAMPLE: runs per start, >= 1; the best counts */
  int64_t augment;      /* 1, or 8: the symmetries of the square, of which the best counts */
  int64_t batch;        /* most instances at once, fewer where memory asks for it; 0: what suits */
  uint64_t seed;        /* of sampling */
} edgefw__eval_settings;

typedef struct edgefw__eval_result {
  int64_t instances;
  double objective; /* mean over the instances of the best tour's cost, as the checker priced it */
  double plain_objective; /* the same without augmentation */
  double length; /* library files with a rounding rule: real length of the best tour, else NaN */
  bool has_reference;
  double reference;        /* mean reference cost */
  double gap_percent;      /* 100 * (objective - reference) / reference: the ratio of means */
  double mean_gap_percent; /* mean of the instances' own gaps */
  double seconds;          /* wall clock of encoding and decoding, loading apart */
} edgefw__eval_result;

/* Called after every batch with instances done and seconds so far. May be NULL. */
typedef void (*edgefw__eval_observer)(void *user, int64_t done, int64_t count, double seconds);

/* Settings as the composition's [eval] section has them. */
edgefw__eval_settings edgefw__eval_settings_from(const edgefw__composition *composition);

/* Sets of the composition's [eval] and [data] sections, in the order of the config (sizes, then
 * files): array in `arena`. Library files are opened to learn their names and sizes. */
EDGEFW_NODISCARD edgefw_status edgefw__eval_sets(edgefw_context *ctx, edgefw_arena *arena,
                                                 const edgefw__composition *composition,
                                                 edgefw__instance_set **out, int *count);

/* How many instances of the set are decoded at once: settings->batch, or fewer where their number
 * or memory asks for it. With 0 64, or, on a device with memory of its own, enough to fill it.
 * OUT_OF_MEMORY if there is no room for even one. */
EDGEFW_NODISCARD edgefw_status edgefw__eval_batch(edgefw__model *model,
                                                  const edgefw__instance_set *set,
                                                  const edgefw__eval_settings *settings,
                                                  int64_t *batch);

/* Evaluate one set. Every best tour is checked and priced by the problem's checker; a price that
 * differs from the decoder's length by more than 1e-9 relative is CHECK_FAILED. A batch for which a
 * device with memory of its own has no room is tried again by halves; results are the same.
 * INTERRUPTED when the context says so. `best_tour` (edgefw__problem_steps entries) and `best_cost`
 * receive the first instance's best tour (may be NULL). */
EDGEFW_NODISCARD edgefw_status edgefw__evaluate(edgefw__model *model,
                                                const edgefw__instance_set *set,
                                                const edgefw__eval_settings *settings,
                                                edgefw__eval_observer observer, void *user,
                                                edgefw__eval_result *out, int32_t *best_tour,
                                                double *best_cost);

#endif
