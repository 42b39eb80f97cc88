/* The policy as a whole: gradients against differences, symmetries, optimality bounds, and the same
 * results whatever the threads and the batches.
 * labels: threads rollout oom */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "edgefw/rng.h"
#include "support/check.h"
#include "support/failing_allocator.h"
#include "support/tiny_model.h"
#include "train/objectives/reinforce.h"
#include "train/train.h"

static const char *const devices[] = {"reference64", "reference", "cpu"};
enum { DEVICES = sizeof devices / sizeof *devices };

/* --- Gradients --- */

/* Mean over the instances of the loss of the request's tours. */
static double loss_of(tiny_model *tiny, edgefw__policy *policy, const edgefw__batch *batch,
                      const edgefw__rollout_request *request) {
  tiny_ok(tiny, edgefw__policy_run(policy, batch, request));
  double loss = 0.0;
  for (int64_t b = 0; b < batch->count; ++b) loss += policy->losses[b] / (double)batch->count;
  return loss;
}

/* Four-point differences of up to `MOST` entries, spread over parameter `index`. */
static void check_parameter(tiny_model *tiny, edgefw__policy *policy, const edgefw__batch *batch,
                            const edgefw__rollout_request *request, int index,
                            const double *gradient) {
  enum { MOST = 20 };
  const edgefw__parameters *parameters = tiny->model->parameters;
  const edgefw__parameter *item = &parameters->items[index];
  double *values = edgefw__parameters_at(parameters, parameters->values, index);
  const double step = 1e-5;
  const int64_t stride = item->count > MOST ? item->count / MOST : 1;
  for (int64_t e = 0; e < item->count; e += stride) {
    const double kept = values[e];
    double at[5] = {0.0};
    for (int p = -2; p <= 2; ++p) {
      values[e] = kept + p * step;
      if (p != 0) at[p + 2] = loss_of(tiny, policy, batch, request);
    }
    values[e] = kept;
    const double slope = (8.0 * (at[3] - at[1]) - (at[4] - at[0])) / (12.0 * step);
    check_close(gradient[item->offset + e], slope, 1e-8, 1e-6, item->name);
  }
}

static void check_gradient(const char *text, const edgefw__objective *objective) {
  tiny_model tiny;
  tiny_open(&tiny, text, "reference64", 5, true);
  edgefw__batch *batch = tiny_batch(&tiny, 5, 77, 0, 2);
  edgefw__policy *policy = tiny_policy(&tiny, 2, 5, true);
  const edgefw__parameters *parameters = tiny.model->parameters;
  edgefw__rollout_request request = {
      .clip = 10.0, .select = EDGEFW_SELECT_SAMPLE, .sample_seed = 9, .objective = objective};
  tiny_ok(&tiny, edgefw__policy_run(policy, batch, &request));
  /* From here on the sampled tours are given: the loss is a smooth function of the parameters. */
  int32_t tours[2 * 5 * 5];
  memcpy(tours, policy->tours, sizeof tours);
  request.select = EDGEFW_SELECT_FORCED;
  request.tours = tours;
  memset(parameters->gradients, 0, (size_t)parameters->total * sizeof(double));
  loss_of(&tiny, policy, batch, &request);
  double *gradient = tiny_download(&tiny, parameters->gradients, parameters->total);
  for (int i = 0; i < parameters->item_count; ++i)
    check_parameter(&tiny, policy, batch, &request, i, gradient);
  free(gradient);
  edgefw__policy_destroy(policy);
  edgefw__batch_destroy(tiny.ctx, batch);
  tiny_close(&tiny);
}

static void gradients_of_the_loss_agree_with_differences(void **state) {
  (void)state;
  check_gradient(TINY_OURS, &edgefw__reinforce);
}

static void gradients_agree_for_the_other_advantage(void **state) {
  (void)state;
  check_gradient(TINY_PLAIN, &edgefw__reinforce_max);
}

/* --- Symmetries --- */

/* Node i of the permuted instance is node order[i] of the original. */
static edgefw__batch *permuted(tiny_model *tiny, const edgefw__batch *batch, const int *order) {
  edgefw__batch *out = tiny_batch(tiny, batch->n, 1, 0, batch->count);
  const int64_t n = batch->n;
  for (int64_t b = 0; b < batch->count; ++b)
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j)
        out->data[0][(b * n + i) * n + j] = batch->data[0][(b * n + order[i]) * n + order[j]];
  memcpy(out->ids, batch->ids, (size_t)batch->count * sizeof *batch->ids);
  return out;
}

static void renumbered_nodes_permute_everything(void **state) {
  (void)state;
  enum { N = 7, WIDTH = 8 };
  static const int order[N] = {3, 0, 6, 1, 5, 2, 4};
  tiny_model tiny;
  tiny_open(&tiny, TINY_OURS, "reference64", 5, false);
  edgefw__batch *batch = tiny_batch(&tiny, N, 77, 0, 2);
  edgefw__batch *other = permuted(&tiny, batch, order);
  edgefw__policy *policy = tiny_policy(&tiny, 2, N, false);
  const edgefw__rollout_request greedy = {.clip = 10.0, .objective = &edgefw__reinforce};
  const edgefw__node *encoder = edgefw__graph_node(policy->graph.graph, policy->graph.encoding.key);
  tiny_ok(&tiny, edgefw__policy_run(policy, batch, &greedy));
  double *embeddings = tiny_download(&tiny, encoder->data, 2 * N * WIDTH);
  double lengths[2 * N];
  int32_t tours[2 * N * N];
  memcpy(lengths, policy->lengths, sizeof lengths);
  memcpy(tours, policy->tours, sizeof tours);
  tiny_ok(&tiny, edgefw__policy_run(policy, other, &greedy));
  const double *now = encoder->data;
  for (int b = 0; b < 2; ++b)
    for (int i = 0; i < N; ++i) {
      check_close_f64(now + (b * N + i) * WIDTH, embeddings + (b * N + order[i]) * WIDTH, WIDTH,
                      1e-8, 1e-8, "row of the encoder");
      check_close(policy->lengths[b * N + i], lengths[b * N + order[i]], 1e-12, 1e-12, "length");
      for (int t = 0; t < N; ++t)
        assert_int_equal(order[policy->tours[(b * N + i) * N + t]],
                         tours[(b * N + order[i]) * N + t]);
    }
  free(embeddings);
  edgefw__policy_destroy(policy);
  edgefw__batch_destroy(tiny.ctx, other);
  edgefw__batch_destroy(tiny.ctx, batch);
  tiny_close(&tiny);
}

/* --- Bounds --- */

/* Cost of the best tour: all orders of nodes 1 .. n-1 behind node 0. */
static double optimum(const double *cost, int n, int32_t *tour, int placed, double length,
                      double best) {
  if (placed == n) return fmin(best, length + cost[tour[n - 1] * n + tour[0]]);
  for (int k = placed; k < n; ++k) {
    const int32_t next = tour[k], swapped = tour[placed];
    tour[k] = swapped;
    tour[placed] = next;
    best = optimum(cost, n, tour, placed + 1, length + cost[tour[placed - 1] * n + next], best);
    tour[placed] = swapped;
    tour[k] = next;
  }
  return best;
}

static void check_bounds(tiny_model *tiny, int64_t n, edgefw_select select) {
  const edgefw_problem *problem = &tiny->composition->problem->vtable.problem;
  edgefw__batch *batch = tiny_batch(tiny, n, 31, (uint64_t)n, 3);
  edgefw__policy *policy = tiny_policy(tiny, 3, n, false);
  const edgefw__rollout_request request = {
      .clip = 10.0, .select = select, .sample_seed = 4, .objective = &edgefw__reinforce};
  tiny_ok(tiny, edgefw__policy_run(policy, batch, &request));
  for (int64_t b = 0; b < 3; ++b) {
    const edgefw_instance instance = edgefw__batch_instance(batch, b);
    int32_t order[9];
    for (int i = 0; i < n; ++i) order[i] = i;
    const double best = optimum(instance.data[0], (int)n, order, 1, 0.0, HUGE_VAL);
    for (int64_t s = 0; s < n; ++s) {
      const int32_t *tour = policy->tours + (b * n + s) * n;
      double price = 0.0;
      tiny_ok(tiny, problem->check(tiny->ctx, tiny->composition->problem_options, &instance, tour,
                                   n, &price));
      assert_int_equal(tour[0], s);
      check_close(policy->lengths[b * n + s], price, 0.0, 1e-12, "price of a tour");
      assert_true(price >= best - 1e-9);
    }
  }
  edgefw__policy_destroy(policy);
  edgefw__batch_destroy(tiny->ctx, batch);
}

static void no_tour_is_shorter_than_the_optimum(void **state) {
  (void)state;
  for (int d = 0; d < DEVICES; ++d) {
    if (!tiny_has_device(devices[d])) continue;
    tiny_model tiny;
    tiny_open(&tiny, TINY_OURS, devices[d], 5, false);
    for (int64_t n = 2; n <= 8; ++n) {
      check_bounds(&tiny, n, EDGEFW_SELECT_GREEDY);
      check_bounds(&tiny, n, EDGEFW_SELECT_SAMPLE);
    }
    check_bounds(&tiny, 9, EDGEFW_SELECT_GREEDY);
    tiny_close(&tiny);
  }
}

/* All costs equal: nothing to tell the nodes apart, and still tours. */
static void equal_costs_give_tours(void **state) {
  (void)state;
  enum { N = 5 };
  for (int d = 0; d < DEVICES; ++d) {
    if (!tiny_has_device(devices[d])) continue;
    tiny_model tiny;
    tiny_open(&tiny, TINY_OURS, devices[d], 5, false);
    edgefw__batch *batch = tiny_batch(&tiny, N, 1, 0, 2);
    for (int e = 0; e < 2 * N * N; ++e) {
      const bool diagonal = e % (N * N) % (N + 1) == 0;
      batch->data[0][e] = diagonal || e < N * N ? 0.0 : 7.0; /* the first instance is all 0 */
    }
    edgefw__policy *policy = tiny_policy(&tiny, 2, N, false);
    tiny_ok(&tiny, edgefw__policy_run(
                       policy, batch,
                       &(edgefw__rollout_request){.clip = 10.0, .objective = &edgefw__reinforce}));
    for (int s = 0; s < N; ++s) {
      assert_true(policy->lengths[s] == 0.0);
      assert_true(policy->lengths[N + s] == 35.0);
    }
    check_finite_f64(policy->log_probability, 2 * N, "log-probability");
    edgefw__policy_destroy(policy);
    edgefw__batch_destroy(tiny.ctx, batch);
    tiny_close(&tiny);
  }
}

/* --- The same results --- */

/* Tours of instances 0 .. 6, `cut` at a time: (7,N,N). */
static int32_t *tours_in_cuts(tiny_model *tiny, int64_t n, int64_t cut, edgefw_select select) {
  edgefw__policy *policy = tiny_policy(tiny, cut, n, false);
  int32_t *tours = malloc((size_t)(7 * n * n) * sizeof *tours);
  assert_non_null(tours);
  for (int64_t first = 0; first < 7; first += cut) {
    const int64_t count = first + cut <= 7 ? cut : 7 - first;
    edgefw__batch *batch = tiny_batch(tiny, n, 21, (uint64_t)first, count);
    const edgefw__rollout_request request = {
        .clip = 10.0, .select = select, .sample_seed = 4, .objective = &edgefw__reinforce};
    tiny_ok(tiny, edgefw__policy_run(policy, batch, &request));
    memcpy(tours + first * n * n, policy->tours, (size_t)(count * n * n) * sizeof *tours);
    edgefw__batch_destroy(tiny->ctx, batch);
  }
  edgefw__policy_destroy(policy);
  return tours;
}

static void batches_do_not_matter(void **state) {
  (void)state;
  for (int d = 0; d < DEVICES; ++d) {
    if (!tiny_has_device(devices[d])) continue;
    tiny_model tiny;
    tiny_open(&tiny, TINY_OURS, devices[d], 5, false);
    edgefw_set_threads(tiny.ctx, 2);
    for (int select = EDGEFW_SELECT_GREEDY; select <= EDGEFW_SELECT_SAMPLE; ++select) {
      int32_t *one = tours_in_cuts(&tiny, 9, 1, (edgefw_select)select);
      int32_t *three = tours_in_cuts(&tiny, 9, 3, (edgefw_select)select); /* the last has one */
      int32_t *all = tours_in_cuts(&tiny, 9, 7, (edgefw_select)select);
      check_same_bits(three, all, 7 * 81 * sizeof *all, "tours of batches of 3");
      check_same_bits(one, all, 7 * 81 * sizeof *all, "tours of batches of 1");
      free(one);
      free(three);
      free(all);
    }
    tiny_close(&tiny);
  }
}

/* Parameters after three steps. */
static double *trained(const char *device, int threads, int64_t *total) {
  tiny_model tiny;
  tiny_open(&tiny, TINY_OURS, device, 5, true);
  edgefw_set_threads(tiny.ctx, threads);
  edgefw__policy *policy = tiny_policy(&tiny, 5, 8, true);
  const edgefw__rollout_request request = {.clip = 10.0,
                                           .select = EDGEFW_SELECT_SAMPLE,
                                           .sample_seed = 6,
                                           .objective = &edgefw__reinforce};
  for (int step = 0; step < 3; ++step) {
    edgefw__batch *batch = tiny_batch(&tiny, 8, 3, (uint64_t)(5 * step), step == 2 ? 3 : 5);
    double norm = 0.0;
    tiny_ok(&tiny, edgefw__train_step(policy, batch, &request, step + 1, 1e-3, &norm));
    edgefw__batch_destroy(tiny.ctx, batch);
  }
  *total = tiny.model->parameters->total;
  double *values = tiny_download(&tiny, tiny.model->parameters->values, *total);
  edgefw__policy_destroy(policy);
  tiny_close(&tiny);
  return values;
}

static void threads_do_not_matter(void **state) {
  (void)state;
  for (int d = 0; d < DEVICES; ++d) {
    if (!tiny_has_device(devices[d])) continue;
    int64_t total = 0;
    double *one = trained(devices[d], 1, &total), *two = trained(devices[d], 2, &total);
    check_same_bits(two, one, (size_t)total * sizeof *one, "two threads");
    free(one);
    free(two);
  }
}

/* --- Memory --- */

static void rollouts_are_capped_by_the_nodes(void **state) {
  (void)state;
  tiny_model tiny;
  tiny_open(&tiny, TINY_OURS, "reference", 5, false);
  assert_int_equal(edgefw__policy_rollouts(tiny.model, 10, 0), 10);
  assert_int_equal(edgefw__policy_rollouts(tiny.model, 10, 4), 4);
  assert_int_equal(edgefw__policy_rollouts(tiny.model, 10, 40), 10);
  tiny_close(&tiny);
}

static void fewer_rollouts_are_the_first_ones(void **state) {
  (void)state;
  enum { N = 6 };
  tiny_model tiny;
  tiny_open(&tiny, TINY_OURS, "reference", 5, false);
  edgefw__batch *batch = tiny_batch(&tiny, N, 77, 0, 1);
  edgefw__policy *all = tiny_policy(&tiny, 1, N, false), *two = NULL;
  tiny_ok(&tiny, edgefw__policy_create(tiny.model, 1, N, 2, false, &two));
  const edgefw__rollout_request request = {.clip = 10.0,
                                           .select = EDGEFW_SELECT_SAMPLE,
                                           .sample_seed = 8,
                                           .objective = &edgefw__reinforce};
  tiny_ok(&tiny, edgefw__policy_run(all, batch, &request));
  tiny_ok(&tiny, edgefw__policy_run(two, batch, &request));
  assert_int_equal(two->rollouts, 2);
  check_same_bits(two->tours, all->tours, 2 * N * sizeof(int32_t), "tours");
  edgefw__policy_destroy(all);
  edgefw__policy_destroy(two);
  edgefw__batch_destroy(tiny.ctx, batch);
  tiny_close(&tiny);
}

/* Nothing of what these requests ask for is decoded. */
static void requests_that_cannot_be_met_are_refused(void **state) {
  (void)state;
  enum { N = 6, MANY = N + 1 };
  tiny_model tiny;
  tiny_open(&tiny, TINY_OURS, "reference", 5, false);
  edgefw__batch *batch = tiny_batch(&tiny, N, 77, 0, 1);
  edgefw__policy *many = NULL;
  tiny_ok(&tiny, edgefw__policy_create(tiny.model, 1, N, MANY, false, &many));
  assert_int_equal(many->rollouts, MANY);
  edgefw__rollout_request request = {.clip = 10.0, .select = EDGEFW_SELECT_GREEDY};
  assert_int_equal(edgefw__policy_run(many, batch, &request), EDGEFW_INVALID_ARGUMENT);
  assert_non_null(strstr(edgefw_message(tiny.ctx), "7 rollouts of 6 nodes have 6 nodes to start"));
  edgefw_clear(tiny.ctx);
  int32_t tours[MANY * N], given[MANY];
  for (int r = 0; r < MANY; ++r) {
    given[r] = 1 + r % N;
    for (int t = 0; t < N; ++t) tours[r * N + t] = (r + t) % N;
  }
  request.given = given;
  assert_int_equal(edgefw__policy_run(many, batch, &request), EDGEFW_INTERNAL); /* no tours */
  edgefw_clear(tiny.ctx);
  request.tours = tours;
  given[3] = N + 1;
  assert_int_equal(edgefw__policy_run(many, batch, &request), EDGEFW_INVALID_ARGUMENT);
  assert_non_null(strstr(edgefw_message(tiny.ctx), "rollout 3: 7 entries"));
  edgefw_clear(tiny.ctx);
  given[3] = 1;
  request.stop = (edgefw_decode_stop){.early = true, .best = 1};
  assert_int_equal(edgefw__policy_run(many, batch, &request), EDGEFW_INTERNAL); /* no room */
  edgefw_clear(tiny.ctx);
  request.stop = (edgefw_decode_stop){.early = false};
  tiny_ok(&tiny, edgefw__policy_run(many, batch, &request));
  for (int r = 0; r < MANY; ++r)
    check_same_bits(many->tours + r * N, tours + r * N, (size_t)given[r] * sizeof *tours, "given");
  edgefw__policy_destroy(many);
  edgefw__batch_destroy(tiny.ctx, batch);
  tiny_close(&tiny);
}

static void bytes_grow_with_everything(void **state) {
  (void)state;
  tiny_model tiny;
  tiny_open(&tiny, TINY_OURS, "reference", 5, false);
  edgefw__memory base = {0}, more = {0};
  tiny_ok(&tiny, edgefw__policy_bytes(tiny.model, 4, 20, 0, false, &base));
  assert_true(base.host > 4 * 20 * 20 * sizeof(double));
  tiny_ok(&tiny, edgefw__policy_bytes(tiny.model, 8, 20, 0, false, &more));
  assert_true(more.host > base.host);
  tiny_ok(&tiny, edgefw__policy_bytes(tiny.model, 4, 40, 0, false, &more));
  assert_true(more.host > 2 * base.host);
  tiny_ok(&tiny, edgefw__policy_bytes(tiny.model, 4, 20, 0, true, &more));
  assert_true(more.host > base.host);
  tiny_ok(&tiny, edgefw__policy_bytes(tiny.model, 4, 20, 1, false, &more));
  assert_true(more.host < base.host);
  assert_int_equal(base.device, 0);
  tiny_close(&tiny);
}

/* Policy and one training step; the model, the batch and the device are there already. */
static edgefw_status step_once(tiny_model *tiny, const edgefw__batch *batch) {
  edgefw__policy *policy = NULL;
  double norm = 0.0;
  const edgefw__rollout_request request = {
      .clip = 10.0, .select = EDGEFW_SELECT_SAMPLE, .objective = &edgefw__reinforce};
  edgefw_status status = edgefw__policy_create(tiny->model, 3, 6, 0, true, &policy);
  if (status == EDGEFW_OK) status = edgefw__train_step(policy, batch, &request, 1, 1e-3, &norm);
  edgefw__policy_destroy(policy);
  return status;
}

/* A device may keep scratch memory until it is destroyed, so each attempt has its own. */
static bool attempt(const char *device, int64_t allowed) {
  failing_allocator memory;
  tiny_model tiny;
  const edgefw_allocator allocator = failing_allocator_begin(&memory, FAILING_ALLOCATOR_NEVER);
  tiny_begin(&tiny, &allocator, TINY_OURS, device);
  tiny_ok(&tiny, edgefw__model_create(&tiny.engine, tiny.composition, 1, true, &tiny.model));
  edgefw__batch *batch = tiny_batch(&tiny, 6, 1, 0, 3);
  failing_allocator_arm(&memory, allowed);
  const edgefw_status status = step_once(&tiny, batch);
  failing_allocator_disarm(&memory);
  const bool failed = failing_allocator_failed(&memory);
  if (failed)
    tiny_fails(&tiny, status, EDGEFW_OUT_OF_MEMORY, "out of memory");
  else
    tiny_ok(&tiny, status);
  edgefw__batch_destroy(tiny.ctx, batch);
  tiny_close(&tiny);
  assert_int_equal(failing_allocator_live(&memory), 0);
  return !failed;
}

static void every_allocation_of_a_step_may_fail(void **state) {
  (void)state;
  for (int d = 1; d < DEVICES; ++d) {
    if (!tiny_has_device(devices[d])) continue;
    int64_t allowed = 0;
    while (!attempt(devices[d], allowed)) ++allowed;
    assert_true(allowed > 5);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gradients_of_the_loss_agree_with_differences),
      cmocka_unit_test(gradients_agree_for_the_other_advantage),
      cmocka_unit_test(renumbered_nodes_permute_everything),
      cmocka_unit_test(no_tour_is_shorter_than_the_optimum),
      cmocka_unit_test(equal_costs_give_tours),
      cmocka_unit_test(batches_do_not_matter),
      cmocka_unit_test(threads_do_not_matter),
      cmocka_unit_test(rollouts_are_capped_by_the_nodes),
      cmocka_unit_test(fewer_rollouts_are_the_first_ones),
      cmocka_unit_test(requests_that_cannot_be_met_are_refused),
      cmocka_unit_test(bytes_grow_with_everything),
      cmocka_unit_test(every_allocation_of_a_step_may_fail),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
