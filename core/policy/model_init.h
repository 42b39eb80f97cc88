/* Beginning a model with the parameters of another one, taken by their names. */
#ifndef EDGEFW__MODEL_INIT_H
#define EDGEFW__MODEL_INIT_H

#include "files/checkpoint.h"
#include "policy/model.h"

/* What the other model is, and its tensors. */
typedef struct edgefw__init_source {
  const char *name; /* for messages: "'FILE'", "variant NAME" */
  const char *problem, *backbone;
  const edgefw__checkpoint_tensor
      *tensors; /* (count); values may be NULL: shapes alone are known */
  int64_t count;
} edgefw__init_source;

/* Which of its tensors become parameters of the model. */
typedef struct edgefw__init_fit {
  const edgefw__checkpoint_tensor **taken; /* of each parameter; NULL: it starts fresh */
  int taken_count, fresh_count;            /* parameters */
  int64_t left_over_count;                 /* tensors that no parameter is called like */
  int64_t numbers;                         /* in the parameters that are taken */
  int64_t mlp_inputs; /* features that the feature MLP has there, which starts fresh as a whole, for
                         it has others here; 0: as many as here, or no such network */
} edgefw__init_fit;

/* The tensors of an open checkpoint as a source called `name`. */
edgefw__init_source edgefw__init_source_of(const edgefw__checkpoint *checkpoint, const char *name);

/* The parameters that a model declares as a source called `name`; lives in `arena`. */
EDGEFW_NODISCARD edgefw_status edgefw__init_source_model(const edgefw__model *model,
                                                         const char *name, edgefw_arena *arena,
                                                         edgefw__init_source *out);

/* Find the tensor of each parameter of a declared model by its name, or by the one it had in older
 * versions. A feature MLP of another number of features, which other terms declare, starts fresh.
 * MISMATCH, with both shapes, if a parameter has another shape there, and, with problem
 * and backbone of both, if no name fits at all; FORMAT if a number that would be taken is not
 * finite. Lives in `arena`. */
EDGEFW_NODISCARD edgefw_status edgefw__init_fit_find(const edgefw__model *model,
                                                     const edgefw__init_source *source,
                                                     edgefw_arena *arena, edgefw__init_fit *out);

/* Overwrite parameters of a sealed model by those that the checkpoint `path` has of the same names,
 * as they are evaluated; the others stay as they are. What is taken, what starts fresh and what is
 * left over is logged by name. *digest is that of the file's parameters. Failures are those of
 * edgefw__init_fit_find and edgefw__checkpoint_open; the model is then as it was. */
EDGEFW_NODISCARD edgefw_status edgefw__model_init(edgefw__model *model, const char *path,
                                                  uint64_t *digest);

/* Digest of the parameters of checkpoint `path`: FNV-1a (64 bit) over names and values. */
EDGEFW_NODISCARD edgefw_status edgefw__init_digest(edgefw_context *ctx, const char *path,
                                                   uint64_t *digest);

#endif
