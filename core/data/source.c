/* Instances of a set. */
#include "data/source.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "data/instance_file.h"
#include "data/load_rounding.h"
#include "files/tsplib.h"
#include "plugin/problem_shape.h"

static edgefw_context *context_of(const edgefw__source *source) {
  return source->engine->ctx;
}

static const edgefw_problem *problem_of(const edgefw__source *source) {
  return &source->composition->problem->vtable.problem;
}

static const char *problem_name(const edgefw__source *source) {
  return source->composition->problem->descriptor->name;
}

/* --- Opening --- */

static edgefw_status open_dataset(edgefw__source *source) {
  const edgefw__instance_set *set = source->set;
  const edgefw_status status =
      edgefw__dataset_open(context_of(source), set->dataset, problem_name(source),
                           problem_of(source)->fields, &source->dataset);
  if (status != EDGEFW_OK) return status;
  const edgefw__dataset_summary *summary = edgefw__dataset_describe(source->dataset);
  if (summary->n != set->n)
    return edgefw_fail(context_of(source), EDGEFW_MISMATCH,
                       "%s: its instances have %" PRId64 " nodes, expected %" PRId64, set->dataset,
                       summary->n, set->n);
  if (summary->count < set->count)
    return edgefw_fail(context_of(source), EDGEFW_MISMATCH,
                       "%s: it has %" PRId64 " instances, [eval] instances asks for %" PRId64,
                       set->dataset, summary->count, set->count);
  return EDGEFW_OK;
}

static edgefw_status read_file(edgefw__source *source) {
  edgefw_context *ctx = context_of(source);
  if (source->set->parsed) {
    source->file = *source->set->parsed;
    return EDGEFW_OK;
  }
  const edgefw_status status = edgefw_arena_create(ctx, &source->arena, "library file", 0, true);
  return status == EDGEFW_OK
             ? edgefw__tsplib_read(ctx, source->arena, source->set->file, &source->file)
             : status;
}

static edgefw_status open_file(edgefw__source *source) {
  edgefw_context *ctx = context_of(source);
  const edgefw_problem *problem = problem_of(source);
  const edgefw__instance_set *set = source->set;
  if (!problem->file_nodes)
    return edgefw_fail(ctx, EDGEFW_UNSUPPORTED, "%s: the problem %s reads no library files",
                       set->file, problem_name(source));
  edgefw_status status = read_file(source);
  if (status != EDGEFW_OK) return status;
  int64_t nodes = 0;
  status = problem->file_nodes(ctx, source->composition->problem_options, &source->file, &nodes);
  if (status != EDGEFW_OK) return status;
  if (nodes != set->n || (set->count != 1 && !set->stops))
    return edgefw_fail(ctx, EDGEFW_MISMATCH,
                       "%s: it holds 1 instance of %" PRId64 " nodes, expected %" PRId64
                       " of %" PRId64,
                       set->file, nodes, set->count, set->n);
  return EDGEFW_OK;
}

edgefw_status edgefw__source_open(const edgefw__engine *engine,
                                  const edgefw__composition *composition,
                                  const edgefw__instance_set *set, edgefw__source *out) {
  *out = (edgefw__source){.engine = engine, .composition = composition, .set = set};
  if (set->n < problem_of(out)->min_nodes)
    return edgefw_fail(context_of(out), EDGEFW_UNSUPPORTED,
                       "set %s: instances of %" PRId64
                       " nodes; the problem %s needs at least %" PRId64,
                       set->name, set->n, problem_name(out), problem_of(out)->min_nodes);
  if (set->forbidden) out->forbidden = *set->forbidden;
  edgefw_status status = EDGEFW_OK;
  if (!set->forbidden)
    status =
        edgefw__forbidden_rule_of(context_of(out), composition->problem_options, &out->forbidden);
  if (status != EDGEFW_OK) return status;
  if (set->given) return EDGEFW_OK;
  if (set->file) return open_file(out);
  if (set->dataset) return open_dataset(out);
  status = edgefw__generator_pool_create(context_of(out), &out->pool);
  if (status == EDGEFW_OK) edgefw__generator_pool_use(out->pool, engine->kernels, engine->device);
  return status;
}

void edgefw__source_close(edgefw__source *source) {
  if (!source->engine) return;
  edgefw__generator_pool_destroy(context_of(source), source->pool);
  edgefw__dataset_close(source->dataset);
  edgefw_arena_destroy(source->arena);
  *source = (edgefw__source){0};
}

const char *edgefw__source_name(const edgefw__source *source) {
  if (source->set->given) return source->set->name;
  return source->set->file ? source->file.name : NULL;
}

/* --- Loading --- */

static const char *path_of(const edgefw__source *source) {
  return source->set->file ? source->set->file : source->set->dataset;
}

/* Say how many arcs of an instance are forbidden, or look it; of a dataset's instances only the
 * first one is named. */
static edgefw_status report_forbidden(edgefw__source *source, const edgefw_instance *instance,
                                      int64_t arcs) {
  edgefw_context *ctx = context_of(source);
  char which[48] = "", least[32];
  if (source->reported) return EDGEFW_OK;
  if (source->set->dataset) snprintf(which, sizeof which, " of instance %" PRIu64, instance->id);
  if (arcs > 0) {
    edgefw_log(ctx, EDGEFW_LOG_INFO, "%s: %" PRId64 " of %" PRId64 " %s%s are %s", path_of(source),
               arcs, instance->n * (instance->n - 1), source->set->stops ? "ways" : "arcs", which,
               source->set->stops ? "missing" : "forbidden");
    source->reported = true;
    return EDGEFW_OK;
  }
  edgefw__forbidden_suspects suspects;
  const edgefw_status status =
      edgefw__forbidden_suspect(ctx, problem_of(source), instance, &suspects);
  if (status != EDGEFW_OK || suspects.arcs == 0) return status;
  source->reported = true;
  edgefw__number_text(suspects.least, least, sizeof least);
  edgefw_log(ctx, EDGEFW_LOG_WARNING,
             "%s: %" PRId64 " of %" PRId64
             " arcs%s are %s or more: %.0f times the median of the others; if "
             "they are forbidden, say so with --forbidden %s or [problem] forbidden = %s",
             path_of(source), suspects.arcs, suspects.all, which, least, suspects.ratio, least,
             least);
  return EDGEFW_OK;
}

/* Instances from outside go through the problem's own examination. */
static edgefw_status accept_all(edgefw__source *source, edgefw__batch *batch) {
  edgefw_context *ctx = context_of(source);
  batch->has_forbidden = false;
  for (int64_t b = 0; b < batch->count; ++b) {
    edgefw_instance instance = edgefw__batch_instance(batch, b);
    instance.name = edgefw__source_name(source);
    int64_t arcs = 0;
    edgefw_status status =
        edgefw__forbidden_accept(ctx, problem_of(source), source->composition->problem_options,
                                 &source->forbidden, &instance, &batch->limits[b], &arcs);
    if (status == EDGEFW_OK) status = report_forbidden(source, &instance, arcs);
    if (status != EDGEFW_OK) return edgefw_note(ctx, status, "while reading %s", path_of(source));
    batch->has_forbidden |= arcs > 0;
  }
  edgefw__warn_of_rounded_loads(ctx, problem_of(source), batch, path_of(source),
                                &source->rounding_said);
  return EDGEFW_OK;
}

/* A library file has one instance, other files may have several. */
static edgefw_status load_file(edgefw__source *source, int64_t first, int64_t count,
                               edgefw__batch *batch) {
  const edgefw__instance_set *set = source->set;
  edgefw_status status = EDGEFW_OK;
  batch->count = count;
  for (int64_t b = 0; status == EDGEFW_OK && b < count; ++b) {
    batch->ids[b] = (uint64_t)(first + b);
    edgefw_instance instance = edgefw__batch_instance(batch, b);
    instance.name = source->file.name;
    const edgefw_tsplib *file = set->parsed ? &set->parsed[first + b] : &source->file;
    status = edgefw__instance_file_load(context_of(source), problem_of(source),
                                        source->composition->problem_options, file, &instance);
  }
  return status == EDGEFW_OK ? accept_all(source, batch) : status;
}

static edgefw_status load_given(edgefw__source *source, int64_t first, int64_t count,
                                edgefw__batch *batch) {
  const edgefw__instance_reader *given = source->set->given;
  edgefw_status status = EDGEFW_OK;
  batch->count = count;
  for (int64_t b = 0; status == EDGEFW_OK && b < count; ++b) {
    batch->ids[b] = (uint64_t)(first + b);
    edgefw_instance instance = edgefw__batch_instance(batch, b);
    instance.name = source->set->name;
    status = given->read(given->user, context_of(source), problem_of(source),
                         source->composition->problem_options, first + b, &instance);
  }
  return status == EDGEFW_OK ? accept_all(source, batch) : status;
}

edgefw_status edgefw__source_load(edgefw__source *source, int64_t first, int64_t count,
                                  edgefw__batch *batch) {
  if (source->set->given) return load_given(source, first, count, batch);
  if (source->set->file) return load_file(source, first, count, batch);
  if (source->dataset) {
    const edgefw_status status = edgefw__dataset_read(source->dataset, first, count, batch);
    return status == EDGEFW_OK ? accept_all(source, batch) : status;
  }
  batch->has_forbidden = false;
  return edgefw__generate_batch(
      context_of(source), source->pool,
      &(edgefw__generate_request){.problem = problem_of(source),
                                  .options = source->composition->problem_options,
                                  .shortest_paths = source->engine->kernels->shortest_paths,
                                  .seed = source->set->seed,
                                  .first_id = (uint64_t)first,
                                  .count = count},
      batch);
}

/* Node of the file behind a node of the instance. */
static int64_t file_node(const edgefw__source *source, int32_t node) {
  const bool depot = edgefw__problem_has_depot(problem_of(source));
  return depot ? edgefw_tsplib_node(&source->file, node) : node;
}

double edgefw__source_length(const edgefw__source *source, const int32_t *tour, int64_t steps) {
  if (!source->set->file || !source->file.lengths) return (double)NAN;
  double length = 0.0;
  for (int64_t t = 0; t < steps; ++t)
    length += source->file.lengths[file_node(source, tour[t]) * source->file.dimension +
                                   file_node(source, tour[(t + 1) % steps])];
  return length;
}
