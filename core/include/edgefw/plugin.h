/* The plugin descriptor: the one symbol that a plugin exports. It is data, so that the loader can
 * refuse a plugin before any of its code has run.
 *
 *   static const edgefw_term term = {.size = sizeof term, .declare = declare};
 *   EDGEFW_PLUGIN(EDGEFW_KIND_TERM, "closure", "1.0.0", "cost of going home", &term, NULL);
 *
 * Rules of growth: members are appended to vtables, never moved; a missing one (the plugin's `size`
 * is smaller) means the default named in its comment. That raises the minor number; anything else
 * the major one. */
#ifndef EDGEFW_PLUGIN_H
#define EDGEFW_PLUGIN_H

#include "edgefw/options.h"

EDGEFW_BEGIN_DECLS

#define EDGEFW_ABI_MAJOR         1u
#define EDGEFW_ABI_MINOR         3u
#define EDGEFW_DESCRIPTOR_MAGIC  0x31574645u /* "EFW1" */
#define EDGEFW_DESCRIPTOR_SYMBOL "edgefw_plugin"

typedef enum edgefw_kind {
  EDGEFW_KIND_PROBLEM = 1,  /* vtable: edgefw_problem */
  EDGEFW_KIND_BACKBONE = 2, /* vtable: edgefw_backbone */
  EDGEFW_KIND_TERM = 3,     /* vtable: edgefw_term */
  EDGEFW_KIND_DEVICE = 4    /* vtable: edgefw_kernels (edgefw/kernels.h) */
} edgefw_kind;

typedef struct edgefw_plugin_descriptor {
  uint32_t magic;
  uint32_t abi_major;
  uint32_t abi_minor;
  uint32_t kind;                /* edgefw_kind */
  size_t size;                  /* of this descriptor */
  size_t option_size;           /* of one edgefw_option */
  const char *name;             /* [a-z0-9_]+, as written in INI files */
  const char *version;          /* of the plugin */
  const char *summary;          /* one line */
  const void *vtable;           /* begins with its size_t size */
  const edgefw_option *options; /* table ended by a NULL key; NULL: none */
} edgefw_plugin_descriptor;

#define EDGEFW_PLUGIN(kind_, name_, version_, summary_, vtable_, options_)                         \
  extern EDGEFW_EXPORT const edgefw_plugin_descriptor edgefw_plugin;                               \
  EDGEFW_EXPORT const edgefw_plugin_descriptor edgefw_plugin = {EDGEFW_DESCRIPTOR_MAGIC,           \
                                                                EDGEFW_ABI_MAJOR,                  \
                                                                EDGEFW_ABI_MINOR,                  \
                                                                (uint32_t)(kind_),                 \
                                                                sizeof(edgefw_plugin_descriptor),  \
                                                                sizeof(edgefw_option),             \
                                                                (name_),                           \
                                                                (version_),                        \
                                                                (summary_),                        \
                                                                (vtable_),                         \
                                                                (options_)}

EDGEFW_END_DECLS

#endif
