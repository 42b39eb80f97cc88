/* What belongs to the instances of a set: their reference costs, and the fingerprint of all that
 * was read of them. */
#include <inttypes.h>
#include <string.h>

#include "base/hash.h"
#include "base/path.h"
#include "base/text.h"
#include "data/set_line.h"
#include "data/source.h"
#include "files/known_solution.h"
#include "files/reference_file.h"
#include "files/tsplib.h"
#include "plugin/problem_shape.h"

/* Instances that are compared where their names do not tell whether they are the same. */
enum { COMPARED = 16 };

static edgefw_context *context_of(const edgefw__source *source) {
  return source->engine->ctx;
}

static const edgefw__plugin *problem_of(const edgefw__source *source) {
  return source->composition->problem;
}

/* --- Is it of these instances? --- */

/* Two instances that are to be compared, and where the second one comes from. */
typedef struct pair {
  edgefw__set_generated set;
  edgefw__generator_pool *pool;
  edgefw__batch *own, *other;
} pair;

static void close_pair(edgefw_context *ctx, pair *p) {
  edgefw__generator_pool_destroy(ctx, p->pool);
  edgefw__batch_destroy(ctx, p->other);
  edgefw__batch_destroy(ctx, p->own);
}

static edgefw_status open_pair(edgefw__source *source, pair *p) {
  edgefw_context *ctx = context_of(source);
  const edgefw_field *fields = problem_of(source)->vtable.problem.fields;
  edgefw_status status = edgefw__batch_create(ctx, fields, 1, source->set->n, &p->own);
  if (status == EDGEFW_OK) status = edgefw__batch_create(ctx, fields, 1, source->set->n, &p->other);
  return status == EDGEFW_OK ? edgefw__generator_pool_create(ctx, &p->pool) : status;
}

/* Are all numbers the same, costs that are computed apart? */
static bool same_instance(const edgefw__batch *a, const edgefw__batch *b) {
  for (int f = 0; f < a->field_count; ++f) {
    const int64_t numbers = edgefw_field_count(a->fields[f].shape, a->n);
    if (a->fields[f].storage != EDGEFW_STORE_DERIVED &&
        memcmp(a->data[f], b->data[f], (size_t)numbers * sizeof(double)) != 0)
      return false;
  }
  return true;
}

static edgefw_status compare_instance(edgefw__source *source, pair *p, int64_t id, bool *same) {
  const edgefw_status status = edgefw__source_load(source, id, 1, p->own);
  if (status != EDGEFW_OK) return status;
  /* What cannot be generated is not the same: a size or keys that contradict. */
  const edgefw_status made = edgefw__generate_batch(
      context_of(source), p->pool,
      &(edgefw__generate_request){.problem = &problem_of(source)->vtable.problem,
                                  .options = p->set.options,
                                  .shortest_paths = source->engine->kernels->shortest_paths,
                                  .seed = p->set.seed,
                                  .first_id = (uint64_t)id,
                                  .count = 1},
      p->other);
  if (made != EDGEFW_OK && made != EDGEFW_CONFIG && made != EDGEFW_INFEASIBLE &&
      made != EDGEFW_INVALID_ARGUMENT && made != EDGEFW_UNSUPPORTED)
    return made;
  if (made != EDGEFW_OK) edgefw_clear(context_of(source));
  *same = made == EDGEFW_OK && same_instance(p->own, p->other);
  return EDGEFW_OK;
}

/* Are the source's instances those of this line of a generated set, however the two are called? So
 * it is with a dataset that 'edgefw data generate' wrote, and with keys that do not matter or mean
 * what the default means. Some instances, spread over the set, tell. */
static edgefw_status is_generated_so(edgefw__source *source, edgefw_arena *scratch,
                                     const char *line, bool *same) {
  edgefw_context *ctx = context_of(source);
  const edgefw__instance_set *set = source->set;
  pair p = {.pool = NULL};
  edgefw_status status =
      edgefw__set_line_parse(ctx, scratch, problem_of(source), line, &p.set, same);
  if (status != EDGEFW_OK || !*same) return status;
  *same = edgefw__problem_nodes(&problem_of(source)->vtable.problem, p.set.size) == set->n;
  if (!*same) return EDGEFW_OK;
  const int64_t looks = set->count < COMPARED ? set->count : COMPARED;
  status = open_pair(source, &p);
  for (int64_t k = 0; status == EDGEFW_OK && *same && k < looks; ++k)
    status = compare_instance(source, &p, looks > 1 ? k * (set->count - 1) / (looks - 1) : 0, same);
  close_pair(ctx, &p);
  return status;
}

/* The line of the source's own instances. */
static edgefw_status line_of(edgefw__source *source, edgefw_arena *scratch, const char **out) {
  const edgefw__plugin *problem = problem_of(source);
  const edgefw__instance_set *set = source->set;
  uint64_t content = 0;
  edgefw_status status = EDGEFW_OK;
  if (source->dataset)
    status = edgefw__set_content(context_of(source), source->dataset,
                                 problem->vtable.problem.fields, &content);
  if (status != EDGEFW_OK) return status;
  *out = source->dataset ? edgefw__set_line_stored(scratch, problem->descriptor->name, set->n,
                                                   content, &source->forbidden)
                         : edgefw__set_line_generated(context_of(source), scratch, problem,
                                                      source->composition->problem_options,
                                                      set->size, set->seed);
  return *out ? EDGEFW_OK : edgefw_failure(context_of(source));
}

/* A rule for forbidden arcs changes a dataset's instances, and what a generator makes has none. */
static bool may_be_generated(const edgefw__source *source, const char *line) {
  return !edgefw__set_line_is_stored(line) && !(source->dataset && source->forbidden.given);
}

static edgefw_status check_line(edgefw__source *source, edgefw_arena *scratch, const char *line) {
  edgefw_context *ctx = context_of(source);
  const edgefw__instance_set *set = source->set;
  const char *own = NULL;
  bool same = false;
  edgefw_status status = line_of(source, scratch, &own);
  if (status == EDGEFW_OK)
    status = edgefw__set_line_same(ctx, scratch, problem_of(source)->options, line, own, &same);
  if (status == EDGEFW_OK && !same && may_be_generated(source, line))
    status = is_generated_so(source, scratch, line, &same);
  if (status != EDGEFW_OK || same) return status;
  return edgefw_fail(ctx, EDGEFW_MISMATCH,
                     "'%s' holds costs of other instances: of (%s), while the set %s is (%s)%s%s; "
                     "'edgefw data reference' finds costs of any set",
                     set->reference, line, set->name, own, set->dataset ? ", " : "",
                     set->dataset ? set->dataset : "");
}

/* What the file says of its costs. A table of optima that says nothing has best known costs, of
 * which none is beaten as long as the file is right. */
static void take_kind(edgefw__source *source, edgefw__reference_kind kind) {
  const bool stated = kind != EDGEFW__REFERENCE_UNKNOWN;
  source->reference_kind = stated ? kind : EDGEFW__REFERENCE_BEST_KNOWN;
  source->reference_is_least =
      stated ? kind != EDGEFW__REFERENCE_BEST_KNOWN : source->set->file != NULL;
}

/* A file without the line may be of any instances; in one of library files it has no meaning, for
 * these are found by name. */
static edgefw_status check_head(edgefw__source *source) {
  edgefw_context *ctx = context_of(source);
  edgefw_arena *scratch = NULL;
  edgefw__reference_head head;
  edgefw_status status = edgefw_arena_create(ctx, &scratch, "reference costs", 0, true);
  if (status == EDGEFW_OK)
    status = edgefw__reference_file_head(ctx, scratch, source->set->reference, &head);
  if (status == EDGEFW_OK && head.set && !source->set->file)
    status = check_line(source, scratch, head.set);
  if (status == EDGEFW_OK) take_kind(source, head.kind);
  edgefw_arena_destroy(scratch);
  return status;
}

/* --- Costs --- */

/* A dataset's reference costs were found with the rule for forbidden arcs that is in force. */
static edgefw_status check_rule(const edgefw__source *source,
                                const edgefw__dataset_summary *summary) {
  const char *stored = *summary->reference_forbidden ? summary->reference_forbidden : "none";
  const edgefw__forbidden_rule *own = &source->forbidden;
  edgefw__forbidden_rule rule = {.given = false};
  char number[32];
  if (edgefw__forbidden_parse(stored, &rule) && rule.given == own->given &&
      (!rule.given || rule.value == own->value))
    return EDGEFW_OK;
  return edgefw_fail(context_of(source), EDGEFW_MISMATCH,
                     "'%s' holds reference costs that were found with [problem] forbidden = %s, "
                     "while it is %s here; 'edgefw data reference --store' finds others",
                     source->set->dataset, stored,
                     own->given ? edgefw__number_text(own->value, number, sizeof number) : "none");
}

/* The head of a dataset's reference costs. */
static edgefw_status dataset_reference(edgefw__source *source, double *out) {
  const edgefw__dataset_summary *summary = edgefw__dataset_describe(source->dataset);
  const edgefw_status fit = check_rule(source, summary);
  if (fit != EDGEFW_OK) return fit;
  double *all =
      edgefw_allocate(context_of(source), (size_t)summary->count, sizeof *all, "reference costs");
  if (!all) return edgefw_failure(context_of(source));
  const edgefw_status status = edgefw__dataset_reference(source->dataset, all);
  for (int64_t i = 0; status == EDGEFW_OK && i < source->set->count; ++i) out[i] = all[i];
  if (status == EDGEFW_OK) take_kind(source, summary->reference_kind);
  edgefw_release(context_of(source), all);
  return status;
}

/* The best known cost of the set's library file. One of that name but of another size is another
 * instance. */
static edgefw_status optimum(edgefw__source *source, double *out, bool *found) {
  const edgefw__instance_set *set = source->set;
  int64_t n = 0;
  const edgefw_status status = edgefw__reference_file_find(context_of(source), set->reference,
                                                           source->file.name, out, &n, found);
  if (status != EDGEFW_OK || !*found) return status;
  if (n == set->n || n == set->size) return check_head(source);
  return edgefw_fail(context_of(source), EDGEFW_MISMATCH,
                     "'%s' holds the cost of another instance: of %s with n = %" PRId64
                     ", while %s has %" PRId64 "; give one of them another NAME",
                     set->reference, source->file.name, n, set->file, set->n);
}

edgefw_status edgefw__source_reference(edgefw__source *source, double *out, bool *found) {
  const edgefw__instance_set *set = source->set;
  source->reference_kind = EDGEFW__REFERENCE_UNKNOWN;
  source->reference_is_least = false;
  *found = set->reference != NULL;
  if (set->reference && set->file && set->count > 1)
    return edgefw_fail(context_of(source), EDGEFW_UNSUPPORTED,
                       "%s: it holds %" PRId64 " instances, and '%s' gives costs of files or of "
                       "datasets; make a dataset of it ('edgefw data import')",
                       set->file, set->count, set->reference);
  if (set->reference && set->file) return optimum(source, out, found);
  if (set->reference) {
    const edgefw_status status = check_head(source);
    return status == EDGEFW_OK
               ? edgefw__reference_file_read(context_of(source), set->reference, set->count, out)
               : status;
  }
  if (!source->dataset || !edgefw__dataset_describe(source->dataset)->has_reference)
    return EDGEFW_OK;
  *found = true;
  return dataset_reference(source, out);
}

/* --- Fingerprint --- */

/* The solutions that lie beside the library file. One that cannot be read adds its name alone: it
 * is no solution. */
static edgefw_status add_known(edgefw__source *source, uint64_t *hash) {
  edgefw_context *ctx = context_of(source);
  edgefw_arena *scratch = NULL;
  edgefw__known_paths list = {NULL, 0};
  edgefw_status status = edgefw_arena_create(ctx, &scratch, "names of solutions", 0, true);
  if (status == EDGEFW_OK)
    status = edgefw__known_solution_list(ctx, scratch, problem_of(source)->vtable.problem.solution,
                                         source->set->file, &list);
  for (int64_t i = 0; status == EDGEFW_OK && i < list.count; ++i) {
    const char *name = edgefw__path_base(list.paths[i]);
    *hash = edgefw__hash_add(*hash, name, strlen(name) + 1);
    if (edgefw__hash_file(ctx, list.paths[i], hash) != EDGEFW_OK) edgefw_clear(ctx);
  }
  edgefw_arena_destroy(scratch);
  return status;
}

/* The cost of one file among many in `reference`: whether it has one, and which. Where it has none,
 * solutions beside the file take its place. */
static edgefw_status add_optimum(edgefw__source *source, uint64_t *hash) {
  double cost = 0.0;
  bool found = false;
  const edgefw_status status = edgefw__source_reference(source, &cost, &found);
  if (status != EDGEFW_OK) return status;
  if (!found) return add_known(source, hash);
  *hash = edgefw__hash_add(*hash, &cost, sizeof cost);
  const int kind = source->reference_kind;
  if (kind != EDGEFW__REFERENCE_BEST_KNOWN) *hash = edgefw__hash_add(*hash, &kind, sizeof kind);
  return EDGEFW_OK;
}

edgefw_status edgefw__source_inputs(edgefw__source *source, uint64_t *out) {
  const edgefw__instance_set *set = source->set;
  const char *instances = set->file ? set->file : set->dataset;
  uint64_t hash = EDGEFW__HASH_EMPTY;
  edgefw_status status = EDGEFW_OK;
  if (instances) status = edgefw__hash_file(context_of(source), instances, &hash);
  if (status == EDGEFW_OK && set->file)
    status = add_optimum(source, &hash);
  else if (status == EDGEFW_OK && set->reference)
    status = edgefw__hash_file(context_of(source), set->reference, &hash);
  if (status == EDGEFW_OK && set->start)
    status = edgefw__hash_file(context_of(source), set->start, &hash);
  *out = instances || set->reference ? hash : 0;
  return status;
}
