/* INI files: read into one flat list of entries, each with the file and line it came from. */
#ifndef EDGEFW__INI_H
#define EDGEFW__INI_H

#include "edgefw/arena.h"

/* Limits, so that no file can make the program slow or large. */
#define EDGEFW__INI_MAX_BYTES   (16 << 20) /* of one file */
#define EDGEFW__INI_MAX_ENTRIES 4096       /* all files together */
#define EDGEFW__INI_MAX_LINE    198        /* bytes; libinih cuts longer ones */
#define EDGEFW__INI_MAX_SECTION 48         /* bytes; libinih cuts longer names */
#define EDGEFW__INI_MAX_DEPTH   8          /* files that include one another */

typedef struct edgefw__ini_entry {
  const char *section, *key, *value;
  const char *file;   /* as it was named; "--set" */
  int line;           /* from 1; 0 for --set */
  const char *where;  /* "file:line" or "--set section.key=value", for messages */
  const char *folder; /* that relative paths start from; NULL: the working directory */
  int layer;          /* entries of one file share it; later layers override earlier ones */
} edgefw__ini_entry;

/* A section header; sections without keys are seen too. */
typedef struct edgefw__ini_section {
  const char *name, *where;
} edgefw__ini_section;

/* Entries of included files come before those of the file that includes them, so the last entry of
 * a key is the one in force. `include` lines themselves are left out. */
typedef struct edgefw__ini {
  edgefw_context *ctx;
  edgefw_arena *arena; /* everything lives here */
  edgefw__ini_entry *entries;
  size_t entry_count, entry_capacity;
  edgefw__ini_section *sections;
  size_t section_count, section_capacity;
  int layers;
} edgefw__ini;

/* Read the file and what it includes ([experiment] include = FILE, relative to the including file).
 * CONFIG with file and line for: a line that is no "key = value", keys above the first section,
 * empty names, a key twice in one section of one file, a line over EDGEFW__INI_MAX_LINE bytes, NUL
 * bytes, include cycles, too much of anything. IO when a file cannot be read. An indented line goes
 * on with the value above it: a blank is put between, or nothing after a backslash. */
EDGEFW_NODISCARD edgefw_status edgefw__ini_read(edgefw_context *ctx, edgefw_arena *arena,
                                                const char *path, edgefw__ini **out);

/* The same from memory; `origin` takes the file's place in messages. Includes are refused. */
EDGEFW_NODISCARD edgefw_status edgefw__ini_read_text(edgefw_context *ctx, edgefw_arena *arena,
                                                     const char *text, const char *origin,
                                                     edgefw__ini **out);

/* Add one override "section.key=value" at the end; its paths start from the working directory. */
EDGEFW_NODISCARD edgefw_status edgefw__ini_set(edgefw__ini *ini, const char *assignment);

/* The entry of a key that is in force: the last one; NULL if there is none. */
const edgefw__ini_entry *edgefw__ini_find(const edgefw__ini *ini, const char *section,
                                          const char *key);

/* Could this value stand in a file, and come back as it is? No, if it holds " ;" or control bytes.
 */
bool edgefw__ini_is_writable(const char *value);

/* Bytes of what sections of listed plugins begin with: "term." or "heuristic."; 0 for others. */
size_t edgefw__ini_prefix(const char *section);

/* Split "section.key" where the section ends: "train.size" is train + size, "term.edge.mode" is
 * term.edge + mode. Both parts live in `arena`. False when there is no section or no key (then
 * nothing is recorded) or no memory (recorded). */
bool edgefw__ini_split(edgefw_arena *arena, const char *name, const char **section,
                       const char **key);

#endif
