/* Trained models that come with the program: folders of checkpoints, one for each problem. */
#ifndef EDGEFW__SHIPPED_H
#define EDGEFW__SHIPPED_H

#include "eval/trained.h"

/* Where to look, and on what it is to run. */
typedef struct edgefw__shipped_request {
  const char *model_path;        /* folders, separated by ':', that are searched first; or NULL */
  const edgefw__plugin *problem; /* of the registry */
  const char *device;            /* as edgefw__trained_open */
  edgefw__precision_choice precision;
} edgefw__shipped_request;

/* Open the model for a problem. Searched are, in this order: the request's folders, those of
 * $EDGEFW_MODEL_PATH, share/edgefw/models and ../share/edgefw/models beside the program, the latter
 * beside the library's folder and the one above, the installation's folder; in each of them the
 * files NAME.h5 in the order of their names. The first checkpoint of the problem that can be used
 * is taken: *path (in `arena`) is its file, and NULL if there is none, which is no failure. A file
 * that cannot be read, or whose model does not work with the plugins here, is passed over with a
 * warning in the log. Close `out` as a trained model, also after a failure. CONFIG, PLUGIN_FIND for
 * the device; OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__shipped_open(edgefw_context *ctx, edgefw_arena *arena,
                                                    const edgefw__registry *registry,
                                                    const edgefw__shipped_request *request,
                                                    const char **path, edgefw__trained *out);

/* The file NAME.h5 in the first of these folders that has one: *path, in `arena`. CONFIG, naming
 * the folders, if none has. `model_path` as in the request. */
EDGEFW_NODISCARD edgefw_status edgefw__shipped_find(edgefw_context *ctx, edgefw_arena *arena,
                                                    const char *model_path, const char *name,
                                                    const char **path);

#endif
