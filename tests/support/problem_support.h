/* One problem plugin of the build tree by itself, for the tests of problem plugins. */
#ifndef EDGEFW_TESTS_SUPPORT_PROBLEM_SUPPORT_H
#define EDGEFW_TESTS_SUPPORT_PROBLEM_SUPPORT_H

#include "plugin/options.h"
#include "policy/model.h"
#include "data/batch.h"

typedef struct problem_fixture {
  edgefw_context *ctx; /* tiny_ok and tiny_fails take a fixture, too */
  edgefw__registry *registry;
  edgefw__engine engine;
  edgefw_arena *arena;
  const edgefw_problem *problem;
  const edgefw_option *option_table;
  edgefw_options *options; /* defaults, or what problem_set says */
} problem_fixture;

/* Open the problem with its defaults; the test fails if it is not there. */
void problem_open(problem_fixture *f, const char *name);
void problem_close(problem_fixture *f);

/* Give it other options: one key. */
void problem_set(problem_fixture *f, const char *key, const char *value);

/* An empty instance of n nodes called "mine", number 7, all numbers 0; problem_release. */
edgefw_instance problem_instance(const problem_fixture *f, int64_t n);
void problem_release(const problem_fixture *f, edgefw_instance *instance);

/* A field of it; the test fails if there is none. */
double *problem_field(const edgefw_instance *instance, const char *name);

/* Instance `id` of sequence 2026 with n nodes; problem_release. */
edgefw_instance problem_generate(const problem_fixture *f, int64_t n, uint64_t id);

/* The generator refuses to make instances of n nodes: CONFIG with this part of a message. */
void problem_generates_nothing(const problem_fixture *f, int64_t n, const char *part);

edgefw_status problem_accept(const problem_fixture *f, edgefw_instance *instance);
edgefw_status problem_check(const problem_fixture *f, const edgefw_instance *instance,
                            const int32_t *tour, int64_t count, double *cost);

/* Read a library file with these lines as the problem does it, `accept` included. problem_release
 * if it was read; else *out is untouched. */
edgefw_status problem_read(const problem_fixture *f, const char *text, edgefw_instance *out);

/* The same for a file. */
edgefw_status problem_read_file(const problem_fixture *f, const char *path, edgefw_instance *out);

/* Read every file of data/`folder` with this suffix and hand it to `visit`, with its path up to the
 * suffix. */
void problem_read_folder(const problem_fixture *f, const char *folder, const char *suffix,
                         void (*visit)(const problem_fixture *, const edgefw_instance *,
                                       const char *stem));

#endif
