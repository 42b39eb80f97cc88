/* Segments that are loaded, and what a descriptor names. */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include "plugin/extent.h"

#include <link.h>
#include <stdio.h>
#include <string.h>

/* More options than any plugin has: a table that goes on has lost its end. */
enum { MAX_OPTIONS = 1000 };

/* --- Segments --- */

typedef struct search {
  uintptr_t address;
  size_t left; /* bytes of the segment from the address on; 0: none holds it */
} search;

static int look_at_object(struct dl_phdr_info *object, size_t size, void *user) {
  search *s = user;
  (void)size;
  for (int p = 0; p < object->dlpi_phnum; ++p) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[p];
    const uintptr_t begin = (uintptr_t)object->dlpi_addr + (uintptr_t)part->p_vaddr;
    if (part->p_type != PT_LOAD || !(part->p_flags & PF_R)) continue;
    if (s->address < begin || s->address - begin >= part->p_memsz) continue;
    s->left = (size_t)(part->p_memsz - (s->address - begin));
    return 1;
  }
  return 0;
}

/* Bytes that can be read from `address` on, as far as its segment goes. */
static size_t readable(const void *address) {
  search s = {.address = (uintptr_t)address};
  dl_iterate_phdr(look_at_object, &s);
  return s.left;
}

bool edgefw__extent_holds(const void *address, size_t size) {
  return readable(address) >= size;
}

bool edgefw__extent_holds_text(const char *text) {
  const size_t left = readable(text);
  return left > 0 && memchr(text, '\0', left) != NULL;
}

/* --- A descriptor --- */

static bool refuse(edgefw__refusal *refusal, edgefw_status status, const char *what) {
  refusal->status = status;
  refusal->stage = status == EDGEFW_PLUGIN_ABI ? "abi" : "member";
  snprintf(refusal->why, sizeof refusal->why,
           "%s does not lie in memory of the program or its shared objects", what);
  return false;
}

static bool is_text_or_none(const char *text) {
  return !text || edgefw__extent_holds_text(text);
}

/* A table without its end is read on into whatever follows: sooner or later that is no option. */
static bool check_options(const edgefw_plugin_descriptor *d, edgefw__refusal *refusal) {
  const char *at = (const char *)d->options;
  const size_t read =
      d->option_size < sizeof(edgefw_option) ? d->option_size : sizeof(edgefw_option);
  for (int row = 0; row < MAX_OPTIONS; ++row, at += d->option_size) {
    edgefw_option option = {0};
    char what[96];
    snprintf(what, sizeof what, "option %d of the table (does it end with an empty one, {0}?)",
             row + 1);
    if (!edgefw__extent_holds(at, read)) return refuse(refusal, EDGEFW_PLUGIN_MEMBER, what);
    memcpy(&option, at, read);
    if (!option.key) return true;
    if (!edgefw__extent_holds_text(option.key) || !is_text_or_none(option.fallback) ||
        !is_text_or_none(option.choices) || !is_text_or_none(option.help))
      return refuse(refusal, EDGEFW_PLUGIN_MEMBER, what);
  }
  return refuse(refusal, EDGEFW_PLUGIN_MEMBER, "an option beyond the 1000th");
}

bool edgefw__extent_check(const edgefw_plugin_descriptor *d, edgefw__refusal *refusal) {
  if (!edgefw__extent_holds(d, offsetof(edgefw_plugin_descriptor, name)))
    return refuse(refusal, EDGEFW_PLUGIN_ABI, "the descriptor");
  if (d->magic != EDGEFW_DESCRIPTOR_MAGIC || d->abi_major != EDGEFW_ABI_MAJOR) return true;
  if (!edgefw__declaration_check_sizes(d, refusal)) return false;
  if (!edgefw__extent_holds(d, d->size))
    return refuse(refusal, EDGEFW_PLUGIN_ABI, "all of the descriptor");
  if (!is_text_or_none(d->name) || !is_text_or_none(d->aliases) || !is_text_or_none(d->version) ||
      !is_text_or_none(d->summary))
    return refuse(refusal, EDGEFW_PLUGIN_MEMBER, "the name, an alias, the version or the summary");
  size_t size = 0;
  if (d->vtable && !edgefw__extent_holds(d->vtable, sizeof size))
    return refuse(refusal, EDGEFW_PLUGIN_MEMBER, "the vtable");
  if (d->vtable) memcpy(&size, d->vtable, sizeof size); /* its first member */
  if (d->vtable && !edgefw__extent_holds(d->vtable, size))
    return refuse(refusal, EDGEFW_PLUGIN_ABI, "all of the vtable");
  return !d->options || check_options(d, refusal);
}
