/* What crosses between ranks: state, gradients, squares, figures.
 * labels: train threads */
#include "support/test.h"

#include <stdlib.h>

#include "support/check.h"
#include "support/tiny_model.h"
#include "support/toy_ranks.h"
#include "train/share.h"

enum { MAKERS = 2, INSTANCES = 11, SLICE = 2 };

typedef edgefw_status (*action)(edgefw__share *share);

/* Where the device's numbers lie: with the host, or apart, from where they cross by a copy in the
 * host's memory or straight. */
typedef enum way { WITH_HOST, BY_COPY, STRAIGHT } way;

typedef struct job {
  action act;
  way way;
  int exchanges; /* that STRAIGHT needs */
} job;

static _Thread_local const edgefw_communicator *whole;
static _Thread_local int straight; /* exchanges between devices */

static edgefw_status exchange_straight(edgefw_ranks *ranks, const edgefw_exchange *parts) {
  ++straight;
  return whole->exchange(ranks, parts);
}

static edgefw_status some_memory(edgefw_device *device, size_t *free_bytes, size_t *total) {
  (void)device;
  *free_bytes = *total = (size_t)1 << 30;
  return EDGEFW_OK;
}

static edgefw_status fault(const edgefw__share *s, const char *what) {
  return edgefw_fail(s->group->ctx, EDGEFW_INTERNAL, "%s", what);
}

/* A share of a model whose numbers depend on the rank, for an action. */
static edgefw_status with_share(edgefw__group *group, void *user) {
  const job *j = user;
  tiny_model tiny;
  edgefw__share share = {.model = NULL};
  edgefw_context *own = group->ctx;
  tiny_open(&tiny, TINY_OURS, "reference64", (uint64_t)group->rank, true);
  group->ctx = tiny.ctx;
  tiny.engine.group = group;
  whole = group->communicator;
  straight = 0;
  edgefw_communicator reaching = *whole;
  reaching.exchange_on_device = exchange_straight;
  if (j->way == STRAIGHT) group->communicator = &reaching;
  const edgefw_kernels *kernels = tiny.engine.kernels;
  edgefw_kernels apart = *kernels;
  apart.memory = some_memory;
  if (j->way != WITH_HOST) tiny.engine.kernels = &apart;
  edgefw_status status = edgefw__share_begin(tiny.model, &share);
  if (status == EDGEFW_OK) status = j->act(&share);
  if (status == EDGEFW_OK && straight != (j->way == STRAIGHT ? j->exchanges : 0))
    status = fault(&share, "numbers took another way");
  if (status != EDGEFW_OK) status = edgefw_fail(own, status, "%s", edgefw_message(tiny.ctx));
  edgefw__share_end(&share);
  group->communicator = whole;
  tiny.engine.kernels = kernels;
  tiny_close(&tiny);
  group->ctx = own;
  return status;
}

static void on_ranks(int ranks, action act, int exchanges) {
  for (way w = WITH_HOST; w <= STRAIGHT; ++w) {
    job jobs[8];
    for (int r = 0; r < ranks; ++r) jobs[r] = (job){act, w, exchanges};
    toy_ranks_run(ranks, with_share, jobs, sizeof *jobs);
  }
}

/* Parameters and moments of rank 0 go out, and come back as each rank has changed its part. */
static edgefw_status state_goes_round(edgefw__share *s) {
  edgefw__parameters *parameters = s->model->parameters;
  const bool leads = s->group->rank == 0;
  double *values = parameters->values, *m = parameters->first_moment;
  for (int64_t p = 0; leads && p < parameters->total; ++p) values[p] = m[p] = (double)p;
  edgefw_status status = edgefw__share_spread(s);
  if (status != EDGEFW_OK) return status;
  for (int64_t p = 0; p < parameters->total; ++p)
    if (values[p] != (double)p) return fault(s, "parameters differ");
  if (!leads && parameters->moment_count != s->part.count) return fault(s, "too many moments");
  for (int64_t p = s->part.begin; p < s->part.begin + s->part.count; ++p) {
    double *moment = edgefw__parameters_moment(parameters, parameters->first_moment, p);
    if (*moment != (double)p) return fault(s, "moments differ");
    *moment += 0.5;
    values[p] += 0.25;
  }
  status = edgefw__share_gather(s);
  if (status == EDGEFW_OK) status = edgefw__share_collect(s);
  m = parameters->first_moment;
  for (int64_t p = 0; status == EDGEFW_OK && p < parameters->total; ++p) {
    if (values[p] != (double)p + 0.25) return fault(s, "parts of parameters differ");
    if (leads && m[p] != (double)p + 0.5) return fault(s, "parts of moments differ");
  }
  return status;
}

/* Two rounds of two makers each; the sum is taken in their order. */
static edgefw_status gradients_add_up_in_order(edgefw__share *s) {
  static const double slices[] = {1e16, 1.0, -1e16, 3.0};
  const int64_t total = s->model->parameters->total;
  double *gradients = s->model->parameters->gradients, expected = 0.0;
  edgefw_status status = EDGEFW_OK;
  for (int round = 0; status == EDGEFW_OK && round < 2; ++round) {
    for (int64_t p = 0; s->group->rank < MAKERS && p < total; ++p)
      gradients[p] = slices[round * MAKERS + s->group->rank];
    status = edgefw__share_add(s, MAKERS, round == 0);
  }
  for (int i = 0; i < 4; ++i) expected += slices[i];
  for (int64_t p = 0; p < s->part.count; ++p)
    if (((double *)s->sum)[p] != expected) return fault(s, "the sum differs");
  return status;
}

static edgefw_status figures_reach_rank_0(edgefw__share *s) {
  double figures[INSTANCES], squares[EDGEFW__SLICE_BLOCKS];
  const int64_t block = edgefw__slice_block(s->model->parameters->total);
  for (int64_t b = 0; b < INSTANCES; ++b)
    figures[b] = b / SLICE % s->group->ranks == s->group->rank ? (double)(b + 1) : -1.0;
  for (int64_t b = 0; b < EDGEFW__SLICE_BLOCKS; ++b) {
    const bool mine = b * block >= s->part.begin && b * block < s->part.begin + s->part.count;
    squares[b] = mine ? (double)b : 0.0;
  }
  edgefw_status status = edgefw__share_figures(s, SLICE, INSTANCES, figures);
  if (status == EDGEFW_OK) status = edgefw__share_squares(s, squares);
  for (int64_t b = 0; s->group->rank == 0 && b < INSTANCES; ++b)
    if (figures[b] != (double)(b + 1)) return fault(s, "figures differ");
  for (int64_t b = 0; b * block < s->model->parameters->total; ++b)
    if (squares[b] != (double)b) return fault(s, "squares differ");
  return status;
}

static void two_and_more_ranks(void **state) {
  (void)state;
  for (int ranks = 2; ranks <= 5; ranks += 1) {
    on_ranks(ranks, state_goes_round, 1);
    on_ranks(ranks, gradients_add_up_in_order, 2);
    on_ranks(ranks, figures_reach_rank_0, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(two_and_more_ranks)};
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
