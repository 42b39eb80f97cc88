/* safetensors: 8 bytes with the length of a header, the header in JSON, and the numbers of all
 * tensors one behind the other (https://github.com/huggingface/safetensors, "Format"). Little
 * endian, C order. JSON is parsed by jansson, whose memory does not come from the context. */
#ifndef EDGEFW__SAFETENSORS_H
#define EDGEFW__SAFETENSORS_H

#include "edgefw/arena.h"
#include "files/weight.h"

/* --- Reading (safetensors.c) --- */

typedef struct edgefw__safetensors edgefw__safetensors;

/* Could a file that begins with these bytes, at least 9, and has `size` in all be one? */
bool edgefw__safetensors_begins(const unsigned char *bytes, int64_t size);

/* Open `path` and read its header. Tensors must fill the file without gap or overlap, as the format
 * demands, and the header takes at most 4 MiB. IO, FORMAT (with the place in the header),
 * UNSUPPORTED (a type of numbers that is not known, too many axes or tensors), OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__safetensors_open(edgefw_context *ctx, const char *path,
                                                        edgefw__safetensors **out);
void edgefw__safetensors_close(edgefw__safetensors *file); /* NULL is allowed */

/* The tensors, in the order of their numbers. */
int edgefw__safetensors_count(const edgefw__safetensors *file);
const edgefw__weight *edgefw__safetensors_at(const edgefw__safetensors *file, int index);

/* What "__metadata__" says under `key`; NULL if nothing. */
const char *edgefw__safetensors_metadata(const edgefw__safetensors *file, const char *key);

/* Read tensor `index`, whose type is not OTHER: `count` floats. *rounded as edgefw__number_at. IO,
 * FORMAT (the file has become shorter). */
EDGEFW_NODISCARD edgefw_status edgefw__safetensors_read(edgefw__safetensors *file, int index,
                                                        float *out, int64_t *rounded);

/* --- Writing (safetensors_writer.c) --- */

/* A tensor to write; `value` are the product of its shape. */
typedef struct edgefw__safetensors_entry {
  const char *name;
  int rank;
  const int64_t *shape;
  const float *value;
} edgefw__safetensors_entry;

/* A pair of "__metadata__"; a list of them ends with a NULL key. */
typedef struct edgefw__safetensors_pair {
  const char *key, *value;
} edgefw__safetensors_pair;

/* Write `count` tensors of float32 to `path`, in the order given; the file appears whole or not at
 * all. Names differ from one another. IO, INVALID_ARGUMENT (a text that is no UTF-8),
 * OUT_OF_MEMORY.
 */
EDGEFW_NODISCARD edgefw_status edgefw__safetensors_write(edgefw_context *ctx, const char *path,
                                                         const edgefw__safetensors_entry *entries,
                                                         int64_t count,
                                                         const edgefw__safetensors_pair *metadata);

#endif
