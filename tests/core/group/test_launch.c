/* Which variables say that there are several processes. */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "group/launch.h"

static const char *const names[] = {
    "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMI_RANK", "PMI_SIZE",  "SLURM_PROCID",
    "SLURM_NTASKS",         "SLURM_STEP_NUM_TASKS", "RANK",     "WORLD_SIZE"};

/* NAME, VALUE, NAME, VALUE, ...; all others are unset. */
static edgefw_status find(const char *const *pairs, edgefw__launch *out, const char *part) {
  edgefw_context *ctx = NULL;
  for (size_t n = 0; n < sizeof names / sizeof *names; ++n) unsetenv(names[n]);
  for (; *pairs; pairs += 2) setenv(pairs[0], pairs[1], 1);
  assert_int_equal(edgefw_context_create(&ctx, NULL), EDGEFW_OK);
  const edgefw_status status = edgefw__launch_find(ctx, out);
  if (part) assert_non_null(strstr(edgefw_message(ctx), part));
  edgefw_context_destroy(ctx);
  return status;
}

#define FIND(out, part, ...) find((const char *const[]){__VA_ARGS__ NULL}, (out), (part))

static void launchers_are_told_apart(void **state) {
  (void)state;
  edgefw__launch l;
  assert_int_equal(FIND(&l, NULL, ), EDGEFW_OK);
  assert_true(l.ranks == 1 && l.rank == 0 && !l.launcher);
  assert_int_equal(FIND(&l, NULL, "OMPI_COMM_WORLD_RANK", "2", "OMPI_COMM_WORLD_SIZE", "4", ),
                   EDGEFW_OK);
  assert_true(l.ranks == 4 && l.rank == 2);
  assert_string_equal(l.launcher, "mpirun");
  assert_int_equal(FIND(&l, NULL, "PMI_RANK", "0", "PMI_SIZE", "3", ), EDGEFW_OK);
  assert_true(l.ranks == 3 && l.rank == 0);
  assert_int_equal(FIND(&l, NULL, "SLURM_PROCID", "1", "SLURM_STEP_NUM_TASKS", "2", ), EDGEFW_OK);
  assert_true(l.ranks == 2 && l.rank == 1);
  assert_string_equal(l.launcher, "srun");
}

static void one_process_is_one_process(void **state) {
  (void)state;
  edgefw__launch l;
  assert_int_equal(FIND(&l, NULL, "OMPI_COMM_WORLD_RANK", "0", "OMPI_COMM_WORLD_SIZE", "1", ),
                   EDGEFW_OK);
  assert_int_equal(l.ranks, 1);
  /* A batch script of several tasks, outside of srun. */
  assert_int_equal(FIND(&l, NULL, "SLURM_PROCID", "0", "SLURM_NTASKS", "8", ), EDGEFW_OK);
  assert_int_equal(l.ranks, 1);
  assert_int_equal(FIND(&l, NULL, "RANK", "0", "WORLD_SIZE", "1", ), EDGEFW_OK);
  assert_int_equal(l.ranks, 1);
}

static void nonsense_is_refused(void **state) {
  (void)state;
  edgefw__launch l;
  assert_int_equal(FIND(&l, "OMPI_COMM_WORLD_SIZE = 'x'", "OMPI_COMM_WORLD_RANK", "0",
                        "OMPI_COMM_WORLD_SIZE", "x", ),
                   EDGEFW_CONFIG);
  assert_int_equal(FIND(&l, "a rank below it", "PMI_RANK", "4", "PMI_SIZE", "4", ), EDGEFW_CONFIG);
  assert_int_equal(FIND(&l, "mpirun -n 4", "RANK", "1", "WORLD_SIZE", "4", ), EDGEFW_CONFIG);
  /* What mpirun says comes first. */
  assert_int_equal(FIND(&l, NULL, "RANK", "1", "WORLD_SIZE", "4", "OMPI_COMM_WORLD_RANK", "1",
                        "OMPI_COMM_WORLD_SIZE", "4", ),
                   EDGEFW_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(launchers_are_told_apart),
                                     cmocka_unit_test(one_process_is_one_process),
                                     cmocka_unit_test(nonsense_is_refused)};
  return test_run(tests, NULL, NULL);
}
