/* What a file has on its diagonal must not matter: the same embeddings, logits, tours and costs,
 * bit for bit, from the file to the priced tour.
 * labels: rollout */
/* needs plugins: atsp acvrp radar edge closure lookahead rank assignment patch distance_penalty */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "eval/evaluate.h"
#include "data/source.h"
#include "support/check.h"
#include "support/sandbox.h"
#include "support/first_answer.h"
#include "support/tiny_model.h"
#include "train/objectives/reinforce.h"

enum { MOST = 20, WIDTH = 8 };

#define TERMS "edge, closure, lookahead, rank, assignment, patch, distance_penalty"

static const char *const devices[] = {"reference64", "reference", "cpu"};
enum { DEVICES = sizeof devices / sizeof *devices };

/* An instance without its diagonal: whole numbers. */
typedef struct matrix {
  const char *type;
  int n;
  int cost[MOST * MOST];
} matrix;

/* --- Files --- */

/* `all`: the number stands at every node, else at the first alone. */
static const char *write_file(const sandbox *box, const matrix *m, int diagonal, bool all) {
  char text[8192];
  int used = snprintf(text, sizeof text,
                      "NAME: same\nTYPE: %s\nDIMENSION: %d\nEDGE_WEIGHT_TYPE: EXPLICIT\n"
                      "EDGE_WEIGHT_FORMAT: FULL_MATRIX\nEDGE_WEIGHT_SECTION\n",
                      m->type, m->n);
  for (int e = 0; e < m->n * m->n; ++e) {
    const bool own = e % (m->n + 1) == 0, set = own && (all || e == 0);
    used += snprintf(text + used, sizeof text - (size_t)used, "%d\n",
                     set   ? diagonal
                     : own ? 0
                           : m->cost[e]);
  }
  if (strcmp(m->type, "ACVRP") == 0) {
    used += snprintf(text + used, sizeof text - (size_t)used, "CAPACITY: 9\nDEMAND_SECTION\n1 0\n");
    for (int i = 2; i <= m->n; ++i)
      used += snprintf(text + used, sizeof text - (size_t)used, "%d %d\n", i, 1 + i % 5);
    used += snprintf(text + used, sizeof text - (size_t)used, "DEPOT_SECTION\n1\n-1\n");
  }
  snprintf(text + used, sizeof text - (size_t)used, "EOF\n");
  return sandbox_write(box, "same.vrp", text);
}

/* --- Results --- */

/* All that comes of a file. */
typedef struct outcome {
  int64_t n, rollouts, steps;
  double embeddings[MOST * WIDTH], lengths[MOST], cost, objective;
  int32_t tours[MOST * 2 * MOST], best[2 * MOST];
  double logits[MOST * 2 * MOST * MOST]; /* zeroed; floats on devices that have floats */
} outcome;

static void decode(const tiny_model *tiny, const edgefw__instance_set *set, edgefw_select select,
                   outcome *out) {
  const edgefw__composition *composition = tiny->composition;
  edgefw__source source;
  edgefw__batch *batch = NULL;
  edgefw__policy *policy = tiny_policy(tiny, 1, set->n, false);
  tiny_ok(tiny, edgefw__batch_create(tiny->ctx, composition->problem->vtable.problem.fields, 1,
                                     set->n, &batch));
  tiny_ok(tiny, edgefw__source_open(tiny->model->engine, tiny->model->composition, set, &source));
  tiny_ok(tiny, edgefw__source_load(&source, 0, 1, batch));
  const edgefw__rollout_request request = {.clip = 10.0,
                                           .select = select,
                                           .sample_seed = 5,
                                           .logits = out->logits,
                                           .objective = &edgefw__reinforce};
  tiny_ok(tiny, edgefw__policy_run(policy, batch, &request));
  const edgefw__node *encoder = edgefw__graph_node(policy->graph.graph, policy->graph.encoding.key);
  double *embeddings = tiny_download(tiny, encoder->data, set->n * WIDTH);
  out->n = set->n;
  out->rollouts = policy->rollouts;
  out->steps = policy->steps;
  memcpy(out->embeddings, embeddings, (size_t)(set->n * WIDTH) * sizeof(double));
  memcpy(out->lengths, policy->lengths, (size_t)policy->rollouts * sizeof(double));
  memcpy(out->tours, policy->tours,
         (size_t)(policy->rollouts * policy->steps) * sizeof *policy->tours);
  free(embeddings);
  edgefw__source_close(&source);
  edgefw__batch_destroy(tiny->ctx, batch);
  edgefw__policy_destroy(policy);
}

static outcome *outcome_of(const tiny_model *tiny, const char *path, int64_t n,
                           edgefw_select select) {
  const edgefw__instance_set set = {.name = "same", .n = n, .count = 1, .file = path};
  const edgefw__eval_settings settings = {
      .clip = 10.0, .select = select, .samples = 1, .augment = 1, .batch = 1, .seed = 5};
  edgefw__eval_result result;
  outcome *out = calloc(1, sizeof *out);
  assert_non_null(out);
  decode(tiny, &set, select, out);
  first_answer first = {.tour = out->best};
  tiny_ok(tiny, edgefw__evaluate(tiny->model, &set, &settings, NULL, NULL, &result,
                                 first_answer_keep, &first));
  out->cost = first.cost;
  out->objective = result.objective;
  return out;
}

static void check_same(const outcome *a, const outcome *b) {
  check_same_bits(a->embeddings, b->embeddings, sizeof a->embeddings, "embeddings");
  check_same_bits(a->logits, b->logits, sizeof a->logits, "logits");
  check_same_bits(a->tours, b->tours, sizeof a->tours, "tours");
  check_same_bits(a->lengths, b->lengths, sizeof a->lengths, "lengths");
  check_same_bits(a->best, b->best, sizeof a->best, "best tour");
  check_same_bits(&a->cost, &b->cost, sizeof a->cost, "cost");
  check_same_bits(&a->objective, &b->objective, sizeof a->objective, "objective");
}

/* `all` as write_file. */
static void check_matrix(const char *config, const matrix *m, bool all) {
  static const int diagonals[] = {0, 9999, 9999999, 100000000};
  sandbox box;
  sandbox_create(&box);
  for (int k = 0; k < 2 * DEVICES; ++k) {
    if (!tiny_has_device(devices[k / 2])) continue;
    const edgefw_select select = k % 2 ? EDGEFW_SELECT_SAMPLE : EDGEFW_SELECT_GREEDY;
    tiny_model tiny;
    outcome *first = NULL;
    tiny_open(&tiny, config, devices[k / 2], 5, false);
    for (int d = 0; d < 4; ++d) {
      outcome *now = outcome_of(&tiny, write_file(&box, m, diagonals[d], all), m->n, select);
      if (d == 0) {
        first = now;
        assert_true(first->cost > 0.0 && first->embeddings[0] != 0.0);
        continue;
      }
      check_same(now, first);
      free(now);
    }
    free(first);
    tiny_close(&tiny);
  }
  sandbox_remove(&box);
}

/* --- Instances --- */

static void four_nodes(void **state) {
  (void)state;
  const matrix m = {
      "ATSP", 4, {0, 2609, 2564, 2622, 2750, 0, 461, 13, 2795, 45, 0, 58, 2737, 493, 448, 0}};
  check_matrix(TINY_MODEL(TERMS), &m, true);
  check_matrix(TINY_MODEL("") "[backbone]\nattention = softmax\n", &m, true);
}

/* Instance 3 of the generator, in millionths. */
static matrix generated(const char *problem, const char *type, int n) {
  matrix m = {.type = type, .n = n};
  char text[512];
  tiny_model tiny;
  snprintf(text, sizeof text, TINY_ON("%s", ""), problem);
  tiny_begin(&tiny, NULL, text, "reference");
  edgefw__batch *batch = tiny_batch(&tiny, n, 2026, 3, 1);
  for (int e = 0; e < n * n; ++e) m.cost[e] = (int)lround(batch->data[0][e] * 1e6);
  edgefw__batch_destroy(tiny.ctx, batch);
  tiny_close(&tiny);
  return m;
}

static void twenty_generated_nodes(void **state) {
  (void)state;
  const matrix m = generated("atsp", "ATSP", 20);
  check_matrix(TINY_MODEL(TERMS), &m, true);
}

/* At the depot alone, and at all nodes. */
static void a_depot(void **state) {
  (void)state;
  const matrix m = generated("acvrp", "ACVRP", 10);
  check_matrix(TINY_ON("acvrp", TERMS), &m, false);
  check_matrix(TINY_ON("acvrp", TERMS), &m, true);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(four_nodes),
      cmocka_unit_test(twenty_generated_nodes),
      cmocka_unit_test(a_depot),
  };
  return test_run(tests, NULL, NULL);
}
