/* Files and variants that training begins with. */
#include "experiment/initial.h"

#include <inttypes.h>

#include "base/path.h"
#include "base/units.h"
#include "policy/model_init.h"
#include "train/kept.h"

edgefw_status edgefw__initial_path(edgefw_context *ctx, edgefw_arena *arena, const char *folder,
                                   const edgefw__composition *composition, const char **path) {
  const edgefw__composition *initial = composition->initial;
  edgefw__kept kept;
  bool goes_on = false;
  *path = initial ? initial->checkpoint : NULL;
  if (!initial || *initial->checkpoint) return EDGEFW_OK;
  const char *own = edgefw__path_join(arena, folder, composition->variant);
  const char *from = own ? edgefw__path_join(arena, folder, initial->variant) : NULL;
  if (!from) return edgefw_failure(ctx);
  edgefw_status status = edgefw__checkpoint_exists(ctx, arena, own, &goes_on);
  if (status != EDGEFW_OK || goes_on) return status;
  status = edgefw__kept_find(ctx, arena, initial->train, from, &kept);
  if (status != EDGEFW_OK) return status;
  if (!kept.newest)
    return edgefw_fail(ctx, EDGEFW_CONFIG,
                       "[train] init_from = %s: %s has no checkpoint of that variant; train it "
                       "first",
                       initial->variant, from);
  if (!kept.is_over)
    return edgefw_fail(ctx, EDGEFW_CONFIG,
                       "[train] init_from = %s: %" PRId64 " of its %" PRId64
                       " epochs are trained; let it come to its end first",
                       initial->variant, kept.epoch, edgefw_options_int(initial->train, "epochs"));
  return edgefw__kept_evaluated(ctx, arena, initial->train, from, &kept, path);
}

/* --- Before a run --- */

static void add_line(const edgefw__init_source *source, const edgefw__init_fit *fit,
                     const edgefw__parameters *parameters, edgefw__text *text) {
  char taken[EDGEFW__UNIT_TEXT], all[EDGEFW__UNIT_TEXT];
  edgefw__text_add(text, ";   begins with %s: %s of the %s parameters come from there",
                   source->name, edgefw__count_text(fit->numbers, taken, sizeof taken),
                   edgefw__count_text(parameters->total, all, sizeof all));
  if (fit->fresh_count > 0)
    edgefw__text_add(text, "; tensors that start fresh: %d", fit->fresh_count);
  if (fit->left_over_count > 0)
    edgefw__text_add(text, "; left over there: %" PRId64, fit->left_over_count);
  edgefw__text_add(text, "\n");
}

static edgefw_status check_source(const edgefw__model *model, const edgefw__init_source *source,
                                  edgefw_arena *arena, edgefw__text *text) {
  edgefw__init_fit fit;
  const edgefw_status status = edgefw__init_fit_find(model, source, arena, &fit);
  if (status == EDGEFW_OK && text) add_line(source, &fit, model->parameters, text);
  return status;
}

static edgefw_status check_file(const edgefw__model *model, const char *path, edgefw_arena *arena,
                                edgefw__text *text) {
  edgefw_context *ctx = model->engine->ctx;
  edgefw__checkpoint *checkpoint = NULL;
  const char *name = edgefw_arena_format(arena, "'%s'", path);
  edgefw_status status =
      name ? edgefw__checkpoint_open(ctx, path, &checkpoint) : edgefw_failure(ctx);
  if (status == EDGEFW_OK) {
    const edgefw__init_source source = edgefw__init_source_of(checkpoint, name);
    status = check_source(model, &source, arena, text);
  }
  edgefw__checkpoint_close(checkpoint);
  return status;
}

/* What the variant will have trained has the shapes that its model declares. */
static edgefw_status check_variant(const edgefw__model *model, edgefw_arena *arena,
                                   edgefw__text *text) {
  const edgefw__composition *initial = model->composition->initial;
  edgefw__model *other = NULL;
  edgefw__init_source source;
  const char *name = edgefw_arena_format(arena, "what %s trains", initial->variant);
  edgefw_status status = name ? edgefw__model_declare(model->engine, initial, &other)
                              : edgefw_failure(model->engine->ctx);
  if (status == EDGEFW_OK) status = edgefw__init_source_model(other, name, arena, &source);
  if (status == EDGEFW_OK) status = check_source(model, &source, arena, text);
  edgefw__model_destroy(other);
  return status;
}

edgefw_status edgefw__initial_check(const edgefw__model *model, edgefw__text *text) {
  const edgefw__composition *composition = model->composition, *initial = composition->initial;
  const bool trains =
      !edgefw__constructs(composition) && !composition->trainer && !*composition->checkpoint;
  const char *path = trains ? edgefw_options_text(composition->train, "init") : "";
  edgefw_arena *arena = NULL;
  if (initial) path = initial->checkpoint;
  if (!initial && !*path) return EDGEFW_OK;
  edgefw_status status =
      edgefw_arena_create(model->engine->ctx, &arena, "parameters to begin with", 0, true);
  if (status == EDGEFW_OK)
    status = *path ? check_file(model, path, arena, text) : check_variant(model, arena, text);
  edgefw_arena_destroy(arena);
  return edgefw_note(model->engine->ctx, status, "[train] %s", initial ? "init_from" : "init");
}
