/* Evaluation: decode whole sets, price every reported tour with the problem's independent checker,
 * and compare with reference costs. */
#ifndef EDGEFW__EVALUATE_H
#define EDGEFW__EVALUATE_H

#include "data/source.h"
#include "eval/warm.h"

/* The best that is known of a set of one instance while it is being solved. */
typedef struct edgefw__eval_best {
  const char *set;
  double cost;        /* as the search added it up */
  double gap_percent; /* NaN where there is no reference */
  double seconds;     /* since the batch began */
} edgefw__eval_best;

/* Told of each better solution, by the thread that called edgefw__evaluate. */
typedef struct edgefw__eval_watch {
  void (*see)(void *user, const edgefw__eval_best *best);
  void *user;
} edgefw__eval_watch;

/* Heuristics beside the policy of a model; of each instance the better tour counts, each side made
 * as it would be alone. */
typedef struct edgefw__eval_beside {
  const edgefw__composition *composition; /* whose heuristics they are; of the model's problem */
  int64_t starts;                         /* of each heuristic; 0: all */
  int64_t improve_rollouts;               /* of each heuristic's tours; 0: all */
  bool optional; /* the policy is left out, which the log says, where it does not fit: from more
                    than EDGEFW__BESIDE_NODES nodes on, without the memory for one instance, and,
                    where there is a time limit, if decoding would take more than half of it
                    (policy_time.h). Then what it takes counts, too: its tours are improved until
                    half of the limit is over, and search has the rest */
} edgefw__eval_beside;

/* Nodes of the largest instance that a policy which nobody asked for is run on: the work grows with
 * n^3, and so far off the sizes that it was trained on heuristics are better. */
#define EDGEFW__BESIDE_NODES 2000

/* How to decode; from [eval] or the command line. */
typedef struct edgefw__eval_settings {
  double clip;
  edgefw_select select; /* GREEDY or SAMPLE */
  int64_t starts;       /* 0: all */
  int64_t samples;      /* SAMPLE: runs per start, >= 1; the best counts */
  int64_t augment;      /* 1, or 8: the symmetries of the square, of which the best counts */
  int64_t batch;        /* most instances at once, fewer where memory asks for it; 0: what suits */
  uint64_t seed;        /* of sampling */
  bool improve;         /* rollouts by local search; from [search] */
  int64_t improve_rollouts; /* of each instance; 0: all */
  const int64_t *fixed;     /* (fixed_count) nodes that tours begin with, as solutions count them:
                               from 1, with a depot customers from 1 and 0 for the depot */
  int64_t fixed_count;      /* 0: none */
  int64_t beam;             /* width of a beam search beside the rollouts; 0: none */
  int64_t reconstruct;      /* rounds in which stretches of the best tours are decoded again */
  int64_t kicks;            /* of the best tour of each instance */
  double time_limit; /* seconds of reconstruction and kicks for each instance; 0: as they take */
  double deadline; /* seconds of each instance for everything, construction too, which gets half of
                      them and is cut off then (short_time.h); a batch of B instances on t threads
                      has it ceil(B / t) times. 0: none */
  bool keep_interrupted; /* after an interruption the receiver gets the best that was found */
  const edgefw__eval_beside *beside; /* the policy; NULL: nothing is */
  const edgefw__eval_watch *watch;   /* of sets of one instance; NULL: nobody looks */
  edgefw__warm *warm; /* what stays from one evaluation of this model to the next; NULL: nothing */
  int64_t chunk; /* instances that the ranks of the model's group take at once from their counter,
                    which is at `base`: rank 0 gets all answers (eval/team.h). 0: this rank does all
                    of them */
  int64_t base;
  int64_t first, end; /* only the instances first .. end - 1 of each set; end = 0: all */
} edgefw__eval_settings;

/* What the tours of a set use of forbidden arcs. */
typedef struct edgefw__eval_forbidden {
  int64_t tours, arcs; /* tours that use some, arcs in all */
  double price;        /* of each in the last such tour; it is in the tour's cost */
} edgefw__eval_forbidden;

typedef struct edgefw__eval_result {
  int64_t instances;
  double objective; /* mean over the instances of the best tour's cost, as the checker priced it */
  double constructed; /* the same of the best tour before any search; as it was added up there */
  double plain_objective; /* the same without augmentation */
  double length; /* library files with a rounding rule: real length of the best tour, else NaN */
  edgefw__eval_forbidden forbidden;
  bool out_of_time; /* a limit cut something off that was asked for; after INFEASIBLE this is said,
                       too. Kicks that go on until the limit are not cut off by it */
  bool has_reference;
  edgefw__reference_kind reference_kind; /* UNKNOWN without any */
  double reference;                      /* mean reference cost */
  double gap_percent;      /* 100 * (objective - reference) / reference: the ratio of means */
  double mean_gap_percent; /* mean of the instances' own gaps */
  int64_t starts;          /* tours of an instance that a composition's heuristics made, at most */
  double seconds;          /* wall clock of construction and search, loading apart */
  double search_seconds;   /* of them on improvement and kicks */
} edgefw__eval_result;

/* Where solutions come from that no heuristic made. */
#define EDGEFW__ORIGIN_POLICY "policy"
#define EDGEFW__ORIGIN_START  "start"

/* The best solution of one instance. */
typedef struct edgefw__eval_answer {
  int64_t instance;    /* its number in the set */
  const int32_t *tour; /* (count) nodes in order of visit, valid during the call. A closed tour
                          begins with what is fixed, else at node 0, or at stops->depot of the set,
                          routes at the depot; what fills them up is left out */
  int64_t count;
  double cost;        /* as the checker priced it */
  double plain;       /* the best length without augmentation, as the decoder added it up */
  double constructed; /* the best length before any search, likewise */
  const char *origin; /* whose tour it was in the beginning: a heuristic's name, or one of
                         EDGEFW__ORIGIN_ */
  double length;      /* library files with a rounding rule: real length, else NaN */
  double reference;   /* NaN where there is none */
  edgefw__reference_kind reference_kind; /* UNKNOWN where there is none */
  double gap_percent; /* 100 * (cost - reference) / reference; NaN where there is none */
  double seconds; /* of construction and search in its batch, divided by the batch's instances */
  int64_t forbidden_arcs; /* that the tour uses */
  double forbidden_price; /* of each, in the cost; 0 without any */
} edgefw__eval_answer;

/* Takes the answers of a set, one by one in the order of its instances; a failure ends the
 * evaluation. */
typedef edgefw_status (*edgefw__eval_receiver)(void *user, const edgefw__eval_answer *answer);

/* Called after every batch with instances done and seconds so far. May be NULL. */
typedef void (*edgefw__eval_observer)(void *user, int64_t done, int64_t count, double seconds);

/* Settings as the composition's [eval] and [search] sections have them. */
edgefw__eval_settings edgefw__eval_settings_from(const edgefw__composition *composition);

/* Say in the log if results will depend on how fast the machine is. */
void edgefw__eval_settings_tell(edgefw_context *ctx, const edgefw__eval_settings *settings);

/* Sets of the composition's [eval] and [data] sections, in the order of the config (sizes, then
 * files): array in `arena`. Library files are opened to learn their names and sizes. */
EDGEFW_NODISCARD edgefw_status edgefw__eval_sets(edgefw_context *ctx, edgefw_arena *arena,
                                                 const edgefw__composition *composition,
                                                 edgefw__instance_set **out, int *count);

/* The set of one library file, which is read to learn its name and size. With `keep` its numbers
 * stay in `arena`, and evaluating the set reads it no more; else they are forgotten. `path` and
 * `arena` outlive the set. IO, FORMAT, UNSUPPORTED. */
EDGEFW_NODISCARD edgefw_status edgefw__eval_file_set(edgefw_context *ctx, edgefw_arena *arena,
                                                     const edgefw__composition *composition,
                                                     const char *path, bool keep,
                                                     edgefw__instance_set *out);

/* The set of the instances of another program's file (data/instance_file.h), which is read once and
 * stays in `arena`. `options` may be NULL. As edgefw__instance_file_read. */
EDGEFW_NODISCARD edgefw_status edgefw__eval_instance_set(edgefw_context *ctx, edgefw_arena *arena,
                                                         const edgefw__composition *composition,
                                                         const char *path,
                                                         const edgefw__instance_options *options,
                                                         edgefw__instance_set *out);

/* The set of all instances of a dataset file, called like the file. IO, FORMAT, UNSUPPORTED. */
EDGEFW_NODISCARD edgefw_status edgefw__eval_dataset_set(edgefw_context *ctx, edgefw_arena *arena,
                                                        const edgefw__composition *composition,
                                                        const char *path,
                                                        edgefw__instance_set *out);

/* How many instances of the set are worked on at once: settings->batch, or fewer where their number
 * or memory asks for it. With 0 64, or, on a device with memory of its own, enough to fill it.
 * OUT_OF_MEMORY if there is no room for even one (eval_batch.c). */
EDGEFW_NODISCARD edgefw_status edgefw__eval_batch(edgefw__model *model,
                                                  const edgefw__instance_set *set,
                                                  const edgefw__eval_settings *settings,
                                                  int64_t *batch);

/* The same, and whether the set is decoded by a policy at all: not where heuristics construct, and
 * not where the policy is optional and does not fit (edgefw__eval_beside). */
EDGEFW_NODISCARD edgefw_status edgefw__eval_plan(edgefw__model *model,
                                                 const edgefw__instance_set *set,
                                                 const edgefw__eval_settings *settings,
                                                 int64_t *batch, bool *decodes);

/* Say in the log that the set has heuristics alone because of the recorded failure, and forget it.
 */
void edgefw__eval_leave_out(edgefw_context *ctx, const edgefw__instance_set *set);

/* The same where heuristics construct, whose tours' memory is bounded: one at least. `starts` as
 * the heuristics'. */
int64_t edgefw__eval_constructing_batch(const edgefw__composition *composition, int64_t n,
                                        int64_t starts, int64_t asked);

/* Bytes of a batch of n nodes with the tours of `starts` starts (0: all), where heuristics
 * construct.
 */
size_t edgefw__eval_constructing_bytes(const edgefw__composition *composition, int64_t n,
                                       int64_t starts, int64_t batch);

/* Instances at once before anybody looks at memory. */
int64_t edgefw__eval_batch_asked(const edgefw__model *model, const edgefw__instance_set *set,
                                 const edgefw__eval_settings *settings);

/* Evaluate one set, by the model's policy, or by the heuristics of its composition, of which clip,
 * select, samples and augment say nothing. Every best tour is checked and priced by the problem's
 * checker; a price that differs from the decoder's length by more than 1e-9 relative is
 * CHECK_FAILED. A batch for which a device with memory of its own has no room is tried again by
 * halves; results are the same. INTERRUPTED when the context says so, with
 * settings->keep_interrupted after the receiver has got the best solutions that the batch had by
 * then, checked and priced, if there are any. `receiver` (may be NULL) gets the answers of each
 * batch when it is done. INFEASIBLE, at the end, if instances of a file of stops lack ways
 * (missing_ways.h): the receiver gets the others. */
EDGEFW_NODISCARD edgefw_status
edgefw__evaluate(edgefw__model *model, const edgefw__instance_set *set,
                 const edgefw__eval_settings *settings, edgefw__eval_observer observer, void *user,
                 edgefw__eval_result *out, edgefw__eval_receiver receiver, void *receiver_user);

#endif
