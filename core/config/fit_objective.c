/* Rules between the keys of objectives. */
#include "config/fit_objective.h"

#include <string.h>

#include "config/fit_feed.h"
#include "config/schema.h"

/* A key that one objective alone looks at. */
typedef struct own_key {
  const char *key, *objective;
} own_key;

static const own_key own_keys[] = {
    {"advantage_norm", "reinforce"},   {"leader", "reinforce"},
    {"preference_beta", "preference"}, {"labels", "imitation"},
    {"label_starts", "imitation"},     {"label_heuristics", "imitation"},
    {"label_kicks", "imitation"}};

/* A key's number in the table. */
static size_t find(const edgefw_options *options, const char *key) {
  size_t i = 0;
  while (strcmp(edgefw__options_key(options, i), key) != 0) ++i;
  return i;
}

static const char *text_of(const edgefw_options *options, const char *key) {
  return edgefw__options_value(options, find(options, key))->text;
}

/* The defaults of these keys stand in the table as values are written back. */
static bool is_default(const edgefw_options *options, const char *key) {
  const char *fallback = edgefw__options_declared(options, find(options, key))->fallback;
  return strcmp(text_of(options, key), fallback) == 0;
}

/* Where a key was set, or the configuration as a whole. */
static const char *place(const edgefw_options *options, const char *key, const char *path) {
  const char *where = edgefw__options_where(options, key);
  return where ? where : path;
}

/* Keys of searched labels beside labels of a file, and such labels without one. */
static edgefw_status check_source(edgefw_context *ctx, const edgefw__composition *c,
                                  const char *path) {
  static const char *const keys[] = {"label_heuristics", "label_kicks"};
  if (edgefw__label_source_of(c->train) != EDGEFW__LABELS_DATASET) return EDGEFW_OK;
  if (!*edgefw_options_text(c->train, "data"))
    return edgefw_fail(ctx, EDGEFW_CONFIG,
                       "%s: train.labels = dataset needs a dataset that has labels; expected "
                       "train.data = FILE.h5",
                       place(c->train, "labels", path));
  for (size_t k = 0; k < sizeof keys / sizeof *keys; ++k)
    if (!is_default(c->train, keys[k]))
      return edgefw_fail(ctx, EDGEFW_CONFIG,
                         "%s: train.%s = %s would change nothing: it belongs to train.labels = "
                         "search, which is dataset here",
                         place(c->train, keys[k], path), keys[k], text_of(c->train, keys[k]));
  return EDGEFW_OK;
}

/* Imitation needs labels, and no more of an instance than it has starts. */
static edgefw_status check_labels(edgefw_context *ctx, const edgefw__composition *c,
                                  const char *path) {
  const int64_t starts = edgefw_options_int(c->train, "label_starts");
  const int64_t size = edgefw__train_least_size(c->train);
  if (edgefw__objective_kind_of(c->train) != EDGEFW__OBJECTIVE_IMITATION) return EDGEFW_OK;
  if (edgefw__label_source_of(c->train) == EDGEFW__LABELS_NONE)
    return edgefw_fail(ctx, EDGEFW_CONFIG,
                       "%s: train.objective = imitation needs tours to imitate; expected "
                       "train.labels = search or dataset",
                       place(c->train, "objective", path));
  if (starts > size) /* with a depot the size counts customers, each of them a start */
    return edgefw_fail(ctx, EDGEFW_CONFIG,
                       "%s: train.label_starts = %lld, but an instance of train.%s = %lld has "
                       "%lld starts; expected at most so many",
                       place(c->train, "label_starts", path), (long long)starts,
                       edgefw__train_has_size(c->train) ? "size" : "sizes", (long long)size,
                       (long long)size);
  return check_source(ctx, c, path);
}

edgefw_status edgefw__fit_objective(edgefw_context *ctx, const edgefw__composition *c,
                                    const char *path) {
  const char *objective = text_of(c->train, "objective");
  if (edgefw__constructs(c)) return EDGEFW_OK;
  for (size_t k = 0; k < sizeof own_keys / sizeof *own_keys; ++k) {
    const own_key *own = &own_keys[k];
    if (is_default(c->train, own->key) || strcmp(objective, own->objective) == 0) continue;
    return edgefw_fail(ctx, EDGEFW_CONFIG,
                       "%s: train.%s = %s would change nothing: it belongs to train.objective = "
                       "%s, which is %s here",
                       place(c->train, own->key, path), own->key, text_of(c->train, own->key),
                       own->objective, objective);
  }
  return check_labels(ctx, c, path);
}
