/* An engine: a device that has been opened, and how it multiplies. */
#ifndef EDGEFW__ENGINE_H
#define EDGEFW__ENGINE_H

#include "config/schema.h"
#include "group/group.h"
#include "plugin/registry.h"

typedef struct edgefw__engine {
  edgefw_context *ctx;
  const edgefw_kernels *kernels;
  edgefw_device *device;
  edgefw__group *group; /* ranks that work together; NULL: this process alone */
  const char *name;     /* the device plugin's: what "auto" came to */
  edgefw_precision precision;
  bool slow;            /* the device has it, but not faster than FP32 */
  char shortfall[1200]; /* "": none, or why "auto" came to no device of a higher rank */
} edgefw__engine;

/* The choices of [experiment] precision (EDGEFW__PRECISION_CHOICES), in its order. */
typedef enum edgefw__precision_choice {
  EDGEFW__PRECISION_AUTO = 0, /* TF32 on devices that have it, else FP32 */
  EDGEFW__PRECISION_FP32,
  EDGEFW__PRECISION_TF32,
  EDGEFW__PRECISION_BF16
} edgefw__precision_choice;

/* Open the device called `name`; close it after everything made on it. "auto" is the one of
 * the highest rank (edgefw_kernels.rank) that can be had here; if one of a higher rank is installed
 * but cannot be had, `shortfall` says why. A file that the system cannot load has no rank that
 * could be read, and is told of likewise. PLUGIN_FIND: there is no such device; PLUGIN_OPEN and
 * others of the loader: its file could not be taken. It multiplies as the device does by default.
 */
EDGEFW_NODISCARD edgefw_status edgefw__engine_open(edgefw_context *ctx,
                                                   const edgefw__registry *registry,
                                                   const char *name, edgefw__engine *out);
void edgefw__engine_close(edgefw__engine *engine);

/* Log the engine's shortfall, if there is one, and a precision that gains no time. Work that takes
 * hours says it once, at info; what is called again and again (solve) at debug. */
void edgefw__engine_tell(const edgefw__engine *engine, edgefw_log_level level);

/* The same with the precision chosen. CONFIG if the device does not have it: nothing is open then.
 */
EDGEFW_NODISCARD edgefw_status edgefw__engine_open_with(edgefw_context *ctx,
                                                        const edgefw__registry *registry,
                                                        const char *name,
                                                        edgefw__precision_choice precision,
                                                        edgefw__engine *out);

/* The same with the device and the precision of [experiment]. */
EDGEFW_NODISCARD edgefw_status edgefw__engine_open_for(edgefw_context *ctx,
                                                       const edgefw__registry *registry,
                                                       const edgefw_options *experiment,
                                                       edgefw__engine *out);

/* How the engine multiplies: "fp32", "tf32", "bf16"; "fp64" for a device of doubles. Static. */
const char *edgefw__engine_precision_name(const edgefw__engine *engine);

/* The choice called `text`, one of EDGEFW__PRECISION_CHOICES; false if it is none. */
bool edgefw__precision_parse(const char *text, edgefw__precision_choice *out);

/* Does the device work in memory of its own, apart from the host's? */
bool edgefw__engine_has_memory(const edgefw__engine *engine);

/* Wait until everything asked of the device is done. */
EDGEFW_NODISCARD edgefw_status edgefw__engine_finish(const edgefw__engine *engine);

#endif
