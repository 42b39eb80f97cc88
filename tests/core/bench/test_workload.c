/* The parts of a workload are the whole. */
#include "support/test.h"

#include <stdlib.h>

#include "bench/workload.h"
#include "support/check.h"
#include "support/tiny_model.h"
#include "train/train.h"

typedef struct fixture {
  tiny_model tiny;
  edgefw__instances instances;
  edgefw__workload work;
} fixture;

static void begin(fixture *f, bool training) {
  double seconds = -1.0;
  *f = (fixture){0};
  tiny_begin(&f->tiny, NULL, TINY_OURS, "reference64");
  tiny_ok(&f->tiny,
          edgefw__instances_open(&f->tiny.engine, f->tiny.composition, 3, 6, &f->instances));
  tiny_ok(&f->tiny, edgefw__instances_generate(&f->instances, &seconds));
  tiny_ok(&f->tiny, edgefw__workload_open(&f->tiny.engine, f->tiny.composition, f->instances.batch,
                                          training, &f->work));
  assert_true(seconds >= 0.0);
}

static void end(fixture *f) {
  edgefw__workload_close(&f->work);
  edgefw__instances_close(&f->instances);
  tiny_close(&f->tiny);
}

static void instances_go_on_where_they_ended(void **state) {
  (void)state;
  fixture f;
  double seconds;
  begin(&f, false);
  assert_int_equal(f.instances.batch->count, 3);
  assert_int_equal(f.instances.batch->ids[2], 2);
  tiny_ok(&f.tiny, edgefw__instances_generate(&f.instances, &seconds));
  assert_int_equal(f.instances.batch->ids[0], 3);
  end(&f);
}

static void encoding_and_decoding_give_the_policys_tours(void **state) {
  (void)state;
  fixture f;
  double encode = -1.0, decode = -1.0, sum = 0.0;
  begin(&f, false);
  tiny_ok(&f.tiny, edgefw__workload_encode(&f.work, &encode));
  tiny_ok(&f.tiny, edgefw__workload_decode(&f.work, &decode));
  assert_true(encode > 0.0 && decode > 0.0);
  for (int i = 0; i < f.work.policy->graph.graph->node_count; ++i) sum += f.work.forward[i];
  assert_true(sum > 0.0 && sum <= encode);
  edgefw__policy *other = NULL;
  tiny_ok(&f.tiny, edgefw__policy_create(f.work.model, 3, 6, 0, false, &other));
  tiny_ok(&f.tiny, edgefw__policy_run(other, f.instances.batch, &f.work.request));
  check_same_bits(f.work.policy->tours, other->tours, 3 * 6 * 6 * sizeof(int32_t), "tours");
  edgefw__policy_destroy(other);
  end(&f);
}

static void the_parts_of_a_step_give_its_gradient(void **state) {
  (void)state;
  fixture f;
  double seconds;
  begin(&f, true);
  const int64_t total = f.work.model->parameters->total;
  double *start = tiny_download(&f.tiny, f.work.model->parameters->values, total);
  for (int twice = 0; twice < 2; ++twice) { /* what is left of the first step is cleared */
    tiny_ok(&f.tiny, edgefw__workload_encode(&f.work, &seconds));
    tiny_ok(&f.tiny, edgefw__workload_clear(&f.work, &seconds));
    tiny_ok(&f.tiny, edgefw__workload_decode(&f.work, &seconds));
    tiny_ok(&f.tiny, edgefw__workload_backward(&f.work, &seconds));
    tiny_ok(&f.tiny, edgefw__workload_update(&f.work, &seconds));
  }
  double *parts = tiny_download(&f.tiny, f.work.model->parameters->gradients, total);
  double *stayed = tiny_download(&f.tiny, f.work.model->parameters->values, total);
  check_same_bits(stayed, start, (size_t)total * sizeof *start, "parameters at learning rate 0");
  double norm = 0.0;
  tiny_ok(&f.tiny,
          edgefw__train_step(f.work.policy, f.instances.batch, &f.work.request, 3, 0.0, &norm));
  double *whole = tiny_download(&f.tiny, f.work.model->parameters->gradients, total);
  assert_true(norm > 0.0);
  check_same_bits(parts, whole, (size_t)total * sizeof *parts, "gradients");
  free(start);
  free(parts);
  free(stayed);
  free(whole);
  end(&f);
}

int main(void) {
  if (tiny_missing()) return TEST_SKIPPED;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(instances_go_on_where_they_ended),
      cmocka_unit_test(encoding_and_decoding_give_the_policys_tours),
      cmocka_unit_test(the_parts_of_a_step_give_its_gradient),
  };
  return test_run(tests, NULL, NULL);
}
