/* An evaluation while it goes on; core/eval only. */
#ifndef EDGEFW__EVALUATION_H
#define EDGEFW__EVALUATION_H

#include "base/context.h"
#include "eval/eval_log.h"
#include "eval/first_tours.h"
#include "eval/prefix.h"
#include "eval/summary.h"

typedef struct edgefw__evaluation {
  edgefw_context *ctx;
  edgefw__model *model;
  const edgefw__instance_set *set;
  const edgefw__eval_settings *settings;
  edgefw__source source;
  edgefw__tour_makers makers;
  bool decodes;           /* a policy takes part */
  bool is_kept;           /* policy and batch belong to settings->warm */
  edgefw__policy *policy; /* NULL where none does */
  edgefw__batch *batch;
  int64_t capacity;         /* instances at once; of policy and batch */
  int64_t steps;            /* entries of a tour */
  edgefw__prefix prefix;    /* what all tours begin with */
  edgefw__incumbents best;  /* of the instances of the batch, room for `capacity` */
  edgefw__repair_end *ends; /* (capacity): how their tours stand with forbidden arcs */
  edgefw__eval_forbidden forbidden;
  double *costs;          /* (count): price of each instance's best tour */
  bool idle;              /* no policy decoded the batch */
  double spent;           /* seconds of an instance's time limit that its first tours took */
  double *plain;          /* of the instances of the batch, room for `capacity`: the best lengths
                             without augmentation */
  int64_t first, end;     /* instances that are asked for, before `end` */
  edgefw__eval_sums sums; /* of those that are done, in their order */
  edgefw__eval_log log;   /* where several ranks share the set */
  double length;          /* real length of the tour of a library file */
  double *reference;      /* (count): reference costs, if there are any */
  bool has_reference;
  double begun;                     /* when the batch was */
  bool out_of_time;                 /* a limit cut something off that was asked for */
  bool interrupted;                 /* the batch has what was found before that */
  int64_t unsolved;                 /* instances that lack ways; their costs are NaN */
  char fault[EDGEFW__MESSAGE_SIZE]; /* what the first one lacks */
  edgefw__eval_receiver receiver;   /* NULL: none */
  void *receiver_user;
} edgefw__evaluation;

/* --- Its batch and its policy (eval_policy.c) --- */

/* How many instances are worked on at once, and whether a policy takes part, as edgefw__eval_plan;
 * or both of them from settings->warm. */
EDGEFW_NODISCARD edgefw_status edgefw__evaluation_plan(edgefw__evaluation *e);

/* The place of batch and policy in settings->warm; NULL: they are not kept. */
edgefw__warm_size *edgefw__evaluation_warm(const edgefw__evaluation *e);

/* Make batch and policy, if one takes part, for e->capacity instances. */
EDGEFW_NODISCARD edgefw_status edgefw__evaluation_open_policy(edgefw__evaluation *e);
void edgefw__evaluation_close_policy(edgefw__evaluation *e);

/* A batch ended with `status`: where a device with memory of its own had no room, close batch and
 * policy, and have half as many instances from now on, or, of one, heuristics alone. Else the
 * status is returned. */
EDGEFW_NODISCARD edgefw_status edgefw__evaluation_shrink(edgefw__evaluation *e,
                                                         edgefw_status status);

/* --- Its parts that ranks share --- */

/* Who made a tour, by the number of its maker. */
const char *edgefw__evaluation_origin(const edgefw__evaluation *e, int64_t maker);

/* Evaluate the instances from `first` on and before `end`, which are among those asked for, batch
 * by batch. As edgefw__evaluate. */
EDGEFW_NODISCARD edgefw_status edgefw__evaluation_range(edgefw__evaluation *e, int64_t first,
                                                        int64_t end, edgefw__eval_observer observer,
                                                        void *user);

/* The same of chunks that the ranks of the model's group take from their counter; `status` is what
 * this rank has come to before. All ranks return the same; rank 0 has all results then
 * (eval/team.c). */
EDGEFW_NODISCARD edgefw_status edgefw__evaluation_share(edgefw__evaluation *e, edgefw_status status,
                                                        edgefw__eval_observer observer, void *user);

#endif
