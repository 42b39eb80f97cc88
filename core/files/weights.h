/* Models that other programs wrote, whatever the container: safetensors, or what torch.save wrote.
 * Tensors by their names, read as float32. */
#ifndef EDGEFW__WEIGHTS_H
#define EDGEFW__WEIGHTS_H

#include "edgefw/arena.h"
#include "files/weight.h"

typedef struct edgefw__weights edgefw__weights;

/* Open `path`; its first bytes say what it is. Prefixes that wrappers put before every name
 * ("module.", "model.", "_orig_mod.") are left out of the names. IO, FORMAT and UNSUPPORTED as in
 * safetensors.h and torch_file.h, also for files that are neither (with what to do about those of
 * old versions of PyTorch), OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__weights_open(edgefw_context *ctx, const char *path,
                                                    edgefw__weights **out);
void edgefw__weights_close(edgefw__weights *weights); /* NULL is allowed */

/* The tensors; names differ. */
int edgefw__weights_count(const edgefw__weights *weights);
const edgefw__weight *edgefw__weights_at(const edgefw__weights *weights, int index);

/* Index of the tensor called `name`, -1 if there is none. */
int edgefw__weights_find(const edgefw__weights *weights, const char *name);

/* What was found, for people: "PyTorch" or "safetensors"; the key under which the tensors lie and
 * the prefix of their names, "" for none; what lies beside them and was passed over, "" for
 * nothing.
 */
const char *edgefw__weights_path(const edgefw__weights *weights);
const char *edgefw__weights_format(const edgefw__weights *weights);
const char *edgefw__weights_place(const edgefw__weights *weights);
const char *edgefw__weights_prefix(const edgefw__weights *weights);
const char *edgefw__weights_passed_over(const edgefw__weights *weights);

/* What the file says under `key`: a text of safetensors' metadata, NULL without; the whole number
 * of a trainer's own key ("epoch"), in either, false without. */
const char *edgefw__weights_text(const edgefw__weights *weights, const char *key);
bool edgefw__weights_integer(const edgefw__weights *weights, const char *key, int64_t *out);

/* Read tensor `index` into `count` floats. *rounded grows by the numbers that float32 does not
 * hold. UNSUPPORTED (its type is OTHER); FORMAT (damaged, or a number that is not finite as
 * float32: the first is named), IO, OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__weights_read(edgefw__weights *weights, int index, float *out,
                                                    int64_t *rounded);

#endif
