/* From another program's file of weights to a checkpoint, and back. */
#ifndef EDGEFW__MODEL_IMPORT_H
#define EDGEFW__MODEL_IMPORT_H

#include "files/checkpoint.h"
#include "policy/model.h"
#include "policy/weights_fit.h"

/* The key of safetensors' metadata under which a model's configuration lies. */
#define EDGEFW__METADATA_CONFIG "edgefw_config"

/* What an import found. */
typedef struct edgefw__imported {
  int64_t numbers; /* in all parameters */
  int64_t rounded; /* of them, not exact in float32 */
  int64_t epoch;   /* as the file says it, 0 where it does not */
} edgefw__imported;

/* Write the tensors that `fit` gives to the parameters of the declared `model` as checkpoint
 * `path`, with the model's configuration in it. It counts as trained for as many steps as its
 * logits need to be in force. Whole or not at all. MISMATCH if the fit is not whole; failures of
 * edgefw__weights_read and edgefw__checkpoint_write. */
EDGEFW_NODISCARD edgefw_status edgefw__model_import(const edgefw__model *model,
                                                    edgefw__weights *weights,
                                                    const edgefw__weights_fit *fit,
                                                    const char *path, edgefw__imported *out);

/* Write the parameters of a checkpoint, as they are evaluated, as safetensors, under their names,
 * with problem, backbone, terms, epoch and configuration in the metadata: read back, they are the
 * same model, bit for bit. Whole or not at all. FORMAT (a number that is not finite), and failures
 * of edgefw__safetensors_write. */
EDGEFW_NODISCARD edgefw_status edgefw__model_export(edgefw_context *ctx,
                                                    const edgefw__checkpoint_content *content,
                                                    const char *path);

#endif
