/* INI files over libinih. The packaged libinih cuts long lines, goes on after errors, tells the
 * handler no line number and hides empty sections; so lines come from our own reader, which counts
 * them, looks at them first and ends the input at the first error. */
#include "config/ini.h"

#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define MAX_FILES 64 /* read in all: a bound on repeated includes */

typedef struct parse {
  edgefw__ini *ini; /* takes the entries of this file alone */
  const char *file, *folder;
  const char *at, *end; /* what is left of the file */
  int line;
  bool indented;  /* the line begins with a blank */
  bool fresh;     /* no key yet in this section: an indented line is no continuation */
  bool expecting; /* the line is not yet accounted for by a call of the handler */
  edgefw_status status;
} parse;

/* Files being read, innermost first. */
typedef struct frame {
  const char *real;
  const struct frame *outer;
  int depth;
} frame;

/* --- Growing lists --- */

/* Room for one more item: the (moved) items, or NULL. */
static void *grow(edgefw_arena *arena, void *items, size_t count, size_t *capacity, size_t size) {
  if (count < *capacity) return items;
  const size_t doubled = *capacity ? *capacity * 2 : 32;
  void *moved = edgefw_arena_take(arena, doubled, size);
  if (!moved) return NULL;
  if (count) memcpy(moved, items, count * size);
  *capacity = doubled;
  return moved;
}

static edgefw_status append_entry(edgefw__ini *ini, const edgefw__ini_entry *entry) {
  if (ini->entry_count >= EDGEFW__INI_MAX_ENTRIES)
    return edgefw_fail(ini->ctx, EDGEFW_CONFIG, "%s: more than %d keys in a configuration",
                       entry->where, EDGEFW__INI_MAX_ENTRIES);
  void *items =
      grow(ini->arena, ini->entries, ini->entry_count, &ini->entry_capacity, sizeof *ini->entries);
  if (!items) return edgefw_failure(ini->ctx);
  ini->entries = items;
  ini->entries[ini->entry_count++] = *entry;
  return EDGEFW_OK;
}

static edgefw_status append_section(edgefw__ini *ini, const edgefw__ini_section *section) {
  if (ini->section_count >= EDGEFW__INI_MAX_ENTRIES)
    return edgefw_fail(ini->ctx, EDGEFW_CONFIG, "%s: more than %d sections in a configuration",
                       section->where, EDGEFW__INI_MAX_ENTRIES);
  void *items = grow(ini->arena, ini->sections, ini->section_count, &ini->section_capacity,
                     sizeof *ini->sections);
  if (!items) return edgefw_failure(ini->ctx);
  ini->sections = items;
  ini->sections[ini->section_count++] = *section;
  return EDGEFW_OK;
}

/* --- Lines --- */

static edgefw_status fail_line(const parse *p, const char *what) {
  return edgefw_fail(p->ini->ctx, EDGEFW_CONFIG, "%s:%d: %s", p->file, p->line, what);
}

/* A section header: "[name]", then nothing but a comment. */
static edgefw_status see_section(parse *p, const char *line, const char *end) {
  const char *name = line + 1;
  const char *close = memchr(name, ']', (size_t)(end - name));
  if (!close || memchr(name, ';', (size_t)(close - name)))
    return fail_line(p, "a section header needs its ']': expected [name]");
  if (close == name) return fail_line(p, "the section has no name: expected [name]");
  if (close - name > EDGEFW__INI_MAX_SECTION) return fail_line(p, "the section's name is too long");
  const char *rest = close + 1;
  while (rest < end && isspace((unsigned char)*rest)) ++rest;
  if (rest < end && *rest != ';' && *rest != '#')
    return fail_line(p, "unexpected text after the section header: put keys on their own lines");
  const edgefw__ini_section section = {
      .name = edgefw_arena_format(p->ini->arena, "%.*s", (int)(close - name), name),
      .where = edgefw_arena_format(p->ini->arena, "%s:%d", p->file, p->line)};
  p->fresh = true;
  if (!section.name || !section.where) return edgefw_failure(p->ini->ctx);
  return append_section(p->ini, &section);
}

/* Look at a line before libinih gets it. */
static edgefw_status see_line(parse *p, const char *line, const char *end) {
  const char *first = line;
  while (first < end && isspace((unsigned char)*first)) ++first;
  p->indented = first > line;
  if (end - line > EDGEFW__INI_MAX_LINE)
    return fail_line(p,
                     "the line is longer than 198 bytes: continue the value on an indented line");
  for (const char *c = line; c < end; ++c)
    if ((unsigned char)*c < 0x20 && !isspace((unsigned char)*c))
      return fail_line(p, "the line holds a control byte: expected a text file");
  if (first == end || *first == ';' || *first == '#') return EDGEFW_OK;
  if (*first == '[' && (p->fresh || !p->indented)) return see_section(p, first, end);
  p->expecting = true;
  return EDGEFW_OK;
}

/* libinih skips lines that it does not understand without a word. A line with content for which it
 * did not call the handler is such a line: fail on it. */
static void settle_line(parse *p) {
  if (p->expecting && p->status == EDGEFW_OK)
    p->status = fail_line(p, "not understood: expected 'key = value', '[section]' or '; comment'");
  p->expecting = false;
}

/* libinih's source of lines, in the manner of fgets. */
static char *next_line(char *out, int size, void *user) {
  parse *p = user;
  settle_line(p);
  if (p->status != EDGEFW_OK || p->at == p->end) return NULL;
  const char *line = p->at;
  const char *end = memchr(line, '\n', (size_t)(p->end - line));
  p->at = end ? end + 1 : p->end;
  if (!end) end = p->end;
  ++p->line;
  p->status = see_line(p, line, end);
  if (p->status != EDGEFW_OK) return NULL;
  snprintf(out, (size_t)size, "%.*s\n", (int)(end - line), line);
  return out;
}

/* --- Keys --- */

static bool is_include(const edgefw__ini_entry *entry) {
  return strcmp(entry->section, "experiment") == 0 && strcmp(entry->key, "include") == 0;
}

/* Length of a text up to " ;", without the blanks before that. */
static size_t before_comment(const char *text) {
  size_t length = strlen(text);
  for (size_t i = 1; i < length; ++i)
    if (text[i] == ';' && isspace((unsigned char)text[i - 1])) length = i;
  while (length > 0 && isspace((unsigned char)text[length - 1])) --length;
  return length;
}

/* An indented line goes on with the value above it. libinih leaves its comment on. */
static edgefw_status continue_value(parse *p, const char *more) {
  edgefw__ini_entry *last = &p->ini->entries[p->ini->entry_count - 1];
  const size_t length = strlen(last->value);
  const bool glued = length > 0 && last->value[length - 1] == '\\';
  const int kept = (int)(glued ? length - 1 : length);
  const char *blank = glued || length == 0 ? "" : " ";
  last->value = edgefw_arena_format(p->ini->arena, "%.*s%s%.*s", kept, last->value, blank,
                                    (int)before_comment(more), more);
  return last->value ? EDGEFW_OK : edgefw_failure(p->ini->ctx);
}

static edgefw_status check_duplicate(parse *p, const edgefw__ini_entry *entry) {
  if (is_include(entry)) return EDGEFW_OK;
  for (size_t i = 0; i < p->ini->entry_count; ++i) {
    const edgefw__ini_entry *earlier = &p->ini->entries[i];
    if (strcmp(earlier->key, entry->key) != 0 || strcmp(earlier->section, entry->section) != 0)
      continue;
    return edgefw_fail(p->ini->ctx, EDGEFW_CONFIG,
                       "%s: key '%s' of [%s] is set twice; it was first set in line %d",
                       entry->where, entry->key, entry->section, earlier->line);
  }
  return EDGEFW_OK;
}

static edgefw_status add_key(parse *p, const char *section, const char *key, const char *value) {
  edgefw_context *ctx = p->ini->ctx;
  edgefw_arena *arena = p->ini->arena;
  if (!*section)
    return edgefw_fail(ctx, EDGEFW_CONFIG, "%s:%d: key '%s' stands above the first [section]",
                       p->file, p->line, key);
  if (!*key)
    return edgefw_fail(ctx, EDGEFW_CONFIG, "%s:%d: there is no key before the '='", p->file,
                       p->line);
  const edgefw__ini_entry entry = {.section = edgefw_arena_text(arena, section),
                                   .key = edgefw_arena_text(arena, key),
                                   .value = edgefw_arena_text(arena, value),
                                   .file = p->file,
                                   .line = p->line,
                                   .where = edgefw_arena_format(arena, "%s:%d", p->file, p->line),
                                   .folder = p->folder};
  if (!entry.section || !entry.key || !entry.value || !entry.where) return edgefw_failure(ctx);
  const edgefw_status status = check_duplicate(p, &entry);
  return status == EDGEFW_OK ? append_entry(p->ini, &entry) : status;
}

/* libinih's handler; returns 0 for an error. */
static int on_key(void *user, const char *section, const char *key, const char *value) {
  parse *p = user;
  if (p->status != EDGEFW_OK) return 0;
  p->expecting = false;
  const bool continuation = p->indented && !p->fresh;
  p->status = continuation ? continue_value(p, value) : add_key(p, section, key, value);
  p->fresh = false;
  return p->status == EDGEFW_OK;
}

/* --- Files --- */

static edgefw_status parse_text(edgefw__ini *own, const char *text, size_t length, const char *file,
                                const char *folder) {
  if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) text += 3, length -= 3;
  parse p = {.ini = own,
             .file = file,
             .folder = folder,
             .at = text,
             .end = text + length,
             .fresh = true,
             .status = EDGEFW_OK};
  const int result = ini_parse_stream(next_line, &p, on_key, &p);
  if (p.status == EDGEFW_OK && result != 0) {
    p.line = result > 0 ? result : p.line;
    return fail_line(&p, "not understood");
  }
  return p.status;
}

/* All bytes of a file; `text` is released by the caller, failed or not. */
static edgefw_status read_bytes(edgefw_context *ctx, const char *path, edgefw__text *text) {
  char chunk[8192];
  size_t count;
  FILE *file = fopen(path, "rb");
  if (!file) return edgefw_fail(ctx, EDGEFW_IO, "cannot open %s: %s", path, strerror(errno));
  while ((count = fread(chunk, 1, sizeof chunk, file)) > 0 && !text->failed) {
    edgefw__text_add_bytes(text, chunk, count);
    if (text->length > EDGEFW__INI_MAX_BYTES) break;
  }
  const bool broken = ferror(file) != 0;
  const int error = errno;
  fclose(file);
  if (text->failed) return edgefw_failure(ctx);
  if (broken) return edgefw_fail(ctx, EDGEFW_IO, "cannot read %s: %s", path, strerror(error));
  if (text->length > EDGEFW__INI_MAX_BYTES)
    return edgefw_fail(ctx, EDGEFW_CONFIG, "%s: larger than %d bytes: this is no configuration",
                       path, EDGEFW__INI_MAX_BYTES);
  return EDGEFW_OK;
}

static edgefw_status read_file(edgefw__ini *ini, const char *path, const frame *outer);

static edgefw_status read_include(edgefw__ini *ini, const edgefw__ini_entry *entry,
                                  const frame *outer) {
  if (!*entry->value)
    return edgefw_fail(ini->ctx, EDGEFW_CONFIG, "%s: include names no file", entry->where);
  const char *path = entry->value[0] == '/'
                         ? entry->value
                         : edgefw_arena_format(ini->arena, "%s/%s", entry->folder, entry->value);
  if (!path) return edgefw_failure(ini->ctx);
  const edgefw_status status = read_file(ini, path, outer);
  return edgefw_note(ini->ctx, status, "included at %s", entry->where);
}

/* Put what a file includes, then its own entries, at the end of `ini`. */
static edgefw_status merge(edgefw__ini *ini, const edgefw__ini *own, const frame *here) {
  edgefw_status status = EDGEFW_OK;
  for (size_t i = 0; i < own->entry_count && status == EDGEFW_OK; ++i)
    if (is_include(&own->entries[i])) status = read_include(ini, &own->entries[i], here);
  const int layer = ++ini->layers;
  for (size_t i = 0; i < own->entry_count && status == EDGEFW_OK; ++i) {
    if (is_include(&own->entries[i])) continue;
    own->entries[i].layer = layer;
    status = append_entry(ini, &own->entries[i]);
  }
  for (size_t i = 0; i < own->section_count && status == EDGEFW_OK; ++i)
    status = append_section(ini, &own->sections[i]);
  return status;
}

/* May this file be read here? */
static edgefw_status check_nesting(edgefw__ini *ini, const char *path, const frame *here) {
  if (here->depth > EDGEFW__INI_MAX_DEPTH)
    return edgefw_fail(ini->ctx, EDGEFW_CONFIG, "%s: includes are nested deeper than %d", path,
                       EDGEFW__INI_MAX_DEPTH);
  if (ini->layers >= MAX_FILES)
    return edgefw_fail(ini->ctx, EDGEFW_CONFIG, "%s: more than %d files are included", path,
                       MAX_FILES);
  for (const frame *outer = here->outer; outer; outer = outer->outer)
    if (strcmp(outer->real, here->real) == 0)
      return edgefw_fail(ini->ctx, EDGEFW_CONFIG, "%s includes itself", path);
  return EDGEFW_OK;
}

static edgefw_status read_file(edgefw__ini *ini, const char *path, const frame *outer) {
  char real[PATH_MAX];
  if (!realpath(path, real))
    return edgefw_fail(ini->ctx, EDGEFW_IO, "cannot open %s: %s", path, strerror(errno));
  const frame here = {real, outer, outer ? outer->depth + 1 : 1};
  edgefw_status status = check_nesting(ini, path, &here);
  if (status != EDGEFW_OK) return status;

  const int folder_length = (int)(strrchr(real, '/') - real);
  const char *folder = edgefw_arena_format(ini->arena, "%.*s", folder_length, real);
  const char *name = edgefw_arena_text(ini->arena, path);
  if (!folder || !name) return edgefw_failure(ini->ctx);
  if (!*folder) folder = "/";

  edgefw__ini own = {.ctx = ini->ctx, .arena = ini->arena};
  edgefw__text text = {.ctx = ini->ctx};
  status = read_bytes(ini->ctx, path, &text);
  if (status == EDGEFW_OK)
    status = parse_text(&own, edgefw__text_get(&text), text.length, name, folder);
  edgefw__text_release(&text);
  return status == EDGEFW_OK ? merge(ini, &own, &here) : status;
}

static edgefw__ini *create(edgefw_context *ctx, edgefw_arena *arena) {
  edgefw__ini *ini = edgefw_arena_take(arena, 1, sizeof *ini);
  if (ini) *ini = (edgefw__ini){.ctx = ctx, .arena = arena};
  return ini;
}

edgefw_status edgefw__ini_read(edgefw_context *ctx, edgefw_arena *arena, const char *path,
                               edgefw__ini **out) {
  *out = NULL;
  edgefw__ini *ini = create(ctx, arena);
  const edgefw_status status = ini ? read_file(ini, path, NULL) : edgefw_failure(ctx);
  if (status == EDGEFW_OK) *out = ini;
  return status;
}

edgefw_status edgefw__ini_read_text(edgefw_context *ctx, edgefw_arena *arena, const char *text,
                                    const char *origin, edgefw__ini **out) {
  *out = NULL;
  edgefw__ini *ini = create(ctx, arena);
  const char *file = edgefw_arena_text(arena, origin);
  if (!ini || !file) return edgefw_failure(ctx);
  edgefw_status status = parse_text(ini, text, strlen(text), file, NULL);
  for (size_t i = 0; i < ini->entry_count && status == EDGEFW_OK; ++i)
    if (is_include(&ini->entries[i]))
      status = edgefw_fail(ctx, EDGEFW_CONFIG, "%s: a stored configuration cannot include files",
                           ini->entries[i].where);
  ini->layers = 1;
  if (status == EDGEFW_OK) *out = ini;
  return status;
}

/* --- Overrides --- */

size_t edgefw__ini_prefix(const char *section) {
  static const char *const prefixes[] = {"term.", "heuristic."};
  for (size_t p = 0; p < sizeof prefixes / sizeof *prefixes; ++p)
    if (strncmp(section, prefixes[p], strlen(prefixes[p])) == 0) return strlen(prefixes[p]);
  return 0;
}

bool edgefw__ini_split(edgefw_arena *arena, const char *name, const char **section,
                       const char **key) {
  const char *start = name + edgefw__ini_prefix(name);
  const char *dot = strchr(start, '.');
  if (!dot || dot == start || !dot[1]) return false;
  *section = edgefw_arena_format(arena, "%.*s", (int)(dot - name), name);
  *key = edgefw_arena_text(arena, dot + 1);
  return *section && *key;
}

static const char *trimmed(edgefw_arena *arena, const char *begin, const char *end) {
  while (begin < end && isspace((unsigned char)*begin)) ++begin;
  while (end > begin && isspace((unsigned char)end[-1])) --end;
  return edgefw_arena_format(arena, "%.*s", (int)(end - begin), begin);
}

const edgefw__ini_entry *edgefw__ini_find(const edgefw__ini *ini, const char *section,
                                          const char *key) {
  for (size_t e = ini->entry_count; e-- > 0;)
    if (strcmp(ini->entries[e].section, section) == 0 && strcmp(ini->entries[e].key, key) == 0)
      return &ini->entries[e];
  return NULL;
}

bool edgefw__ini_is_writable(const char *value) {
  if (*value == ';' || strstr(value, " ;") || strstr(value, "\t;")) return false;
  for (; *value; ++value)
    if ((unsigned char)*value < 0x20 && *value != '\t') return false;
  return true;
}

edgefw_status edgefw__ini_set(edgefw__ini *ini, const char *assignment) {
  edgefw_arena *arena = ini->arena;
  const char *equals = strchr(assignment, '=');
  const char *where = edgefw_arena_format(arena, "--set %s", assignment);
  const char *name = trimmed(arena, assignment, equals ? equals : assignment);
  const char *value = equals ? trimmed(arena, equals + 1, equals + strlen(equals)) : "";
  edgefw__ini_entry entry = {.value = value, .file = "--set", .where = where, .layer = INT_MAX};
  if (!where || !name || !value) return edgefw_failure(ini->ctx);
  if (!equals || !edgefw__ini_split(arena, name, &entry.section, &entry.key))
    return edgefw_fail(ini->ctx, EDGEFW_CONFIG, "%s: expected section.key=value", where);
  if (is_include(&entry))
    return edgefw_fail(ini->ctx, EDGEFW_CONFIG, "%s: only a file can include another", where);
  if (!edgefw__ini_is_writable(value))
    return edgefw_fail(ini->ctx, EDGEFW_CONFIG,
                       "%s: the value holds ' ;' or a control byte, which no INI file can", where);
  return append_entry(ini, &entry);
}
