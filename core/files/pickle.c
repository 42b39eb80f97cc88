/* The machine that pickles are programs of: a stack, marks in it, and a memo. */
#include "files/pickle.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

typedef struct machine {
  edgefw_context *ctx;
  edgefw_arena *arena;
  const char *path;
  const unsigned char *bytes;
  size_t length, next, op;    /* op: where the current opcode stands */
  edgefw__pickle_items stack; /* of values */
  edgefw__pickle_items marks; /* INTEGER: heights of the stack */
  edgefw__pickle_items memo;  /* by number */
} machine;

typedef edgefw__pickle_value value;

/* --- Failures --- */

static edgefw_status fail(machine *m, edgefw_status status, const char *what) {
  return edgefw_fail(m->ctx, status, "'%s': byte %zu of its pickle: %s", m->path, m->op, what);
}

static edgefw_status damaged(machine *m, const char *what) {
  return fail(m, EDGEFW_FORMAT, what);
}

static edgefw_status refuse_opcode(machine *m, unsigned char opcode) {
  char what[96], plain[8] = "";
  if (opcode > ' ' && opcode <= '~') snprintf(plain, sizeof plain, " ('%c')", opcode);
  snprintf(what, sizeof what, "opcode 0x%02x%s, which no state dict needs", opcode, plain);
  return fail(m, EDGEFW_UNSUPPORTED, what);
}

/* --- Bytes --- */

/* Where the next `count` bytes are; NULL (recorded) if the pickle ends before. */
static const unsigned char *take(machine *m, size_t count) {
  if (count > m->length - m->next) {
    (void)damaged(m, "it ends in the middle of an opcode (is the file cut short?)");
    return NULL;
  }
  const unsigned char *at = m->bytes + m->next;
  m->next += count;
  return at;
}

/* A little-endian number of `count` bytes, at most 8. */
static bool take_number(machine *m, size_t count, uint64_t *out) {
  const unsigned char *at = take(m, count);
  *out = 0;
  for (size_t k = count; at && k > 0; --k) *out = *out << 8 | at[k - 1];
  return at != NULL;
}

/* A line without its end, as protocol 0 has them. */
static const unsigned char *take_line(machine *m, size_t *length) {
  const unsigned char *at = m->bytes + m->next;
  const unsigned char *end = memchr(at, '\n', m->length - m->next);
  if (!end) return take(m, m->length - m->next + 1);
  *length = (size_t)(end - at);
  m->next += *length + 1;
  return at;
}

/* --- Stack --- */

static edgefw_status push(machine *m, value v) {
  return edgefw__pickle_push(m->arena, &m->stack, v) ? EDGEFW_OK : edgefw_failure(m->ctx);
}

/* Height below which the current opcode must not reach: that of the last mark. */
static size_t floor_of(const machine *m) {
  return m->marks.count ? (size_t)m->marks.at[m->marks.count - 1].as.integer : 0;
}

/* The topmost `count` values, which stay where they are; NULL (recorded) if there are fewer. */
static value *top(machine *m, size_t count) {
  if (m->stack.count - floor_of(m) >= count) return m->stack.at + m->stack.count - count;
  (void)damaged(m, "an opcode needs more values than there are");
  return NULL;
}

/* Take away the last mark; *count values stood above it, and *from is the first of them. */
static edgefw_status take_mark(machine *m, value **from, size_t *count) {
  if (m->marks.count == 0) return damaged(m, "an opcode needs a mark, and there is none");
  const size_t height = floor_of(m);
  --m->marks.count;
  *from = m->stack.at + height;
  *count = m->stack.count - height;
  m->stack.count = height;
  return EDGEFW_OK;
}

/* --- Values --- */

static edgefw_status push_text(machine *m, size_t width) {
  uint64_t length;
  if (!take_number(m, width, &length)) return edgefw_failure(m->ctx);
  const unsigned char *at = length <= m->length ? take(m, (size_t)length) : NULL;
  if (!at) return damaged(m, "a text is longer than the pickle");
  edgefw__pickle_text *text = edgefw_arena_take(m->arena, sizeof *text + (size_t)length + 1, 1);
  if (!text) return edgefw_failure(m->ctx);
  text->length = (size_t)length;
  memcpy(text->bytes, at, (size_t)length);
  text->bytes[length] = '\0';
  text->plain = memchr(text->bytes, '\0', text->length) == NULL;
  return push(m, (value){.kind = EDGEFW__PICKLE_TEXT, .as.text = text});
}

/* Bytes are what numbers of NumPy are made of; no tensor needs them. */
static edgefw_status pass_bytes(machine *m, size_t width) {
  uint64_t length;
  if (!take_number(m, width, &length)) return edgefw_failure(m->ctx);
  if (length > m->length || !take(m, (size_t)length))
    return damaged(m, "bytes are longer than the pickle");
  return push(m, (value){.kind = EDGEFW__PICKLE_OPAQUE});
}

static edgefw_status push_integer(machine *m, int64_t number) {
  return push(m, (value){.kind = EDGEFW__PICKLE_INTEGER, .as.integer = number});
}

static edgefw_status push_whole(machine *m, size_t width) {
  uint64_t bits;
  if (!take_number(m, width, &bits)) return edgefw_failure(m->ctx);
  return push_integer(m, width == 4 ? (int64_t)(int32_t)(uint32_t)bits : (int64_t)bits);
}

/* Two's complement of any length; one that is too long for us is no size of anything. */
static edgefw_status push_long(machine *m) {
  uint64_t length, bits = 0;
  const unsigned char *at = take_number(m, 1, &length) ? take(m, (size_t)length) : NULL;
  if (!at) return edgefw_failure(m->ctx);
  if (length > 8) return push(m, (value){.kind = EDGEFW__PICKLE_OPAQUE});
  if (length > 0 && at[length - 1] & 0x80u) bits = UINT64_MAX;
  for (size_t k = (size_t)length; k > 0; --k) bits = bits << 8 | at[k - 1];
  return push_integer(m, (int64_t)bits);
}

static edgefw_status push_real(machine *m) {
  uint64_t bits = 0;
  double number;
  const unsigned char *at = take(m, 8); /* the one number in big-endian order */
  if (!at) return edgefw_failure(m->ctx);
  for (int k = 0; k < 8; ++k) bits = bits << 8 | at[k];
  memcpy(&number, &bits, sizeof number);
  return push(m, (value){.kind = EDGEFW__PICKLE_REAL, .as.real = number});
}

/* A tuple, list or dict of copies of `count` values. */
static edgefw_status push_items(machine *m, edgefw__pickle_kind kind, const value *from,
                                size_t count) {
  edgefw__pickle_items *items = edgefw_arena_take(m->arena, 1, sizeof *items);
  bool good = items != NULL;
  for (size_t k = 0; good && k < count; ++k) good = edgefw__pickle_push(m->arena, items, from[k]);
  if (!good) return edgefw_failure(m->ctx);
  return push(m, (value){.kind = kind, .as.items = items});
}

static edgefw_status push_tuple(machine *m, size_t count) {
  const value *from = top(m, count);
  if (!from) return edgefw_failure(m->ctx);
  m->stack.count -= count;
  return push_items(m, EDGEFW__PICKLE_TUPLE, from, count);
}

static edgefw_status push_marked_tuple(machine *m) {
  value *from = NULL;
  size_t count = 0;
  const edgefw_status status = take_mark(m, &from, &count);
  return status == EDGEFW_OK ? push_items(m, EDGEFW__PICKLE_TUPLE, from, count) : status;
}

/* --- Containers that grow --- */

/* Put values into the list or dict below them. Objects that are passed over swallow theirs. */
static edgefw_status extend(machine *m, edgefw__pickle_kind kind, const value *from, size_t count) {
  const value *target = top(m, 1);
  if (!target) return edgefw_failure(m->ctx);
  if (target->kind == EDGEFW__PICKLE_OPAQUE) return EDGEFW_OK;
  if (target->kind != kind) return damaged(m, "items are put into what is no list and no dict");
  if (kind == EDGEFW__PICKLE_DICT && count % 2 != 0) return damaged(m, "a key has no value");
  for (size_t k = 0; k < count; ++k)
    if (!edgefw__pickle_push(m->arena, target->as.items, from[k])) return edgefw_failure(m->ctx);
  return EDGEFW_OK;
}

static edgefw_status extend_marked(machine *m, edgefw__pickle_kind kind) {
  value *from = NULL;
  size_t count = 0;
  const edgefw_status status = take_mark(m, &from, &count);
  return status == EDGEFW_OK ? extend(m, kind, from, count) : status;
}

static edgefw_status extend_top(machine *m, edgefw__pickle_kind kind, size_t count) {
  const value *from = top(m, count + 1);
  if (!from) return edgefw_failure(m->ctx);
  m->stack.count -= count;
  return extend(m, kind, from + 1, count);
}

/* --- The memo --- */

/* What stands at numbers that nothing was put to. */
static const value unused = {.kind = EDGEFW__PICKLE_NONE, .as.integer = -1};

static edgefw_status put(machine *m, uint64_t number) {
  const value *v = top(m, 1);
  if (!v) return edgefw_failure(m->ctx);
  if (number >= m->length) return damaged(m, "the memo has more numbers than the pickle has bytes");
  while (m->memo.count <= number)
    if (!edgefw__pickle_push(m->arena, &m->memo, unused)) return edgefw_failure(m->ctx);
  m->memo.at[number] = *v;
  return EDGEFW_OK;
}

static edgefw_status put_at(machine *m, size_t width) {
  uint64_t number;
  return take_number(m, width, &number) ? put(m, number) : edgefw_failure(m->ctx);
}

static edgefw_status get_at(machine *m, size_t width) {
  uint64_t number;
  if (!take_number(m, width, &number)) return edgefw_failure(m->ctx);
  if (number >= m->memo.count || (m->memo.at[number].kind == EDGEFW__PICKLE_NONE &&
                                  m->memo.at[number].as.integer == unused.as.integer))
    return damaged(m, "the memo has no such number");
  return push(m, m->memo.at[number]);
}

/* --- Names, and what they would be called with --- */

static edgefw_status push_global(machine *m, const char *module, size_t module_length,
                                 const char *name, size_t name_length) {
  char texts[2][64];
  snprintf(texts[0], sizeof texts[0], "%.*s", module_length < 63 ? (int)module_length : 63, module);
  snprintf(texts[1], sizeof texts[1], "%.*s", name_length < 63 ? (int)name_length : 63, name);
  const edgefw__pickle_global *global = edgefw__pickle_global_find(texts[0], texts[1]);
  if (global && strlen(texts[0]) == module_length && strlen(texts[1]) == name_length)
    return push(m, (value){.kind = EDGEFW__PICKLE_GLOBAL, .as.global = global});
  edgefw__utf8_clean(texts[0], "");
  edgefw__utf8_clean(texts[1], "");
  return edgefw_fail(m->ctx, EDGEFW_UNSUPPORTED,
                     "'%s': byte %zu of its pickle names %s.%s, which no state dict needs: save "
                     "model.state_dict() alone (nothing of the file was run)",
                     m->path, m->op, texts[0], texts[1]);
}

static edgefw_status global_of_lines(machine *m) {
  size_t lengths[2] = {0, 0};
  const unsigned char *module = take_line(m, &lengths[0]);
  const unsigned char *name = module ? take_line(m, &lengths[1]) : NULL;
  if (!name) return edgefw_failure(m->ctx);
  return push_global(m, (const char *)module, lengths[0], (const char *)name, lengths[1]);
}

static edgefw_status global_of_stack(machine *m) {
  const value *names = top(m, 2);
  if (!names) return edgefw_failure(m->ctx);
  if (names[0].kind != EDGEFW__PICKLE_TEXT || names[1].kind != EDGEFW__PICKLE_TEXT)
    return damaged(m, "a name is no text");
  const edgefw__pickle_text *module = names[0].as.text, *name = names[1].as.text;
  m->stack.count -= 2;
  return push_global(m, module->bytes, module->length, name->bytes, name->length);
}

static edgefw_status push_made(machine *m, bool made, const value *v, const char *why) {
  if (made) return push(m, *v);
  return why ? damaged(m, why) : edgefw_failure(m->ctx);
}

static edgefw_status load_persistent(machine *m) {
  const value *id = top(m, 1);
  value made;
  const char *why = NULL;
  if (!id) return edgefw_failure(m->ctx);
  --m->stack.count;
  const bool good = edgefw__pickle_storage_of(m->arena, id, &made, &why);
  return push_made(m, good, &made, why);
}

/* What a call would give; nothing is called. */
static edgefw_status reduce(machine *m) {
  const value *call = top(m, 2);
  if (!call) return edgefw_failure(m->ctx);
  if (call[0].kind != EDGEFW__PICKLE_GLOBAL || call[1].kind != EDGEFW__PICKLE_TUPLE)
    return damaged(m, "what is called is no name, or what it is given is no tuple");
  const edgefw__pickle_global *global = call[0].as.global;
  const value arguments = call[1];
  value made = {.kind = EDGEFW__PICKLE_OPAQUE};
  const char *why = "a storage cannot be called";
  bool good = global->role != EDGEFW__PICKLE_IS_STORAGE;
  m->stack.count -= 2;
  if (global->role == EDGEFW__PICKLE_IS_DICT) {
    if (arguments.as.items->count == 0) return push_items(m, EDGEFW__PICKLE_DICT, NULL, 0);
    good = false;
    why = "OrderedDict is given items at once, which PyTorch does not do";
  } else if (global->role == EDGEFW__PICKLE_IS_TENSOR ||
             global->role == EDGEFW__PICKLE_IS_PARAMETER) {
    good = edgefw__pickle_tensor_of(m->arena, global, &arguments, &made, &why);
  }
  return push_made(m, good, &made, why);
}

/* State that an object is given, such as a state dict's _metadata, is passed over. */
static edgefw_status build(machine *m) {
  const value *object = top(m, 2);
  if (!object) return edgefw_failure(m->ctx);
  const edgefw__pickle_kind kind = object->kind;
  --m->stack.count;
  if (kind == EDGEFW__PICKLE_DICT || kind == EDGEFW__PICKLE_TENSOR || kind == EDGEFW__PICKLE_OPAQUE)
    return EDGEFW_OK;
  return damaged(m, "state is given to what has none");
}

/* --- The program --- */

static edgefw_status begin_protocol(machine *m) {
  uint64_t protocol;
  if (!take_number(m, 1, &protocol)) return edgefw_failure(m->ctx);
  if (protocol >= 2 && protocol <= 5) return EDGEFW_OK;
  return fail(m, EDGEFW_UNSUPPORTED, "its protocol is none of 2 to 5");
}

static edgefw_status push_mark(machine *m) {
  const value height = {.kind = EDGEFW__PICKLE_INTEGER, .as.integer = (int64_t)m->stack.count};
  return edgefw__pickle_push(m->arena, &m->marks, height) ? EDGEFW_OK : edgefw_failure(m->ctx);
}

static edgefw_status pass_frame(machine *m) {
  uint64_t length;
  if (!take_number(m, 8, &length)) return edgefw_failure(m->ctx);
  return length <= m->length - m->next ? EDGEFW_OK
                                       : damaged(m, "a frame is longer than the pickle");
}

static edgefw_status drop_marked(machine *m) {
  value *from = NULL;
  size_t count = 0;
  const edgefw_status status = take_mark(m, &from, &count);
  return status == EDGEFW_OK && !top(m, 1) ? edgefw_failure(m->ctx) : status;
}

static edgefw_status do_opcode(machine *m, unsigned char opcode) {
  switch (opcode) {
  case 0x80: return begin_protocol(m);                                       /* PROTO */
  case 0x95: return pass_frame(m);                                           /* FRAME */
  case '(': return push_mark(m);                                             /* MARK */
  case 'N': return push(m, (value){.kind = EDGEFW__PICKLE_NONE});            /* NONE */
  case 0x88: return push(m, (value){EDGEFW__PICKLE_BOOL, {.truth = true}});  /* NEWTRUE */
  case 0x89: return push(m, (value){EDGEFW__PICKLE_BOOL, {.truth = false}}); /* NEWFALSE */
  case 'K': return push_whole(m, 1);                                         /* BININT1 */
  case 'M': return push_whole(m, 2);                                         /* BININT2 */
  case 'J': return push_whole(m, 4);                                         /* BININT */
  case 0x8a: return push_long(m);                                            /* LONG1 */
  case 'G': return push_real(m);                                             /* BINFLOAT */
  case 0x8c: return push_text(m, 1);                                         /* SHORT_BINUNICODE */
  case 'X': return push_text(m, 4);                                          /* BINUNICODE */
  case 0x8d: return push_text(m, 8);                                         /* BINUNICODE8 */
  case 'C': return pass_bytes(m, 1);                                         /* SHORT_BINBYTES */
  case 'B': return pass_bytes(m, 4);                                         /* BINBYTES */
  case ')': return push_items(m, EDGEFW__PICKLE_TUPLE, NULL, 0);             /* EMPTY_TUPLE */
  case ']': return push_items(m, EDGEFW__PICKLE_LIST, NULL, 0);              /* EMPTY_LIST */
  case '}': return push_items(m, EDGEFW__PICKLE_DICT, NULL, 0);              /* EMPTY_DICT */
  case 0x8f: return push(m, (value){.kind = EDGEFW__PICKLE_OPAQUE});         /* EMPTY_SET */
  case 0x85: return push_tuple(m, 1);                                        /* TUPLE1 */
  case 0x86: return push_tuple(m, 2);                                        /* TUPLE2 */
  case 0x87: return push_tuple(m, 3);                                        /* TUPLE3 */
  case 't': return push_marked_tuple(m);                                     /* TUPLE */
  case 'a': return extend_top(m, EDGEFW__PICKLE_LIST, 1);                    /* APPEND */
  case 'e': return extend_marked(m, EDGEFW__PICKLE_LIST);                    /* APPENDS */
  case 's': return extend_top(m, EDGEFW__PICKLE_DICT, 2);                    /* SETITEM */
  case 'u': return extend_marked(m, EDGEFW__PICKLE_DICT);                    /* SETITEMS */
  case 0x90: return drop_marked(m);                                          /* ADDITEMS */
  case 'q': return put_at(m, 1);                                             /* BINPUT */
  case 'r': return put_at(m, 4);                                             /* LONG_BINPUT */
  case 0x94: return put(m, m->memo.count);                                   /* MEMOIZE */
  case 'h': return get_at(m, 1);                                             /* BINGET */
  case 'j': return get_at(m, 4);                                             /* LONG_BINGET */
  case 'c': return global_of_lines(m);                                       /* GLOBAL */
  case 0x93: return global_of_stack(m);                                      /* STACK_GLOBAL */
  case 'Q': return load_persistent(m);                                       /* BINPERSID */
  case 'R': return reduce(m);                                                /* REDUCE */
  case 'b': return build(m);                                                 /* BUILD */
  default: return refuse_opcode(m, opcode);
  }
}

/* STOP: one value is left. */
static edgefw_status finish(machine *m, value *out) {
  if (m->marks.count > 0 || m->stack.count != 1)
    return damaged(m, "it ends with other than one value");
  if (m->next != m->length) return damaged(m, "it goes on behind its end");
  *out = m->stack.at[0];
  return EDGEFW_OK;
}

edgefw_status edgefw__pickle_read(edgefw_context *ctx, edgefw_arena *arena, const char *path,
                                  const unsigned char *bytes, size_t length,
                                  edgefw__pickle_value *out) {
  machine m = {.ctx = ctx, .arena = arena, .path = path, .bytes = bytes, .length = length};
  edgefw_status status = EDGEFW_OK;
  if (length > EDGEFW__PICKLE_MAX_BYTES)
    return edgefw_fail(ctx, EDGEFW_UNSUPPORTED,
                       "'%s': its pickle has %zu bytes, at most %d are read", path, length,
                       EDGEFW__PICKLE_MAX_BYTES);
  if (length < 2 || bytes[0] != 0x80)
    return edgefw_fail(ctx, EDGEFW_FORMAT, "'%s': its pickle does not begin with a protocol", path);
  while (status == EDGEFW_OK) {
    m.op = m.next;
    const unsigned char *opcode = take(&m, 1);
    if (!opcode) return edgefw_failure(ctx);
    if (*opcode == '.') return finish(&m, out);
    status = do_opcode(&m, *opcode);
  }
  return status;
}
