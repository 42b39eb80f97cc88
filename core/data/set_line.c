/* Lines that name sets of instances. */
#include "data/set_line.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "base/text_file.h"
#include "plugin/options.h"

/* Numbers of a dataset that are in memory at once. */
#define CONTENT_BLOCK ((int64_t)1 << 20)

enum { MAX_PAIRS = 64 };

/* --- Writing --- */

/* A value may be any text: what would end the pair or the line becomes '_', on both sides of every
 * comparison. */
static void add_pair(edgefw__text *text, const char *key, const char *value) {
  edgefw__text_add(text, "; %s = ", key);
  for (; *value; ++value)
    edgefw__text_add_bytes(text, *value == ';' || (unsigned char)*value < ' ' ? "_" : value, 1);
}

static const char *keep(edgefw_arena *arena, edgefw__text *text) {
  const char *line = text->failed ? NULL : edgefw_arena_text(arena, edgefw__text_get(text));
  edgefw__text_release(text);
  return line;
}

const char *edgefw__set_line_generated(edgefw_context *ctx, edgefw_arena *arena,
                                       const edgefw__plugin *problem, const edgefw_options *options,
                                       int64_t size, uint64_t seed) {
  edgefw__text text = {.ctx = ctx};
  edgefw__text_add(&text, "problem = %s; size = %" PRId64 "; seed = %" PRIu64,
                   problem->descriptor->name, size, seed);
  for (size_t i = 0; i < edgefw__options_size(options); ++i)
    add_pair(&text, edgefw__options_key(options, i), edgefw__options_value(options, i)->text);
  return keep(arena, &text);
}

const char *edgefw__set_line_stored(edgefw_arena *arena, const char *problem_name, int64_t nodes,
                                    uint64_t content, const edgefw__forbidden_rule *rule) {
  char value[64] = "", number[32];
  if (rule->given)
    snprintf(value, sizeof value, "; forbidden = %s",
             edgefw__number_text(rule->value, number, sizeof number));
  return edgefw_arena_format(arena, "problem = %s; nodes = %" PRId64 "; content = %016" PRIx64 "%s",
                             problem_name, nodes, content, value);
}

/* --- Content --- */

static uint64_t add_instances(uint64_t hash, const edgefw__batch *batch) {
  for (int64_t b = 0; b < batch->count; ++b)
    for (int f = 0; f < batch->field_count; ++f) {
      const edgefw_field *field = &batch->fields[f];
      const int64_t numbers = edgefw_field_count(field->shape, batch->n);
      if (field->storage == EDGEFW_STORE_DERIVED) continue;
      hash = edgefw__hash_add(hash, field->name, strlen(field->name) + 1);
      hash = edgefw__hash_add(hash, batch->data[f] + b * numbers, (size_t)numbers * sizeof(double));
    }
  return hash;
}

edgefw_status edgefw__set_content(edgefw_context *ctx, edgefw__dataset *dataset,
                                  const edgefw_field *fields, uint64_t *out) {
  const edgefw__dataset_summary *summary = edgefw__dataset_describe(dataset);
  const int64_t fit = CONTENT_BLOCK / (summary->n * summary->n + 1) + 1;
  edgefw__batch *batch = NULL;
  edgefw_status status =
      edgefw__batch_create(ctx, fields, fit < summary->count ? fit : summary->count,
                           summary->n > 0 ? summary->n : 1, &batch);
  const int64_t sizes[] = {summary->count, summary->n};
  uint64_t hash = edgefw__hash_add(EDGEFW__HASH_EMPTY, sizes, sizeof sizes);
  for (int64_t first = 0; status == EDGEFW_OK && first < summary->count; first += batch->capacity) {
    const int64_t left = summary->count - first;
    status = edgefw__dataset_read(dataset, first, left < batch->capacity ? left : batch->capacity,
                                  batch);
    if (status == EDGEFW_OK) hash = add_instances(hash, batch);
  }
  edgefw__batch_destroy(ctx, batch);
  *out = hash;
  return status;
}

/* --- Reading --- */

typedef struct pairs {
  int count;
  const char *keys[MAX_PAIRS], *values[MAX_PAIRS];
} pairs;

/* Cut off blanks at both ends, in place. */
static char *trim(char *text) {
  text += strspn(text, " \t\r");
  size_t length = strlen(text);
  while (length > 0 && strchr(" \t\r", text[length - 1])) text[--length] = '\0';
  return text;
}

/* "key = value; key = value"; more than fit, and what is no pair, are left out. */
static edgefw_status cut(edgefw_context *ctx, edgefw_arena *arena, const char *line, pairs *out) {
  char *at = edgefw_arena_text(arena, line);
  out->count = 0;
  if (!at) return edgefw_failure(ctx);
  while (*at && out->count < MAX_PAIRS) {
    char *next = at + strcspn(at, ";");
    if (*next) *next++ = '\0';
    char *equals = strchr(at, '=');
    if (equals) {
      *equals = '\0';
      out->keys[out->count] = trim(at);
      out->values[out->count++] = trim(equals + 1);
    }
    at = next;
  }
  return EDGEFW_OK;
}

static const char *value_of(const pairs *p, const char *key) {
  for (int i = 0; i < p->count; ++i)
    if (strcmp(p->keys[i], key) == 0) return p->values[i];
  return NULL;
}

bool edgefw__set_line_is_stored(const char *line) {
  return strstr(line, "content =") != NULL;
}

/* "0.50" is 0.5; seeds may have more digits than a double. */
static bool same_value(const char *a, const char *b) {
  double x = 0.0, y = 0.0;
  int64_t i = 0, j = 0;
  if (strcmp(a, b) == 0) return true;
  if (edgefw__parse_integer(a, &i) && edgefw__parse_integer(b, &j)) return i == j;
  return edgefw__parse_number(a, &x) && edgefw__parse_number(b, &y) && x == y;
}

/* Does `b` say what `a` says, where it does not say nothing of a key that has its default in `a`?
 */
static bool covers(const edgefw_option *table, const pairs *a, const pairs *b) {
  for (int i = 0; i < a->count; ++i) {
    const edgefw_option *option = edgefw__option_find(table, a->keys[i]);
    const char *other = value_of(b, a->keys[i]);
    if (!other && option) other = option->fallback;
    if (!other || !same_value(a->values[i], other)) return false;
  }
  return true;
}

edgefw_status edgefw__set_line_same(edgefw_context *ctx, edgefw_arena *scratch,
                                    const edgefw_option *table, const char *a, const char *b,
                                    bool *same) {
  pairs p, q;
  edgefw_status status = cut(ctx, scratch, a, &p);
  if (status == EDGEFW_OK) status = cut(ctx, scratch, b, &q);
  *same = status == EDGEFW_OK && covers(table, &p, &q) && covers(table, &q, &p);
  return status;
}

/* The problem's keys among the pairs; everything else names problem, size and seed. */
static edgefw_status read_options(edgefw_context *ctx, edgefw_arena *arena,
                                  const edgefw__plugin *problem, const pairs *p,
                                  edgefw_options **out) {
  edgefw__setting settings[MAX_PAIRS];
  size_t count = 0;
  for (int i = 0; i < p->count; ++i)
    if (strcmp(p->keys[i], "problem") != 0 && strcmp(p->keys[i], "size") != 0 &&
        strcmp(p->keys[i], "seed") != 0)
      settings[count++] = (edgefw__setting){p->keys[i], p->values[i], "a line", NULL, 0};
  return edgefw__options_create(ctx, arena, "problem", problem->options, settings, count, out);
}

edgefw_status edgefw__set_line_parse(edgefw_context *ctx, edgefw_arena *arena,
                                     const edgefw__plugin *problem, const char *line,
                                     edgefw__set_generated *out, bool *good) {
  pairs p;
  int64_t seed = -1;
  *out = (edgefw__set_generated){0};
  *good = false;
  edgefw_status status = cut(ctx, arena, line, &p);
  if (status != EDGEFW_OK) return status;
  const char *name = value_of(&p, "problem"), *size = value_of(&p, "size");
  const char *start = value_of(&p, "seed");
  if (!name || strcmp(name, problem->descriptor->name) != 0 || !size || !start ||
      !edgefw__parse_integer(size, &out->size) || !edgefw__parse_integer(start, &seed) ||
      out->size < 1 || out->size > EDGEFW_MAX_NODES || seed < 0)
    return EDGEFW_OK;
  out->seed = (uint64_t)seed;
  status = read_options(ctx, arena, problem, &p, &out->options);
  if (status == EDGEFW_OUT_OF_MEMORY) return status;
  *good = status == EDGEFW_OK;
  edgefw_clear(ctx);
  return EDGEFW_OK;
}
