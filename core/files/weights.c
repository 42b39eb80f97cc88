/* Files of weights of either kind. */
#include "files/weights.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text_file.h"
#include "files/safetensors.h"
#include "files/torch_file.h"

struct edgefw__weights {
  edgefw_context *ctx;
  edgefw_arena *arena;
  char *path;
  edgefw__torch_file *torch; /* one of them is not NULL */
  edgefw__safetensors *safetensors;
  edgefw__weight *items; /* with the names that are left */
  int count;
  const char *prefix;
};

/* --- What is it? --- */

typedef struct head {
  unsigned char bytes[16];
  size_t count;
  int64_t size; /* of the file */
} head;

static edgefw_status read_head(edgefw_context *ctx, const char *path, head *out) {
  struct stat info;
  const char *reason = edgefw__not_a_file(path);
  FILE *stream = reason ? NULL : fopen(path, "rb");
  if (!stream || fstat(fileno(stream), &info) != 0) {
    if (stream) (void)fclose(stream);
    return edgefw_fail(ctx, EDGEFW_IO, "cannot read '%s': %s", path,
                       reason ? reason : "it cannot be opened");
  }
  out->size = (int64_t)info.st_size;
  out->count = fread(out->bytes, 1, sizeof out->bytes, stream);
  (void)fclose(stream);
  return EDGEFW_OK;
}

static edgefw_status refuse(edgefw_context *ctx, const char *path, const head *h) {
  if (edgefw__torch_legacy_begins(h->bytes, h->count))
    return edgefw_fail(ctx, EDGEFW_UNSUPPORTED,
                       "'%s' is in the format of PyTorch before 1.6: load it with a newer one and "
                       "save it again (torch.save(torch.load('%s', 'cpu'), 'new.pt'))",
                       path, path);
  if (h->count >= 4 && memcmp(h->bytes, "\x89HDF", 4) == 0)
    return edgefw_fail(ctx, EDGEFW_UNSUPPORTED,
                       "'%s' is an HDF5 file: checkpoints of edgefw need no import", path);
  if (h->count >= 2 && h->bytes[0] == 0x80 && h->bytes[1] >= 2 && h->bytes[1] <= 5)
    return edgefw_fail(ctx, EDGEFW_UNSUPPORTED,
                       "'%s' is a bare pickle: save the state dict with torch.save or as "
                       "safetensors",
                       path);
  return edgefw_fail(ctx, EDGEFW_FORMAT,
                     "'%s' is neither a safetensors file nor one of torch.save (.pt, .pth)", path);
}

static edgefw_status open_file(edgefw__weights *w) {
  head h = {.count = 0};
  const edgefw_status status = read_head(w->ctx, w->path, &h);
  if (status != EDGEFW_OK) return status;
  if (edgefw__torch_begins(h.bytes, h.count)) return edgefw__torch_open(w->ctx, w->path, &w->torch);
  if (h.count > 8 && edgefw__safetensors_begins(h.bytes, h.size))
    return edgefw__safetensors_open(w->ctx, w->path, &w->safetensors);
  return refuse(w->ctx, w->path, &h);
}

/* --- Names --- */

static const edgefw__weight *raw_at(const edgefw__weights *w, int index) {
  return w->torch ? edgefw__torch_at(w->torch, index)
                  : edgefw__safetensors_at(w->safetensors, index);
}

static bool all_begin(const edgefw__weights *w, const char *prefix, size_t length) {
  for (int i = 0; i < w->count; ++i)
    if (strncmp(w->items[i].name, prefix, length) != 0 || !w->items[i].name[length]) return false;
  return w->count > 0;
}

/* Wrappers nest: DataParallel of a compiled model has both prefixes. */
static edgefw_status strip_prefixes(edgefw__weights *w) {
  static const char *const prefixes[] = {"module.", "_orig_mod.", "model."};
  w->prefix = "";
  for (size_t p = 0; p < sizeof prefixes / sizeof *prefixes;) {
    const size_t length = strlen(prefixes[p]);
    if (!all_begin(w, prefixes[p], length)) {
      ++p;
      continue;
    }
    for (int i = 0; i < w->count; ++i) w->items[i].name += length;
    w->prefix = edgefw_arena_format(w->arena, "%s%s", w->prefix, prefixes[p]);
    if (!w->prefix) return edgefw_failure(w->ctx);
    p = 0;
  }
  return EDGEFW_OK;
}

static edgefw_status take_names(edgefw__weights *w) {
  w->count = w->torch ? edgefw__torch_count(w->torch) : edgefw__safetensors_count(w->safetensors);
  w->items = edgefw_arena_take(w->arena, (size_t)w->count, sizeof *w->items);
  if (!w->items) return edgefw_failure(w->ctx);
  for (int i = 0; i < w->count; ++i) w->items[i] = *raw_at(w, i);
  return strip_prefixes(w);
}

/* --- The file --- */

edgefw_status edgefw__weights_open(edgefw_context *ctx, const char *path, edgefw__weights **out) {
  *out = NULL;
  edgefw__weights *w = edgefw_allocate(ctx, 1, sizeof *w, "an open file of weights");
  if (!w) return EDGEFW_OUT_OF_MEMORY;
  w->ctx = ctx;
  edgefw_status status = edgefw_arena_create(ctx, &w->arena, "weights", 0, true);
  if (status == EDGEFW_OK) {
    w->path = edgefw_arena_text(w->arena, path);
    status = w->path ? open_file(w) : edgefw_failure(ctx);
  }
  if (status == EDGEFW_OK) status = take_names(w);
  if (status != EDGEFW_OK) {
    edgefw__weights_close(w);
    return status;
  }
  *out = w;
  return EDGEFW_OK;
}

void edgefw__weights_close(edgefw__weights *weights) {
  if (!weights) return;
  edgefw__torch_close(weights->torch);
  edgefw__safetensors_close(weights->safetensors);
  edgefw_arena_destroy(weights->arena);
  edgefw_release(weights->ctx, weights);
}

int edgefw__weights_count(const edgefw__weights *weights) {
  return weights->count;
}

const edgefw__weight *edgefw__weights_at(const edgefw__weights *weights, int index) {
  return &weights->items[index];
}

int edgefw__weights_find(const edgefw__weights *weights, const char *name) {
  for (int i = 0; i < weights->count; ++i)
    if (strcmp(weights->items[i].name, name) == 0) return i;
  return -1;
}

const char *edgefw__weights_path(const edgefw__weights *weights) {
  return weights->path;
}

const char *edgefw__weights_format(const edgefw__weights *weights) {
  return weights->torch ? "PyTorch" : "safetensors";
}

const char *edgefw__weights_place(const edgefw__weights *weights) {
  return weights->torch ? edgefw__torch_place(weights->torch) : "";
}

const char *edgefw__weights_prefix(const edgefw__weights *weights) {
  return weights->prefix;
}

const char *edgefw__weights_passed_over(const edgefw__weights *weights) {
  return weights->torch ? edgefw__torch_passed_over(weights->torch) : "";
}

const char *edgefw__weights_text(const edgefw__weights *weights, const char *key) {
  return weights->safetensors ? edgefw__safetensors_metadata(weights->safetensors, key) : NULL;
}

bool edgefw__weights_integer(const edgefw__weights *weights, const char *key, int64_t *out) {
  if (weights->torch) return edgefw__torch_integer(weights->torch, key, out);
  const char *text = edgefw__safetensors_metadata(weights->safetensors, key);
  return text && edgefw__parse_integer(text, out);
}

/* --- Numbers --- */

/* A model of other numbers gives no tour; half of one is no better than none. */
static edgefw_status check_finite(const edgefw__weights *w, const edgefw__weight *item,
                                  const float *values) {
  for (int64_t e = 0; e < item->count; ++e)
    if (!isfinite(values[e]))
      return edgefw_fail(w->ctx, EDGEFW_FORMAT,
                         "'%s': number %" PRId64 " of '%s' is %g as float32, expected a finite one",
                         w->path, e, item->name, (double)values[e]);
  return EDGEFW_OK;
}

edgefw_status edgefw__weights_read(edgefw__weights *weights, int index, float *out,
                                   int64_t *rounded) {
  const edgefw__weight *item = &weights->items[index];
  if (item->type == EDGEFW__NUMBER_OTHER)
    return edgefw_fail(weights->ctx, EDGEFW_UNSUPPORTED,
                       "'%s': '%s' is of type %s, expected float64, float32, float16 or bfloat16",
                       weights->path, item->name, item->type_name);
  const edgefw_status status =
      weights->torch ? edgefw__torch_read(weights->torch, index, out, rounded)
                     : edgefw__safetensors_read(weights->safetensors, index, out, rounded);
  return status == EDGEFW_OK ? check_finite(weights, item, out) : status;
}
