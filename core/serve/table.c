/* Reading numbers quickly. */
#include "serve/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "edgefw/instance.h"

/* Digits that a double holds exactly, whatever they are. */
#define EXACT_DIGITS 15

/* Bytes of a number that is looked at closer than that. */
#define MOST_BYTES 40

/* A place in the text. */
typedef struct cursor {
  const char *at, *end;
} cursor;

static void skip_blanks(cursor *c) {
  while (c->at < c->end && (*c->at == ' ' || *c->at == '\t' || *c->at == '\r')) ++c->at;
}

/* Pass over this character and blanks around it. */
static bool take(cursor *c, char wanted) {
  skip_blanks(c);
  if (c->at == c->end || *c->at != wanted) return false;
  ++c->at;
  skip_blanks(c);
  return true;
}

/* --- Numbers --- */

static int take_digits(cursor *c, int64_t *value) {
  int digits = 0;
  for (; c->at < c->end && *c->at >= '0' && *c->at <= '9'; ++c->at, ++digits)
    if (digits < EXACT_DIGITS) *value = 10 * *value + (*c->at - '0');
  return digits;
}

/* Of what begins at `first` with whole digits: the rest of it, by the C library. */
static bool take_fraction(cursor *c, const char *first, double *out) {
  char copy[MOST_BYTES + 1], *stop = NULL;
  int64_t ignored = 0;
  if (c->at < c->end && *c->at == '.') {
    ++c->at;
    if (take_digits(c, &ignored) == 0) return false;
  }
  if (c->at < c->end && (*c->at == 'e' || *c->at == 'E')) {
    ++c->at;
    if (c->at < c->end && (*c->at == '+' || *c->at == '-')) ++c->at;
    if (take_digits(c, &ignored) == 0) return false;
  }
  const size_t length = (size_t)(c->at - first);
  if (length > MOST_BYTES) return false;
  memcpy(copy, first, length);
  copy[length] = '\0';
  *out = strtod(copy, &stop);
  return stop == copy + length && isfinite(*out);
}

static bool take_number(cursor *c, double *out) {
  static const char none[] = "null";
  const char *first = c->at;
  int64_t value = 0;
  if ((size_t)(c->end - c->at) >= sizeof none - 1 && memcmp(c->at, none, sizeof none - 1) == 0) {
    c->at += sizeof none - 1;
    *out = (double)INFINITY;
    return true;
  }
  const int digits = take_digits(c, &value);
  if (digits == 0 || (digits > 1 && *first == '0')) return false;
  *out = (double)value;
  const bool more = c->at < c->end && (*c->at == '.' || *c->at == 'e' || *c->at == 'E');
  return more ? take_fraction(c, first, out) : digits <= EXACT_DIGITS;
}

/* --- The table --- */

/* Numbers of the row that begins here. */
static int64_t count_row(cursor c) {
  double ignored = 0.0;
  int64_t count = 0;
  if (!take(&c, '[')) return 0;
  do {
    if (!take_number(&c, &ignored)) return 0;
    ++count;
  } while (take(&c, ','));
  return take(&c, ']') ? count : 0;
}

static bool take_row(cursor *c, int64_t n, double *out) {
  if (!take(c, '[')) return false;
  for (int64_t j = 0; j < n; ++j)
    if ((j > 0 && !take(c, ',')) || !take_number(c, &out[j])) return false;
  return take(c, ']');
}

static bool take_table(edgefw_arena *arena, cursor *c, edgefw__table *out) {
  out->begin = c->at;
  if (!take(c, '[')) return false;
  const int64_t n = out->n = count_row(*c);
  /* Each number has a digit and what parts it from the next: there is no memory for a claim. */
  if (n < 2 || n > EDGEFW_MAX_NODES || c->end - c->at < 2 * n * n) return false;
  out->cost = edgefw_arena_take(arena, (size_t)(n * n), sizeof *out->cost);
  if (!out->cost) return false;
  for (int64_t i = 0; i < n; ++i)
    if ((i > 0 && !take(c, ',')) || !take_row(c, n, out->cost + i * n)) return false;
  skip_blanks(c);
  if (c->at == c->end || *c->at != ']') return false;
  out->end = ++c->at;
  return true;
}

/* --- The member --- */

/* Pass over the text that begins here with a quote; *inside is what is between its quotes, and its
 * length is returned; -1: it does not end. */
static int64_t skip_text(cursor *c, const char **inside) {
  *inside = ++c->at;
  for (; c->at < c->end && *c->at != '"'; ++c->at)
    if (*c->at == '\\') ++c->at;
  if (c->at >= c->end) return -1;
  return c->at++ - *inside;
}

bool edgefw__table_read(edgefw_arena *arena, const char *text, size_t length, const char *name,
                        edgefw__table *out) {
  cursor c = {text, text + length};
  const int64_t wanted = (int64_t)strlen(name);
  int depth = 0;
  *out = (edgefw__table){.cost = NULL};
  while (c.at < c.end) {
    const char *inside = NULL;
    if (*c.at != '"') {
      depth += (*c.at == '{' || *c.at == '[') - (*c.at == '}' || *c.at == ']');
      ++c.at;
      continue;
    }
    const int64_t bytes = skip_text(&c, &inside);
    if (bytes < 0) return false;
    /* A name has a colon behind it, a value has none. */
    if (depth == 1 && bytes == wanted && memcmp(inside, name, (size_t)bytes) == 0 && take(&c, ':'))
      return take_table(arena, &c, out);
  }
  return false;
}
