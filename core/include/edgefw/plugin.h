/* The plugin descriptor: the one symbol that a plugin exports. It is data, so that the loader can
 * refuse a plugin before any of its code has run.
 *
 *   static const edgefw_term term = {.size = sizeof term, .declare = declare};
 *   EDGEFW_PLUGIN(EDGEFW_KIND_TERM, "closure", "1.0.0", "cost of going home", &term, NULL);
 *
 * How the ABI grows. Everything that begins with its `size` (the descriptor, options, vtables, the
 * structs that graph.h and term.h take) may get further members within a major version:
 *   - A new member is appended, and begins at or behind the size that the struct had before: bytes
 *     of padding at a struct's end belong to the older version, which leaves anything in them.
 *   - Its comment names a default. Whoever reads a struct copies what both sides know and takes the
 *     default for what a shorter one lacks; nobody reads a struct beyond its size.
 *   - That raises the minor number, and plugins of any minor number load.
 *   - What every device must do has no default: an operation of EDGEFW_OPERATIONS, a number that
 *     follows the path, a kind of feature or logit. A further one raises the major number.
 * Anything else (a member that moves or goes, another type or meaning) raises the major number, and
 * then every plugin has to be built again. That is also when members are sorted by theme. */
#ifndef EDGEFW_PLUGIN_H
#define EDGEFW_PLUGIN_H

#include "edgefw/options.h"

EDGEFW_BEGIN_DECLS

#define EDGEFW_ABI_MAJOR         2u
#define EDGEFW_ABI_MINOR         0u
#define EDGEFW_DESCRIPTOR_MAGIC  0x31574645u /* "EFW1" */
#define EDGEFW_DESCRIPTOR_SYMBOL "edgefw_plugin"

typedef enum edgefw_kind {
  EDGEFW_KIND_PROBLEM = 1,     /* vtable: edgefw_problem */
  EDGEFW_KIND_BACKBONE = 2,    /* vtable: edgefw_backbone */
  EDGEFW_KIND_TERM = 3,        /* vtable: edgefw_term */
  EDGEFW_KIND_DEVICE = 4,      /* vtable: edgefw_kernels (edgefw/kernels.h) */
  EDGEFW_KIND_HEURISTIC = 5,   /* vtable: edgefw_heuristic */
  EDGEFW_KIND_COMMUNICATOR = 6 /* vtable: edgefw_communicator */
} edgefw_kind;

typedef struct edgefw_plugin_descriptor {
  /* These four stay where they are in every version. */
  uint32_t magic;
  uint32_t abi_major;
  uint32_t abi_minor;
  uint32_t kind;                /* edgefw_kind */
  size_t size;                  /* of this descriptor */
  size_t option_size;           /* of one edgefw_option */
  const char *name;             /* [a-z0-9_]+, as written in INI files */
  const char *aliases;          /* other names under which configurations and checkpoints know it,
                                   separated by commas; NULL: none */
  const char *version;          /* of the plugin */
  const char *summary;          /* one line */
  const void *vtable;           /* begins with its size_t size */
  const edgefw_option *options; /* table ended by a NULL key; NULL: none */
} edgefw_plugin_descriptor;

/* A plugin that also goes by `aliases_` ("old, older"). Another plugin may have one of them for its
 * name: that is then the one that is meant. In one folder the two clash, and the first is used. */
#define EDGEFW_PLUGIN_ALIASED(kind_, name_, aliases_, version_, summary_, vtable_, options_)       \
  extern EDGEFW_EXPORT const edgefw_plugin_descriptor edgefw_plugin;                               \
  EDGEFW_EXPORT const edgefw_plugin_descriptor edgefw_plugin = {EDGEFW_DESCRIPTOR_MAGIC,           \
                                                                EDGEFW_ABI_MAJOR,                  \
                                                                EDGEFW_ABI_MINOR,                  \
                                                                (uint32_t)(kind_),                 \
                                                                sizeof(edgefw_plugin_descriptor),  \
                                                                sizeof(edgefw_option),             \
                                                                (name_),                           \
                                                                (aliases_),                        \
                                                                (version_),                        \
                                                                (summary_),                        \
                                                                (vtable_),                         \
                                                                (options_)}

#define EDGEFW_PLUGIN(kind_, name_, version_, summary_, vtable_, options_)                         \
  EDGEFW_PLUGIN_ALIASED(kind_, name_, NULL, version_, summary_, vtable_, options_)

EDGEFW_END_DECLS

#endif
