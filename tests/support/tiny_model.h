/* A small model of real plugins for tests: composed from text, on a device of the build tree. Calls
 * that return nothing fail the test with the context's message when something goes wrong. */
#ifndef EDGEFW_TESTS_SUPPORT_TINY_MODEL_H
#define EDGEFW_TESTS_SUPPORT_TINY_MODEL_H

#include "policy/policy.h"
#include "support/sandbox.h"

/* Configurations of about 800 parameters; further sections are appended as literals. */
#define TINY_MODEL(terms) TINY_ON("atsp", terms)
#define TINY_ON(problem, terms)                                                                    \
  "[problem]\nname = " problem "\n"                                                                \
  "[backbone]\nname = radar\nembedding_dim = 8\nlayers = 1\nheads = 2\nff_hidden = 8\n"            \
  "mix_hidden = 4\nsvd_rank = 3\nsinkhorn_iterations = 3\n"                                        \
  "[decoder]\nterms = " terms "\nheads = 2\nedge_hidden = 4\n"
#define TINY_OURS  TINY_MODEL("edge, closure, lookahead")
#define TINY_PLAIN TINY_MODEL("")

typedef struct tiny_model {
  edgefw_context *ctx;
  edgefw__registry *registry; /* plugins of EDGEFW_BUILD_DIR/lib/edgefw */
  edgefw__config *config;
  const edgefw__composition *composition; /* the first variant */
  edgefw__engine engine;
  edgefw__model *model;
} tiny_model;

/* Plugins may be taken out of the tree, and the tests of everything else go on: terms that are gone
 * are left out of configurations; a test that cannot do without one asks for it and is skipped;
 * without problem or backbone, main has nothing to run. (What is in the tree must also be built.)
 */
bool tiny_has_device(const char *device);
void tiny_require_term(const char *term); /* skips the test */
bool tiny_missing(void);                  /* says so, too */

/* Context (of one thread: the work is tiny), registry, configuration and device; no model yet.
 * `allocator` as edgefw_context_create. */
void tiny_begin(tiny_model *tiny, const edgefw_allocator *allocator, const char *text,
                const char *device);

/* The same with a model from `seed`. */
void tiny_open(tiny_model *tiny, const char *text, const char *device, uint64_t seed,
               bool training);

/* The same on the toy GPU (support/toy_gpu.h), linked into `box`. */
void tiny_open_gpu(tiny_model *tiny, const sandbox *box, const char *text, uint64_t seed,
                   bool training);

/* The same where the fixture "inorder" (tests/badplugins/good_heuristic.c) is a heuristic beside
 * the others; the model is what stands in for one where the first variant constructs. */
void tiny_open_heuristic(tiny_model *tiny, const sandbox *box, const char *text);
void tiny_close(tiny_model *tiny);

/* Fails the test unless `status` is OK. */
#define tiny_ok(tiny, status) tiny_ok_at((tiny)->ctx, (status), __FILE__, __LINE__)
void tiny_ok_at(edgefw_context *ctx, edgefw_status status, const char *file, int line);

/* Fails the test unless `status` is `expected` and the message has `part`; then clears it. */
#define tiny_fails(tiny, status, expected, part)                                                   \
  tiny_fails_at((tiny)->ctx, (status), (expected), (part), __FILE__, __LINE__)
void tiny_fails_at(edgefw_context *ctx, edgefw_status status, edgefw_status expected,
                   const char *part, const char *file, int line);

/* Generated instances first .. first + count - 1 of `seed`; edgefw__batch_destroy. */
edgefw__batch *tiny_batch(const tiny_model *tiny, int64_t n, uint64_t seed, uint64_t first,
                          int64_t count);

/* Write the batch's instances, of the model's problem, as the dataset `path`. */
void tiny_dataset(const tiny_model *tiny, const char *path, const edgefw__batch *batch);

/* Write the parameters of the model, which was opened for training, as the checkpoint `path` whose
 * configuration is `config`. */
void tiny_checkpoint(const tiny_model *tiny, const char *path, const char *config);

/* All rollouts, with edgefw__policy_destroy. */
edgefw__policy *tiny_policy(const tiny_model *tiny, int64_t capacity, int64_t n, bool training);

/* Copies of `count` device numbers; free(). */
double *tiny_download(const tiny_model *tiny, const void *array, int64_t count);
void tiny_upload(const tiny_model *tiny, void *array, const double *values, int64_t count);

#endif
