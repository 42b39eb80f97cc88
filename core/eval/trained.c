/* Opening a trained model. */
#include "eval/trained.h"

#include "policy/model_file.h"

edgefw_status edgefw__trained_read(edgefw_context *ctx, const edgefw__registry *registry,
                                   const char *path, edgefw__trained *out) {
  *out = (edgefw__trained){0};
  edgefw_status status = edgefw__checkpoint_open(ctx, path, &out->checkpoint);
  if (status != EDGEFW_OK) return status;
  const char *text = edgefw__checkpoint_content_of(out->checkpoint)->meta.config;
  status = edgefw__compose_text(ctx, registry, text, path, &out->config);
  return edgefw_note(ctx, status, "configuration kept in %s", path);
}

edgefw_status edgefw__trained_open(edgefw_context *ctx, const edgefw__registry *registry,
                                   const char *path, const char *device,
                                   edgefw__precision_choice precision, edgefw__trained *out) {
  edgefw_status status = edgefw__trained_read(ctx, registry, path, out);
  if (status == EDGEFW_OK)
    status = edgefw__engine_open_with(ctx, registry, device, precision, &out->engine);
  if (status != EDGEFW_OK) return status;
  edgefw__engine_tell(&out->engine, EDGEFW_LOG_DEBUG);
  return edgefw__model_open(&out->engine, &out->config->variants[0], path, &out->model);
}

void edgefw__trained_close(edgefw__trained *trained) {
  edgefw__model_destroy(trained->model);
  edgefw__engine_close(&trained->engine);
  edgefw__config_destroy(trained->config);
  edgefw__checkpoint_close(trained->checkpoint);
  *trained = (edgefw__trained){0};
}
