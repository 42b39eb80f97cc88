/* The first state of a training that does not begin with new parameters. */
#include "train/initialise.h"

#include "policy/model_init.h"

/* The file may be gone or be another one by now: training does not depend on it any more. */
static edgefw_status look_again(edgefw__model *model, const char *path,
                                const edgefw__progress *progress) {
  edgefw_context *ctx = model->engine->ctx;
  uint64_t digest = 0;
  const edgefw_status status = edgefw__init_digest(ctx, path, &digest);
  if (status == EDGEFW_OUT_OF_MEMORY) return status;
  if (status != EDGEFW_OK)
    edgefw_clear(ctx);
  else if (digest != progress->init_digest)
    edgefw_log(ctx, EDGEFW_LOG_WARNING,
               "%s: '%s' holds other parameters than those that training began with; it goes on "
               "from its own state all the same (a fresh training would begin with the new ones)",
               model->composition->variant, path);
  return EDGEFW_OK;
}

edgefw_status edgefw__initialise(edgefw__model *model, const char *path, bool resumed,
                                 edgefw__progress *progress) {
  if (!*path) return EDGEFW_OK;
  if (resumed) return look_again(model, path, progress);
  return edgefw_note(model->engine->ctx, edgefw__model_init(model, path, &progress->init_digest),
                     "parameters to begin with");
}
