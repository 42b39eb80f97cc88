/* Between a model and the checkpoint files that hold one. Numbers are float32: on a device of that
 * type a loaded model equals the saved one bit for bit. */
#ifndef EDGEFW__MODEL_FILE_H
#define EDGEFW__MODEL_FILE_H

#include "files/checkpoint.h"
#include "policy/model.h"

/* Load parameters from a checkpoint (strict: names, shapes; names that older versions had are
 * known, foreign ones of published checkpoints are ignored). A model that is only declared is
 * sealed once the file has passed. MISMATCH for one of another composition; the model is then as it
 * was. */
EDGEFW_NODISCARD edgefw_status edgefw__model_load(edgefw__model *model, const char *path);

/* The same for a checkpoint that lies where this composition's training leaves them: MISMATCH, too,
 * if another configuration wrote it (config/origin.h). */
EDGEFW_NODISCARD edgefw_status edgefw__model_load_own(edgefw__model *model, const char *path);

/* Make a model for evaluation that holds the parameters of a checkpoint. They are held against the
 * composition before anything of their size is allocated: a file of a few bytes whose configuration
 * describes a huge model is a MISMATCH at once. Engine and composition outlive the model. */
EDGEFW_NODISCARD edgefw_status edgefw__model_open(const edgefw__engine *engine,
                                                  const edgefw__composition *composition,
                                                  const char *path, edgefw__model **out);

/* --- For files that hold more than a model --- */

/* Parameters, moments and mean, if one is kept, of a model that was made for training,
 * parameters->item_count tensors in `arena`. NULL without memory. A device that runs ahead is to be
 * finished before they are used. */
const edgefw__checkpoint_tensor *edgefw__model_tensors(const edgefw__model *model,
                                                       edgefw_arena *arena);

/* Names of the terms with commas between, or "name version" of all plugins. NULL without memory. */
const char *edgefw__model_plugins(const edgefw__composition *composition, edgefw_arena *arena,
                                  bool terms_only);

/* Is the open checkpoint of this model's problem, backbone, terms and shapes, and finite? MISMATCH,
 * FORMAT, naming `path`. `arena` takes what that needs. */
EDGEFW_NODISCARD edgefw_status edgefw__model_check(const edgefw__model *model, const char *path,
                                                   const edgefw__checkpoint *checkpoint,
                                                   edgefw_arena *arena);

/* Was it written by the model's own configuration (config/origin.h)? MISMATCH, naming `path`. */
EDGEFW_NODISCARD edgefw_status edgefw__model_check_origin(const edgefw__model *model,
                                                          const char *path,
                                                          const edgefw__checkpoint *checkpoint,
                                                          edgefw_arena *arena);

/* Take its parameters as they are evaluated (an exponential mean in their place, where there is
 * one), its step and its epoch. With `moments` the parameters as training left them, Adam's moments
 * and, for a model that keeps one, the mean: MISMATCH if it has none. */
EDGEFW_NODISCARD edgefw_status edgefw__model_take(edgefw__model *model,
                                                  const edgefw__checkpoint *checkpoint,
                                                  bool moments, edgefw_arena *arena);

#endif
