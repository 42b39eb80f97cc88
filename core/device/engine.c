/* Opening devices: by name, or by rank. */
#include "device/engine.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#define REASON_SIZE 1024

/* --- Opening --- */

static edgefw_status create(edgefw_context *ctx, const edgefw__plugin *plugin,
                            edgefw__engine *out) {
  *out = (edgefw__engine){
      .ctx = ctx, .kernels = &plugin->vtable.kernels, .name = plugin->descriptor->name};
  return out->kernels->create(ctx, &out->device);
}

/* A device whose file is there but was not taken is no misspelt name: say what is wrong with it. */
static edgefw_status fail_skipped(edgefw_context *ctx, const char *name,
                                  const edgefw__skipped *skipped) {
  return edgefw_fail(ctx, skipped->status,
                     "device = %s: %s cannot be loaded: %s; install what it needs (or name the "
                     "folder that has it in LD_LIBRARY_PATH), or use another device: "
                     "'edgefw plugins list' shows them",
                     name, skipped->path, skipped->reason);
}

static edgefw_status open_named(edgefw_context *ctx, const edgefw__registry *registry,
                                const char *name, edgefw__engine *out) {
  const edgefw__plugin *plugin = edgefw__registry_lookup(registry, EDGEFW_KIND_DEVICE, name);
  const edgefw__skipped *skipped = edgefw__registry_skipped_as(registry, name);
  if (!plugin && skipped) return fail_skipped(ctx, name, skipped);
  edgefw_status status = EDGEFW_OK;
  if (!plugin) status = edgefw__registry_find(registry, EDGEFW_KIND_DEVICE, name, &plugin);
  if (status == EDGEFW_OK) status = create(ctx, plugin, out);
  return edgefw_note(ctx, status, "device = %s", name);
}

static int rank_at(const edgefw__registry *registry, int index) {
  const edgefw__plugin *plugin = edgefw__registry_at(registry, (size_t)index);
  return plugin->kind == EDGEFW_KIND_DEVICE ? plugin->vtable.kernels.rank : 0;
}

/* Index of the device that "auto" tries after the one at `last` (-1: first of all); -1: it was the
 * last one. Devices of equal rank follow each other in the registry's order. */
static int next_in_rank(const edgefw__registry *registry, int last) {
  const int count = (int)edgefw__registry_count(registry);
  const int ceiling = last < 0 ? INT_MAX : rank_at(registry, last);
  int best = -1;
  for (int i = 0; i < count; ++i) {
    const int rank = rank_at(registry, i);
    const bool later = rank < ceiling || (rank == ceiling && i > last);
    if (rank > 0 && later && (best < 0 || rank > rank_at(registry, best))) best = i;
  }
  return best;
}

/* Which device of a higher rank could not be had, and why. */
typedef struct missed {
  const char *name; /* NULL: none */
  char reason[REASON_SIZE];
} missed;

/* Start the first device in the order of ranks that can be started. That an earlier one cannot is
 * no failure as long as another one is left to try; that it is there and its settings are wrong is
 * one, for a slower device would be taken without a word. */
static edgefw_status create_in_rank(edgefw_context *ctx, const edgefw__registry *registry,
                                    missed *miss, edgefw__engine *out) {
  edgefw_status status = EDGEFW_OK;
  for (int i = next_in_rank(registry, -1); i >= 0; i = next_in_rank(registry, i)) {
    const edgefw__plugin *plugin = edgefw__registry_at(registry, (size_t)i);
    edgefw_clear(ctx); /* of the device before this one */
    status = create(ctx, plugin, out);
    if (status == EDGEFW_OK || status == EDGEFW_CONFIG) break;
    if (miss->name) continue;
    miss->name = plugin->descriptor->name;
    snprintf(miss->reason, sizeof miss->reason, "%s", edgefw_message(ctx));
  }
  return status;
}

static edgefw_status open_automatic(edgefw_context *ctx, const edgefw__registry *registry,
                                    edgefw__engine *out) {
  missed miss = {.name = NULL};
  edgefw_status status = create_in_rank(ctx, registry, &miss, out);
  /* The rank of a file that could not be loaded is unknown: it might have been the highest. */
  const edgefw__skipped *skipped = edgefw__registry_skipped_device(registry);
  if (status == EDGEFW_OK && !out->device) {
    const edgefw__plugin *none;
    status = skipped ? fail_skipped(ctx, skipped->name, skipped)
                     : edgefw__registry_find(registry, EDGEFW_KIND_DEVICE, "auto", &none);
  } else if (status == EDGEFW_OK && (miss.name || skipped)) {
    snprintf(out->shortfall, sizeof out->shortfall,
             "device auto: %s, because %s cannot be had here: %s", out->name,
             miss.name ? miss.name : skipped->name, miss.name ? miss.reason : skipped->reason);
  }
  return edgefw_note(ctx, status, "device = auto");
}

edgefw_status edgefw__engine_open(edgefw_context *ctx, const edgefw__registry *registry,
                                  const char *name, edgefw__engine *out) {
  *out = (edgefw__engine){.ctx = ctx};
  const edgefw_status status = strcmp(name, "auto") == 0 ? open_automatic(ctx, registry, out)
                                                         : open_named(ctx, registry, name, out);
  if (status != EDGEFW_OK) *out = (edgefw__engine){.ctx = ctx};
  return status;
}

void edgefw__engine_close(edgefw__engine *engine) {
  if (engine->device) engine->kernels->destroy(engine->device);
  engine->device = NULL;
}

void edgefw__engine_tell(const edgefw__engine *engine, edgefw_log_level level) {
  if (*engine->shortfall) edgefw_log(engine->ctx, level, "%s", engine->shortfall);
  if (engine->slow)
    edgefw_log(engine->ctx, level,
               "precision = %s: device %s has nothing here that makes it faster than fp32",
               edgefw__engine_precision_name(engine), engine->name);
}

/* --- Precision --- */

static const char *const choices[] = {"auto", "fp32", "tf32", "bf16"};
enum { CHOICES = sizeof choices / sizeof *choices };
static const edgefw_precision precisions[CHOICES] = {
    [EDGEFW__PRECISION_FP32] = EDGEFW_PRECISION_FP32,
    [EDGEFW__PRECISION_TF32] = EDGEFW_PRECISION_TF32,
    [EDGEFW__PRECISION_BF16] = EDGEFW_PRECISION_BF16}; /* of a choice; auto has none of its own */

bool edgefw__precision_parse(const char *text, edgefw__precision_choice *out) {
  for (int c = 0; c < CHOICES; ++c)
    if (strcmp(text, choices[c]) == 0) {
      *out = (edgefw__precision_choice)c;
      return true;
    }
  return false;
}

static edgefw_support support(const edgefw__engine *engine, edgefw_precision precision) {
  if (engine->kernels->precision_support)
    return engine->kernels->precision_support(engine->device, precision);
  return precision == EDGEFW_PRECISION_FP32 ? EDGEFW_SUPPORT_FAST : EDGEFW_SUPPORT_NONE;
}

static edgefw_precision automatic_precision(const edgefw__engine *engine) {
  return support(engine, EDGEFW_PRECISION_TF32) == EDGEFW_SUPPORT_FAST ? EDGEFW_PRECISION_TF32
                                                                       : EDGEFW_PRECISION_FP32;
}

/* The device has nothing of what was asked for: say what it has. */
static edgefw_status fail_precision(const edgefw__engine *engine, const char *asked) {
  char names[64] = "";
  for (int c = EDGEFW__PRECISION_FP32; c < CHOICES; ++c) {
    if (support(engine, precisions[c]) == EDGEFW_SUPPORT_NONE) continue;
    const size_t used = strlen(names);
    snprintf(names + used, sizeof names - used, "%s%s", used ? " and " : "",
             engine->kernels->dtype == EDGEFW_F64 ? "fp64" : choices[c]);
  }
  return edgefw_fail(engine->ctx, EDGEFW_CONFIG,
                     "precision = %s: device %s computes products in %s only; leave precision "
                     "at auto or use another device",
                     asked, engine->name, names);
}

static edgefw_status set_precision(edgefw__engine *engine, edgefw__precision_choice choice) {
  const edgefw_precision precision =
      choice == EDGEFW__PRECISION_AUTO ? automatic_precision(engine) : precisions[choice];
  const edgefw_support has = support(engine, precision);
  if (has == EDGEFW_SUPPORT_NONE) return fail_precision(engine, choices[choice]);
  edgefw_status status = EDGEFW_OK;
  if (engine->kernels->set_precision)
    status = engine->kernels->set_precision(engine->device, precision);
  if (status == EDGEFW_OK) engine->precision = precision;
  engine->slow = has == EDGEFW_SUPPORT_SLOW;
  return edgefw_note(engine->ctx, status, "precision = %s", choices[choice]);
}

edgefw_status edgefw__engine_open_with(edgefw_context *ctx, const edgefw__registry *registry,
                                       const char *name, edgefw__precision_choice precision,
                                       edgefw__engine *out) {
  edgefw_status status = edgefw__engine_open(ctx, registry, name, out);
  if (status != EDGEFW_OK) return status;
  status = set_precision(out, precision);
  if (status != EDGEFW_OK) edgefw__engine_close(out);
  return status;
}

edgefw_status edgefw__engine_open_for(edgefw_context *ctx, const edgefw__registry *registry,
                                      const edgefw_options *experiment, edgefw__engine *out) {
  return edgefw__engine_open_with(
      ctx, registry, edgefw_options_text(experiment, "device"),
      (edgefw__precision_choice)edgefw_options_choice(experiment, "precision"), out);
}

const char *edgefw__engine_precision_name(const edgefw__engine *engine) {
  if (engine->kernels->dtype == EDGEFW_F64) return "fp64";
  switch (engine->precision) {
  case EDGEFW_PRECISION_FP32: return "fp32";
  case EDGEFW_PRECISION_TF32: return "tf32";
  case EDGEFW_PRECISION_BF16: return "bf16";
  }
  return "unknown";
}

/* --- What a device may lack --- */

bool edgefw__engine_has_memory(const edgefw__engine *engine) {
  return engine->kernels->memory != NULL;
}

edgefw_status edgefw__engine_finish(const edgefw__engine *engine) {
  return engine->kernels->finish ? engine->kernels->finish(engine->device) : EDGEFW_OK;
}
