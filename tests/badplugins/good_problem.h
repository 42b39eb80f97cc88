/* A whole problem that does nothing: what the fixtures of this folder differ from. */
#ifndef EDGEFW_TESTS_GOOD_PROBLEM_H
#define EDGEFW_TESTS_GOOD_PROBLEM_H

#include <edgefw/edgefw.h>

static const edgefw_field good_fields[] = {
    {"cost", EDGEFW_FIELD_PAIR, EDGEFW_STORE_FLOAT, 0, "cost of an arc"}, {0}};

static edgefw_status good_generate(edgefw_generator *generator, const edgefw_options *options,
                                   edgefw_instance *out) {
  (void)generator, (void)options, (void)out;
  return EDGEFW_OK;
}

static edgefw_status good_accept(edgefw_context *ctx, const edgefw_options *options,
                                 edgefw_instance *instance) {
  (void)ctx, (void)options, (void)instance;
  return EDGEFW_OK;
}

static edgefw_status good_check(edgefw_context *ctx, const edgefw_options *options,
                                const edgefw_instance *instance, const int32_t *tour, int64_t count,
                                double *cost) {
  (void)ctx, (void)options, (void)instance, (void)tour, (void)count;
  *cost = 0.0;
  return EDGEFW_OK;
}

#define GOOD_PROBLEM                                                                               \
  .fields = good_fields, .objective = "cost", .start = EDGEFW_START_EACH_NODE,                     \
  .closing = EDGEFW_CLOSE_AT_START, .query = EDGEFW_QUERY_FIRST, .solution = EDGEFW_SOLUTION_TOUR, \
  .min_nodes = 3, .generate = good_generate, .accept = good_accept

#endif
