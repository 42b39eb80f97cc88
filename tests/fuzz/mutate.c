/* Changing bytes of files. */
#include "mutate.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* --- The files --- */

static bool is_text(const unsigned char *bytes, size_t length) {
  for (size_t b = 0; b < length; ++b)
    if (bytes[b] < ' ' && !strchr("\t\r\n", bytes[b])) return false;
  return true;
}

static void load_file(mutate_corpus *corpus, const char *path) {
  struct stat info;
  FILE *stream = stat(path, &info) == 0 && S_ISREG(info.st_mode) ? fopen(path, "rb") : NULL;
  if (!stream || corpus->count == MUTATE_MAX_FILES) {
    if (stream) fclose(stream);
    return;
  }
  mutate_file file = {.bytes = malloc(MUTATE_MAX_BYTES)};
  if (!file.bytes) abort();
  file.length = fread(file.bytes, 1, MUTATE_MAX_BYTES, stream);
  file.text = is_text(file.bytes, file.length);
  fclose(stream);
  corpus->files[corpus->count++] = file;
}

bool mutate_load(mutate_corpus *corpus, const char *folder) {
  struct dirent **entries = NULL;
  const int count = scandir(folder, &entries, NULL, alphasort);
  for (int e = 0; e < count; ++e) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, entries[e]->d_name);
    load_file(corpus, path);
    free(entries[e]);
  }
  free(entries);
  return corpus->count > 0;
}

/* --- An input in the making --- */

typedef struct work {
  const mutate_corpus *corpus;
  uint64_t random; /* state */
  unsigned char *bytes;
  size_t length;
} work;

/* SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t next(work *w) {
  uint64_t z = w->random += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

static size_t below(work *w, size_t bound) {
  return bound > 0 ? (size_t)(next(w) % bound) : 0;
}

/* Put `count` bytes in place of `removed` ones at `at`; what is too much is cut off. */
static void replace(work *w, size_t at, size_t removed, const void *bytes, size_t count) {
  unsigned char copy[4096];
  if (count > sizeof copy) count = sizeof copy;
  memcpy(copy, bytes, count); /* it may be a part of the input itself */
  const size_t rest = w->length - at - removed;
  if (at + count + rest > MUTATE_MAX_BYTES) return;
  memmove(w->bytes + at + count, w->bytes + at + removed, rest);
  memcpy(w->bytes + at, copy, count);
  w->length = at + count + rest;
}

/* --- Changes of any file --- */

static void flip_bit(work *w) {
  if (w->length > 0) w->bytes[below(w, w->length)] ^= (unsigned char)(1u << below(w, 8));
}

static void cut_off(work *w) {
  w->length = below(w, w->length + 1);
}

static void remove_part(work *w) {
  const size_t at = below(w, w->length), most = w->length - at < 64 ? w->length - at : 64;
  replace(w, at, below(w, most + 1), "", 0);
}

static void repeat_part(work *w) {
  const size_t at = below(w, w->length), most = w->length - at < 64 ? w->length - at : 64;
  const size_t count = below(w, most + 1);
  for (size_t times = 1 + below(w, 8); times > 0; --times) replace(w, at, 0, w->bytes + at, count);
}

/* A part of another file. */
static void splice(work *w) {
  const mutate_file *other = &w->corpus->files[below(w, (size_t)w->corpus->count)];
  const size_t from = below(w, other->length), most = other->length - from;
  const size_t count = below(w, most < 512 ? most + 1 : 512), at = below(w, w->length + 1);
  const size_t over = count < w->length - at ? count : w->length - at;
  replace(w, at, below(w, 2) ? over : 0, other->bytes + from, count);
}

/* --- Changes of text --- */

static void change_character(work *w) {
  static const char set[] = " \t\n\r0123456789+-.eE:;#=[],'\"_/\\AZaz%\x7f\x80\xc3\xff";
  if (w->length > 0) w->bytes[below(w, w->length)] = (unsigned char)set[below(w, sizeof set)];
}

static bool in_number(unsigned char c) {
  return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E';
}

static void change_number(work *w) {
  static const char *const numbers[] = {"0",
                                        "-1",
                                        "1",
                                        "2",
                                        "3",
                                        "1.5",
                                        "-0",
                                        "1e308",
                                        "-1e308",
                                        "1e-320",
                                        "2147483647",
                                        "2147483648",
                                        "-2147483649",
                                        "4294967296",
                                        "9223372036854775807",
                                        "9223372036854775808",
                                        "99999999999999999999999",
                                        "nan",
                                        "inf",
                                        "0x10",
                                        "1e400",
                                        ".",
                                        "1e",
                                        "--1",
                                        "1000000",
                                        "65536",
                                        "50000",
                                        "1 000",
                                        "1,5",
                                        ""};
  size_t at = below(w, w->length);
  while (at < w->length && !in_number(w->bytes[at])) ++at;
  size_t end = at;
  while (end < w->length && in_number(w->bytes[end])) ++end;
  const char *number = numbers[below(w, sizeof numbers / sizeof *numbers)];
  if (end > at) replace(w, at, end - at, number, strlen(number));
}

/* Begin and end of the line around a place. */
static void find_line(const work *w, size_t place, size_t *begin, size_t *end) {
  *begin = place;
  while (*begin > 0 && w->bytes[*begin - 1] != '\n') --*begin;
  *end = place;
  while (*end < w->length && w->bytes[(*end)++] != '\n') {
  }
}

static void move_line(work *w) {
  size_t begin, end, to, unused;
  find_line(w, below(w, w->length), &begin, &end);
  find_line(w, below(w, w->length), &to, &unused);
  replace(w, to, 0, w->bytes + begin, end - begin);
  if (below(w, 2) && w->length > 0) {
    find_line(w, below(w, w->length), &begin, &end);
    replace(w, begin, end - begin, "", 0);
  }
}

/* --- Changes of binary files --- */

static void change_byte(work *w) {
  static const unsigned char set[] = {0, 1, 2, 4, 8, 16, 127, 128, 254, 255};
  if (w->length > 0) w->bytes[below(w, w->length)] = set[below(w, sizeof set)];
}

static void change_integer(work *w) {
  static const uint64_t set[] = {0,
                                 1,
                                 2,
                                 8,
                                 255,
                                 256,
                                 65535,
                                 1 << 20,
                                 INT32_MAX,
                                 UINT32_MAX,
                                 INT64_MAX,
                                 UINT64_MAX,
                                 UINT64_C(1) << 32,
                                 UINT64_C(1) << 40};
  const size_t width = (size_t)1 << below(w, 4), at = below(w, w->length);
  if (at + width > w->length) return;
  uint64_t value = 0;
  memcpy(&value, w->bytes + at, width);
  if (below(w, 2))
    value = set[below(w, sizeof set / sizeof *set)];
  else
    value += below(w, 65) - 32;
  for (size_t b = 0; b < width; ++b) w->bytes[at + b] = (unsigned char)(value >> 8 * b);
}

static void fill_part(work *w) {
  const size_t at = below(w, w->length), most = w->length - at < 32 ? w->length - at : 32;
  if (w->length > 0) memset(w->bytes + at, below(w, 2) ? 0xff : 0, below(w, most + 1));
}

/* --- Inputs --- */

typedef void (*change)(work *);

size_t mutate(const mutate_corpus *corpus, uint64_t seed, uint64_t number, unsigned char *out) {
  static const change text[] = {change_character, change_character, change_number, change_number,
                                move_line,        remove_part,      repeat_part,   splice,
                                flip_bit,         cut_off};
  static const change binary[] = {change_byte,    change_byte, change_integer, change_integer,
                                  change_integer, flip_bit,    flip_bit,       fill_part,
                                  splice,         remove_part, repeat_part,    cut_off};
  work w = {.corpus = corpus, .random = seed << 40 ^ number, .bytes = out};
  const bool as_it_is = number < (uint64_t)corpus->count;
  const size_t choice = as_it_is ? (size_t)number : below(&w, (size_t)corpus->count);
  const mutate_file *file = &corpus->files[choice];
  memcpy(out, file->bytes, file->length);
  w.length = file->length;
  /* Few changes more often than many: a file with one fault goes furthest. */
  for (size_t changes = as_it_is ? 0 : 1 + below(&w, 1 + below(&w, 8)); changes > 0; --changes) {
    if (file->text)
      text[below(&w, sizeof text / sizeof *text)](&w);
    else
      binary[below(&w, sizeof binary / sizeof *binary)](&w);
  }
  return w.length;
}
