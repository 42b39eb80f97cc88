/* Checks before a run. Everything here is quick: files are opened, but not read to their end. */
#include "experiment/preflight.h"

#include "data/source.h"
#include "diagnostics/diagnose.h"
#include "eval/prefix.h"
#include "policy/model_file.h"
#include "train/feed.h"
#include "train/labels.h"

/* The first instance of a dataset or file goes through the problem's own examination. */
static edgefw_status check_first(edgefw__source *source) {
  edgefw_context *ctx = source->engine->ctx;
  edgefw__batch *batch = NULL;
  edgefw_status status = edgefw__batch_create(
      ctx, source->composition->problem->vtable.problem.fields, 1, source->set->n, &batch);
  if (status == EDGEFW_OK) status = edgefw__source_load(source, 0, 1, batch);
  edgefw__batch_destroy(ctx, batch);
  return status;
}

static edgefw_status check_references(edgefw__source *source) {
  edgefw_context *ctx = source->engine->ctx;
  bool found = false;
  double *costs =
      edgefw_allocate(ctx, (size_t)source->set->count, sizeof *costs, "reference costs");
  if (!costs) return edgefw_failure(ctx);
  const edgefw_status status = edgefw__source_reference(source, costs, &found);
  edgefw_release(ctx, costs);
  return status;
}

static edgefw_status check_set(edgefw__model *model, const edgefw__instance_set *set) {
  const edgefw__eval_settings settings = edgefw__eval_settings_from(model->composition);
  edgefw__source source;
  int64_t batch = 0;
  edgefw_status status = edgefw__source_open(model->engine, model->composition, set, &source);
  if (status == EDGEFW_OK) status = edgefw__eval_batch(model, set, &settings, &batch);
  if (status == EDGEFW_OK && (set->file || set->dataset)) status = check_first(&source);
  if (status == EDGEFW_OK && (set->reference || set->dataset)) status = check_references(&source);
  edgefw__source_close(&source);
  if (status == EDGEFW_OK) {
    edgefw__prefix prefix;
    status = edgefw__prefix_open(model->engine->ctx, &model->composition->problem->vtable.problem,
                                 set, &settings, &prefix);
    edgefw__prefix_close(model->engine->ctx, &prefix);
  }
  return edgefw_note(model->engine->ctx, status, "set %s", set->name);
}

/* Does the dataset have labels, where they are to be imitated? */
static edgefw_status check_labels(const edgefw__model *model) {
  edgefw__labels labels = edgefw__labels_begin(model->engine->ctx, model->composition);
  const edgefw_status status = edgefw__labels_open(&labels);
  edgefw__labels_end(&labels);
  return status;
}

/* Where the variant trains: are there instances to train on? */
static edgefw_status check_feed(edgefw__model *model) {
  const edgefw__composition *c = model->composition;
  edgefw__feed feed;
  if (edgefw__constructs(c) || *c->checkpoint || c->trainer) return EDGEFW_OK;
  edgefw_status status = edgefw__feed_open(model, &feed);
  if (status == EDGEFW_OK && feed.set.dataset)
    status = edgefw_note(model->engine->ctx, check_first(&feed.source), "[train] data");
  if (status == EDGEFW_OK) status = check_labels(model);
  edgefw__feed_close(&feed);
  return status;
}

/* Is there room for one instance of each size? */
static edgefw_status check_diagnostics(edgefw__model *model) {
  const edgefw__diagnostic_settings settings = edgefw__diagnostic_settings_from(model->composition);
  const int64_t sizes = edgefw__diagnostic_size_count(model->composition);
  edgefw_status status = EDGEFW_OK;
  int64_t batch = 0;
  for (int64_t s = 0; status == EDGEFW_OK && s < sizes; ++s)
    status = edgefw__diagnose_batch(model, edgefw__diagnostic_size(model->composition, s),
                                    &settings, &batch);
  return edgefw_note(model->engine->ctx, status, "diagnostics");
}

static edgefw_status make_model(const edgefw__engine *engine,
                                const edgefw__composition *composition, edgefw__model **out) {
  if (edgefw__constructs(composition)) return edgefw__model_constructing(engine, composition, out);
  return *composition->checkpoint
             ? edgefw__model_open(engine, composition, composition->checkpoint, out)
             : edgefw__model_create(engine, composition, 0, false, out);
}

edgefw_status edgefw__preflight(const edgefw__engine *engine,
                                const edgefw__composition *composition,
                                const edgefw__instance_set *sets, int set_count, bool trains) {
  edgefw__model *model = NULL;
  edgefw_status status = make_model(engine, composition, &model);
  for (int s = 0; status == EDGEFW_OK && s < set_count; ++s) status = check_set(model, &sets[s]);
  if (status == EDGEFW_OK && trains) status = check_feed(model);
  if (status == EDGEFW_OK) status = check_diagnostics(model);
  edgefw__model_destroy(model);
  return status;
}
