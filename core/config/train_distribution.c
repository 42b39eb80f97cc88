/* [train] distribution: the options of the problem, with another distribution. */
#include "config/train_distribution.h"

#include <string.h>

#define KEY "distribution"

/* Everything as `options` have it, but for the distribution. */
static edgefw_status copy_with(edgefw_context *ctx, edgefw_arena *arena,
                               const edgefw__composition *c, const edgefw__setting *distribution,
                               const edgefw_options **out) {
  const size_t count = edgefw__options_size(c->problem_options);
  edgefw_options *options = NULL;
  edgefw__setting *settings = edgefw_arena_take(arena, count + 1, sizeof *settings);
  if (!settings) return edgefw_failure(ctx);
  for (size_t i = 0; i < count; ++i)
    settings[i] =
        (edgefw__setting){.key = edgefw__options_key(c->problem_options, i),
                          .value = edgefw__options_value(c->problem_options, i)->text,
                          .where = edgefw__options_where(
                              c->problem_options, edgefw__options_key(c->problem_options, i))};
  settings[count] = *distribution;
  const edgefw_status status = edgefw__options_create(ctx, arena, "train", c->problem->options,
                                                      settings, count + 1, &options);
  *out = options;
  return status;
}

edgefw_status edgefw__train_distribution(edgefw_context *ctx, edgefw_arena *arena,
                                         const edgefw__composition *c, const char *path,
                                         const edgefw_options **out) {
  const char *where = edgefw__options_where(c->train, KEY);
  const edgefw__setting setting = {
      .key = KEY, .value = edgefw_options_text(c->train, KEY), .where = where ? where : path};
  *out = c->problem_options;
  if (!*setting.value) return EDGEFW_OK;
  if (*edgefw_options_text(c->train, "data"))
    return edgefw_fail(ctx, EDGEFW_CONFIG,
                       "%s: train.distribution = %s would change nothing: training takes the "
                       "instances of train.data",
                       setting.where, setting.value);
  if (!edgefw__option_find(c->problem->options, KEY))
    return edgefw_fail(ctx, EDGEFW_CONFIG,
                       "%s: train.distribution = %s: problem '%s' has no distributions to choose "
                       "from",
                       setting.where, setting.value, c->problem->descriptor->name);
  return copy_with(ctx, arena, c, &setting, out);
}
