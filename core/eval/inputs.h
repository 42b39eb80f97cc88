/* Instances that somebody names on a command line: library files, folders of them, datasets, and
 * files of other programs (data/instance_file.h).
 * One that cannot be used does not keep the others from being solved. */
#ifndef EDGEFW__INPUTS_H
#define EDGEFW__INPUTS_H

#include "eval/evaluate.h"

typedef struct edgefw__input {
  const char *path;         /* of its file; for a generated set what stands for it ("100") */
  edgefw__instance_set set; /* what is in it, under a name that no other input has */
  const char *fault;        /* why it was not used, one line; NULL: nothing is wrong with it */
  edgefw_status status;     /* of the fault */
} edgefw__input;

/* A list; begin with {0}. Array and texts are in the arena that it was filled from. */
typedef struct edgefw__inputs {
  edgefw__input *items;
  int64_t count;
  const edgefw__instance_options *options; /* for files of other programs; NULL: none */
} edgefw__inputs;

/* Is `path` a dataset's (HDF5), by its ending .h5 or .hdf5 or by the file's first bytes? */
bool edgefw__input_is_dataset(const char *path);

/* Add what the `count` words stand for: datasets, library files, all library files of a folder, and
 * files of other programs, which take inputs->options.
 * Files are read once to learn their names and sizes; what is wrong with one becomes its fault.
 * `reference` (NULL: none) is a CSV of reference costs of datasets, or of best known costs of
 * library files. IO and CONFIG for a folder that cannot be read or holds no library file,
 * OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__inputs_add(edgefw_context *ctx, edgefw_arena *arena,
                                                  const edgefw__composition *composition,
                                                  const char *const *words, int count,
                                                  const char *reference, edgefw__inputs *inputs);

/* Add `count` generated instances of `size` (as configurations count), of this seed. OUT_OF_MEMORY.
 */
EDGEFW_NODISCARD edgefw_status edgefw__inputs_add_generated(
    edgefw_context *ctx, edgefw_arena *arena, const edgefw__composition *composition, int64_t size,
    int64_t count, uint64_t seed, const char *reference, edgefw__inputs *inputs);

/* Add the sets of the composition's own [eval] and [data]. As edgefw__eval_sets. */
EDGEFW_NODISCARD edgefw_status edgefw__inputs_add_configured(edgefw_context *ctx,
                                                             edgefw_arena *arena,
                                                             const edgefw__composition *composition,
                                                             edgefw__inputs *inputs);

/* What evaluates inputs tells about it; members may be NULL. A failure ends all. */
typedef struct edgefw__input_listener {
  edgefw_status (*answered)(void *user, const edgefw__input *input,
                            const edgefw__eval_answer *answer); /* instance by instance */
  edgefw_status (*done)(void *user, const edgefw__input *input,
                        const edgefw__eval_result *result); /* input by input */
  void *user;
  const char *participle; /* what happens to inputs, for messages: "solved", "evaluated" */
} edgefw__input_listener;

/* Evaluate the inputs one after another. An input that fails keeps its fault; the others go on. At
 * the end every fault is a warning in the log, and the status is that of the first; a single input
 * fails as it would alone. INTERRUPTED and the listener's failures end at once. */
EDGEFW_NODISCARD edgefw_status edgefw__inputs_evaluate(edgefw__model *model, edgefw_arena *arena,
                                                       edgefw__inputs *inputs,
                                                       const edgefw__eval_settings *settings,
                                                       const edgefw__input_listener *listener);

#endif
