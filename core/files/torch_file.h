/* Files that torch.save wrote (.pt, .pth): a zip archive with a pickle, NAME/data.pkl, and the
 * numbers of each storage in an entry of its own, NAME/data/KEY. Read are tensors of a state dict.
 */
#ifndef EDGEFW__TORCH_FILE_H
#define EDGEFW__TORCH_FILE_H

#include "edgefw/arena.h"
#include "files/weight.h"

typedef struct edgefw__torch_file edgefw__torch_file;

/* What a file is that begins with these bytes: one of torch.save, or of torch.save before PyTorch
 * 1.6 (which is not read). */
bool edgefw__torch_begins(const unsigned char *bytes, size_t count);
bool edgefw__torch_legacy_begins(const unsigned char *bytes, size_t count);

/* Open `path` and find its state dict: the tensors under "model_state_dict", "state_dict" or
 * "model", or else at the top. Nothing is read of storages yet, but each tensor lies within its
 * own, and together they have at most four times the numbers that the storages have. IO, FORMAT,
 * UNSUPPORTED (pickle.h; big-endian numbers; no state dict; TorchScript), OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__torch_open(edgefw_context *ctx, const char *path,
                                                  edgefw__torch_file **out);
void edgefw__torch_close(edgefw__torch_file *file); /* NULL is allowed */

/* The tensors, in the order of the state dict; names differ. */
int edgefw__torch_count(const edgefw__torch_file *file);
const edgefw__weight *edgefw__torch_at(const edgefw__torch_file *file, int index);

/* The key under which the state dict lies; "" at the top. */
const char *edgefw__torch_place(const edgefw__torch_file *file);

/* What lies beside: other keys at the top, and entries of the state dict that are no tensors, with
 * ", " between; "" for nothing. */
const char *edgefw__torch_passed_over(const edgefw__torch_file *file);

/* The whole number under `key` at the top; false if there is none. */
bool edgefw__torch_integer(const edgefw__torch_file *file, const char *key, int64_t *out);

/* Read tensor `index`, whose type is not OTHER: `count` floats in C order. *rounded as
 * edgefw__number_at. FORMAT (the storage is missing, damaged, or of another size), OUT_OF_MEMORY.
 */
EDGEFW_NODISCARD edgefw_status edgefw__torch_read(edgefw__torch_file *file, int index, float *out,
                                                  int64_t *rounded);

#endif
