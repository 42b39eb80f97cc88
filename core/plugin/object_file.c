/* The head of an ELF file against the file (System V ABI, chapters 4 and 5). */
#include "plugin/object_file.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef ElfW(Ehdr) file_head;
typedef ElfW(Phdr) segment;
typedef ElfW(Dyn) dynamic;

enum { MAX_SEGMENTS = 64, MAX_DYNAMIC = 4096 };

/* A file that is being looked at. */
typedef struct object {
  int descriptor;
  uint64_t bytes; /* of the file */
  segment segments[MAX_SEGMENTS];
  int segment_count;
  char *why; /* one line when it is refused */
  size_t why_size;
} object;

static bool refuse(const object *o, const char *what, uint64_t end) {
  snprintf(o->why, o->why_size,
           "the file is cut short or damaged: %s ends at byte %llu, the file has %llu", what,
           (unsigned long long)end, (unsigned long long)o->bytes);
  return false;
}

static bool refuse_damaged(const object *o, const char *what) {
  snprintf(o->why, o->why_size, "the file is damaged: %s", what);
  return false;
}

static bool read_at(const object *o, uint64_t place, void *out, size_t size) {
  return place <= o->bytes && size <= o->bytes - place &&
         pread(o->descriptor, out, size, (off_t)place) == (ssize_t)size;
}

/* Does the file hold `count` bytes at `place`? */
static bool holds(const object *o, uint64_t place, uint64_t count) {
  return place <= o->bytes && count <= o->bytes - place;
}

/* --- Segments --- */

static bool check_segment(const object *o, const segment *s) {
  const bool used = s->p_type == PT_LOAD || s->p_type == PT_DYNAMIC;
  if (used && !holds(o, s->p_offset, s->p_filesz))
    return refuse(o, "a segment", s->p_offset + s->p_filesz);
  if (used && s->p_memsz < s->p_filesz)
    return refuse_damaged(o, "a segment is larger in the file than in memory");
  return true;
}

static bool read_segments(object *o, const file_head *head) {
  if (head->e_phentsize != sizeof(segment) || head->e_phnum < 1 || head->e_phnum > MAX_SEGMENTS)
    return refuse_damaged(o, "its head names no segments, or too many");
  if (!read_at(o, head->e_phoff, o->segments, head->e_phnum * sizeof(segment)))
    return refuse(o, "the list of segments", head->e_phoff + head->e_phnum * sizeof(segment));
  o->segment_count = head->e_phnum;
  for (int s = 0; s < o->segment_count; ++s)
    if (!check_segment(o, &o->segments[s])) return false;
  return true;
}

static const segment *find_dynamic(const object *o) {
  for (int s = 0; s < o->segment_count; ++s)
    if (o->segments[s].p_type == PT_DYNAMIC) return &o->segments[s];
  return NULL;
}

/* Is the range of addresses within one loaded segment? */
static bool is_loaded(const object *o, uint64_t address, uint64_t count) {
  for (int s = 0; s < o->segment_count; ++s) {
    const segment *part = &o->segments[s];
    if (part->p_type == PT_LOAD && address >= part->p_vaddr &&
        address - part->p_vaddr <= part->p_memsz &&
        count <= part->p_memsz - (address - part->p_vaddr))
      return true;
  }
  return false;
}

/* --- The tables that the loader walks before any code of the object runs --- */

typedef struct table {
  int64_t address_tag, size_tag; /* size_tag 0: the size is not stated */
  const char *fault;
} table;

static const table tables[] = {
    {DT_STRTAB, DT_STRSZ, "its texts are in no segment"},
    {DT_SYMTAB, 0, "its symbols are in no segment"},
    {DT_RELA, DT_RELASZ, "its relocations are in no segment"},
    {DT_REL, DT_RELSZ, "its relocations are in no segment"},
    {DT_JMPREL, DT_PLTRELSZ, "its calls are in no segment"},
    {DT_INIT_ARRAY, DT_INIT_ARRAYSZ, "its initialisers are in no segment"},
    {DT_FINI_ARRAY, DT_FINI_ARRAYSZ, "its finalisers are in no segment"},
    {DT_HASH, 0, "its table of names is in no segment"},
    {DT_GNU_HASH, 0, "its table of names is in no segment"}};
enum { TABLES = sizeof tables / sizeof *tables };

static bool check_tables(const object *o) {
  uint64_t address[TABLES] = {0}, size[TABLES] = {0};
  const segment *place = find_dynamic(o);
  if (!place) return refuse_damaged(o, "it has no dynamic segment");
  for (uint64_t d = 0; d < place->p_filesz / sizeof(dynamic) && d < MAX_DYNAMIC; ++d) {
    dynamic entry;
    if (!read_at(o, place->p_offset + d * sizeof entry, &entry, sizeof entry))
      return refuse(o, "the dynamic segment", place->p_offset + place->p_filesz);
    if (entry.d_tag == DT_NULL) break;
    for (int t = 0; t < TABLES; ++t) {
      if (entry.d_tag == tables[t].address_tag) address[t] = entry.d_un.d_ptr;
      if (tables[t].size_tag && entry.d_tag == tables[t].size_tag) size[t] = entry.d_un.d_val;
    }
  }
  if (address[0] == 0 || address[1] == 0) return refuse_damaged(o, "it names no symbols");
  for (int t = 0; t < TABLES; ++t)
    if (address[t] != 0 && !is_loaded(o, address[t], size[t]))
      return refuse_damaged(o, tables[t].fault);
  return true;
}

/* --- The file --- */

static bool is_native(const unsigned char *ident) {
  const unsigned char class = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
  return memcmp(ident, ELFMAG, SELFMAG) == 0 && ident[EI_CLASS] == class;
}

static bool check_head(object *o) {
  file_head head;
  if (!read_at(o, 0, &head, sizeof head) || !is_native(head.e_ident)) return true;
  const uint64_t sections = (uint64_t)head.e_shnum * head.e_shentsize;
  if (!holds(o, head.e_shoff, sections))
    return refuse(o, "the list of sections", head.e_shoff + sections);
  return read_segments(o, &head) && check_tables(o);
}

bool edgefw__object_file_check(const char *path, char *why, size_t why_size) {
  object o = {.why = why, .why_size = why_size};
  struct stat info;
  o.descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (o.descriptor < 0) {
    snprintf(why, why_size, "%s", strerror(errno));
    return false;
  }
  bool good = fstat(o.descriptor, &info) == 0 && S_ISREG(info.st_mode);
  if (!good) snprintf(why, why_size, "it is not a regular file");
  o.bytes = good ? (uint64_t)info.st_size : 0;
  if (good) good = check_head(&o);
  (void)close(o.descriptor);
  return good;
}
