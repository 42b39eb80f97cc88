/* A trained model from its checkpoint, which holds all that it is composed of. */
#ifndef EDGEFW__TRAINED_H
#define EDGEFW__TRAINED_H

#include "files/checkpoint.h"
#include "policy/model.h"

typedef struct edgefw__trained {
  edgefw__checkpoint *checkpoint;
  edgefw__config *config; /* as it was trained; the model is of its only variant */
  edgefw__engine engine;
  edgefw__model *model;
} edgefw__trained;

/* Read checkpoint `path` and bring its model to the device called `device` ("auto": the fastest one
 * here). Close it also after a failure. IO, FORMAT, MISMATCH, CONFIG, PLUGIN_FIND. */
EDGEFW_NODISCARD edgefw_status edgefw__trained_open(edgefw_context *ctx,
                                                    const edgefw__registry *registry,
                                                    const char *path, const char *device,
                                                    edgefw__precision_choice precision,
                                                    edgefw__trained *out);

/* The first half of it: checkpoint and composition, without device and model. Close it also after a
 * failure. IO, FORMAT, CONFIG, PLUGIN_FIND. */
EDGEFW_NODISCARD edgefw_status edgefw__trained_read(edgefw_context *ctx,
                                                    const edgefw__registry *registry,
                                                    const char *path, edgefw__trained *out);

void edgefw__trained_close(edgefw__trained *trained);

#endif
