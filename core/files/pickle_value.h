/* What a pickle of a state dict is made of: values, and the few objects of PyTorch and of Python's
 * library that such pickles name. Nothing that a file names is ever called. */
#ifndef EDGEFW__PICKLE_VALUE_H
#define EDGEFW__PICKLE_VALUE_H

#include "edgefw/arena.h"
#include "files/weight.h"

typedef enum edgefw__pickle_kind {
  EDGEFW__PICKLE_NONE = 0,
  EDGEFW__PICKLE_BOOL,
  EDGEFW__PICKLE_INTEGER,
  EDGEFW__PICKLE_REAL,
  EDGEFW__PICKLE_TEXT,
  EDGEFW__PICKLE_TUPLE,
  EDGEFW__PICKLE_LIST,
  EDGEFW__PICKLE_DICT,    /* OrderedDict too */
  EDGEFW__PICKLE_GLOBAL,  /* a name of the table in pickle_value.c */
  EDGEFW__PICKLE_STORAGE, /* of numbers, in an entry of the archive */
  EDGEFW__PICKLE_TENSOR,
  EDGEFW__PICKLE_OPAQUE /* something known that no tensor needs: a set, bytes, a large number */
} edgefw__pickle_kind;

/* What is known of a global. */
typedef enum edgefw__pickle_role {
  EDGEFW__PICKLE_IS_OPAQUE = 0, /* to be called; what comes out is passed over */
  EDGEFW__PICKLE_IS_DICT,       /* OrderedDict */
  EDGEFW__PICKLE_IS_TENSOR,     /* _rebuild_tensor_v2 */
  EDGEFW__PICKLE_IS_PARAMETER,  /* _rebuild_parameter */
  EDGEFW__PICKLE_IS_STORAGE     /* torch.FloatStorage and so on */
} edgefw__pickle_role;

typedef struct edgefw__pickle_global {
  const char *module, *name;
  edgefw__pickle_role role;
  edgefw__number_type type; /* of a storage */
} edgefw__pickle_global;

typedef struct edgefw__pickle_text {
  size_t length;
  bool plain;   /* no NUL before the end */
  char bytes[]; /* ends with NUL */
} edgefw__pickle_text;

typedef struct edgefw__pickle_storage {
  edgefw__number_type type;
  const char *type_name; /* "FloatStorage" */
  const char *key;       /* names the entry of the archive: data/KEY */
  int64_t count;         /* of numbers */
} edgefw__pickle_storage;

typedef struct edgefw__pickle_tensor {
  const edgefw__pickle_storage *storage;
  int64_t offset; /* of its first number in the storage */
  int rank;
  int64_t shape[EDGEFW__WEIGHT_MAX_RANK];
  int64_t stride[EDGEFW__WEIGHT_MAX_RANK]; /* in numbers */
} edgefw__pickle_tensor;

struct edgefw__pickle_items;

typedef struct edgefw__pickle_value {
  edgefw__pickle_kind kind;
  union {
    bool truth;
    int64_t integer;
    double real;
    const edgefw__pickle_text *text;
    struct edgefw__pickle_items *items; /* of a tuple, list or dict */
    const edgefw__pickle_global *global;
    const edgefw__pickle_storage *storage;
    const edgefw__pickle_tensor *tensor;
  } as;
} edgefw__pickle_value;

/* Items of a tuple or list; of a dict its keys and values in turn. They may be contained in
 * themselves: whoever walks through them must not follow all of them blindly. */
typedef struct edgefw__pickle_items {
  edgefw__pickle_value *at;
  size_t count, capacity;
} edgefw__pickle_items;

/* What a kind is called, for messages: "a text". */
const char *edgefw__pickle_kind_text(edgefw__pickle_kind kind);

/* The global of that name, NULL if no state dict needs it. */
const edgefw__pickle_global *edgefw__pickle_global_find(const char *module, const char *name);

/* Append to growing items; what they outgrow stays in the arena. False without memory. */
bool edgefw__pickle_push(edgefw_arena *arena, edgefw__pickle_items *items,
                         edgefw__pickle_value value);

/* The value of a dict's key, the last one if there are several; NULL if there is none, or `dict` is
 * no dict. */
const edgefw__pickle_value *edgefw__pickle_get(const edgefw__pickle_value *dict, const char *key);

/* The text of a value as a C string; NULL if it is no text or holds NULs. */
const char *edgefw__pickle_string(const edgefw__pickle_value *value);

/* --- What known globals make of their arguments, a tuple; `why` says what is wrong --- */

/* The storage that a persistent id ('storage', torch.FloatStorage, '0', 'cpu', 80) describes. */
bool edgefw__pickle_storage_of(edgefw_arena *arena, const edgefw__pickle_value *id,
                               edgefw__pickle_value *out, const char **why);

/* The tensor that _rebuild_tensor_v2 or _rebuild_parameter would make: its view lies within the
 * storage, and has no more numbers than that. */
bool edgefw__pickle_tensor_of(edgefw_arena *arena, const edgefw__pickle_global *global,
                              const edgefw__pickle_value *arguments, edgefw__pickle_value *out,
                              const char **why);

#endif
