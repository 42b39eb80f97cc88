/* Rules between the keys that say which instances training takes. */
#include "config/fit_feed.h"

#include <inttypes.h>
#include <string.h>

#include "plugin/problem_shape.h"

bool edgefw__train_has_size(const edgefw_options *train) {
  return edgefw_options_count(train, "sizes") == 0 && !*edgefw_options_text(train, "data");
}

int64_t edgefw__train_least_size(const edgefw_options *train) {
  int64_t least = INT64_MAX;
  if (edgefw__train_has_size(train)) return edgefw_options_int(train, "size");
  for (int64_t i = 0; i < edgefw_options_count(train, "sizes"); ++i) {
    const int64_t size = edgefw_options_int_at(train, "sizes", i);
    if (size < least) least = size;
  }
  return least;
}

int64_t edgefw__train_largest_size(const edgefw_options *train) {
  int64_t largest = 0;
  if (edgefw__train_has_size(train)) return edgefw_options_int(train, "size");
  for (int64_t i = 0; i < edgefw_options_count(train, "sizes"); ++i) {
    const int64_t size = edgefw_options_int_at(train, "sizes", i);
    if (size > largest) largest = size;
  }
  return largest;
}

/* Was a key set in the configuration's own file, or on the command line? */
static bool is_own(const char *where, const char *path) {
  const size_t length = strlen(path);
  return strncmp(where, "--set", 5) == 0 ||
         (strncmp(where, path, length) == 0 && where[length] == ':');
}

const char *edgefw__train_size_insists(const edgefw_options *train, const char *key,
                                       const char *path) {
  const char *size = edgefw__options_where(train, "size");
  const char *other = edgefw__options_where(train, key);
  if (!size || !other || !is_own(size, path)) return NULL;
  return edgefw__options_rank(train, "size") >= edgefw__options_rank(train, key) ? size : NULL;
}

/* Where a key was set, or the configuration as a whole. */
static const char *place(const edgefw_options *options, const char *key, const char *path) {
  const char *where = edgefw__options_where(options, key);
  return where ? where : path;
}

static edgefw_status check_least(edgefw_context *ctx, const edgefw__composition *c,
                                 const char *path) {
  const edgefw_problem *problem = &c->problem->vtable.problem;
  const int64_t least = problem->min_nodes - edgefw__problem_nodes(problem, 0);
  const int64_t size = edgefw__train_least_size(c->train);
  const bool one = edgefw__train_has_size(c->train);
  if (size >= least) return EDGEFW_OK;
  return edgefw_fail(ctx, EDGEFW_CONFIG,
                     "%s: train.%s %" PRId64 ": problem '%s' needs at least %" PRId64 " nodes",
                     place(c->train, one ? "size" : "sizes", path), one ? "size =" : "sizes holds",
                     size, c->problem->descriptor->name, least);
}

edgefw_status edgefw__fit_feed(edgefw_context *ctx, const edgefw__composition *c,
                               const char *path) {
  if (edgefw__constructs(c)) return EDGEFW_OK;
  const bool sizes = edgefw_options_count(c->train, "sizes") > 0;
  const char *size = sizes ? edgefw__train_size_insists(c->train, "sizes", path) : NULL;
  if (size)
    return edgefw_fail(ctx, EDGEFW_CONFIG,
                       "%s: train.size = %" PRId64
                       " beside train.sizes (%s): training instances have one size or several; "
                       "leave one of the keys out, or, where one size is to count, say "
                       "train.sizes = (nothing behind it)",
                       size, edgefw_options_int(c->train, "size"),
                       edgefw__options_where(c->train, "sizes"));
  if (sizes && *edgefw_options_text(c->train, "data"))
    return edgefw_fail(ctx, EDGEFW_CONFIG,
                       "%s: train.sizes beside train.data (%s): the instances of a file have the "
                       "size that they have; leave one of the keys out, or say train.sizes = or "
                       "train.data = (nothing behind it)",
                       place(c->train, "sizes", path), place(c->train, "data", path));
  if (*edgefw_options_text(c->train, "data") && edgefw_options_int(c->train, "validate_every") > 0)
    return edgefw_fail(
        ctx, EDGEFW_CONFIG,
        "%s: train.validate_every beside train.data (%s): validation takes generated "
        "instances, which say little about those of a file; leave one of the keys "
        "out, or say train.validate_every = 0 or train.data = (nothing behind it)",
        place(c->train, "validate_every", path), place(c->train, "data", path));
  return check_least(ctx, c, path);
}
