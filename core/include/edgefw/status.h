/* The one list of status codes. Every call that can fail returns one of them and leaves a message
 * in its context (context.h). */
#ifndef EDGEFW_STATUS_H
#define EDGEFW_STATUS_H

#include "edgefw/export.h"

EDGEFW_BEGIN_DECLS

/* X(name, value, text). Values are stable: new ones are appended. */
#define EDGEFW_STATUS_LIST(X)                                                                      \
  X(OK, 0, "success")                                                                              \
  X(OUT_OF_MEMORY, -1, "out of memory")                                                            \
  X(INVALID_ARGUMENT, -2, "invalid argument")                                                      \
  X(CONFIG, -3, "configuration error")                                                             \
  X(IO, -4, "input/output error")                                                                  \
  X(FORMAT, -5, "malformed file")                                                                  \
  X(MISMATCH, -6, "file does not match")                                                           \
  X(UNSUPPORTED, -7, "not supported")                                                              \
  X(NUMERIC, -8, "numeric failure")                                                                \
  X(INFEASIBLE, -9, "infeasible instance")                                                         \
  X(CHECK_FAILED, -10, "self-check failed")                                                        \
  X(INTERRUPTED, -11, "interrupted")                                                               \
  X(INTERNAL, -12, "internal error")                                                               \
  X(PLUGIN_FIND, -20, "plugin not found")                                                          \
  X(PLUGIN_OPEN, -21, "plugin cannot be opened")                                                   \
  X(PLUGIN_SYMBOL, -22, "plugin has no descriptor")                                                \
  X(PLUGIN_MAGIC, -23, "not an edgefw plugin")                                                     \
  X(PLUGIN_ABI, -24, "plugin ABI differs")                                                         \
  X(PLUGIN_KIND, -25, "plugin is of another kind")                                                 \
  X(PLUGIN_MEMBER, -26, "plugin lacks a required member")                                          \
  X(PLUGIN_CLASH, -27, "plugin name is taken")                                                     \
  X(PLUGIN_INIT, -28, "plugin cannot start")

typedef enum edgefw_status {
#define EDGEFW_STATUS_ENUM(name, value, text) EDGEFW_##name = (value),
  EDGEFW_STATUS_LIST(EDGEFW_STATUS_ENUM)
#undef EDGEFW_STATUS_ENUM
} edgefw_status;

/* Short text of a code ("out of memory"); "unknown status" for a number that is none. Static. */
EDGEFW_API const char *edgefw_status_text(edgefw_status status);

/* Name of a code without prefix ("OUT_OF_MEMORY"). Static. */
EDGEFW_API const char *edgefw_status_name(edgefw_status status);

EDGEFW_END_DECLS

#endif
