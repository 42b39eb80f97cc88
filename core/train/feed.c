/* Batches of training, from a generator or a dataset. */
#include "train/feed.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "config/fit_feed.h"
#include "config/schema.h"
#include "data/set_line.h"
#include "edgefw/rng.h"
#include "plugin/problem_shape.h"
#include "train/lesson.h"

static const edgefw_options *options_of(const edgefw__feed *feed) {
  return feed->model->composition->train;
}

static const edgefw_problem *problem_of(const edgefw__feed *feed) {
  return &feed->model->composition->problem->vtable.problem;
}

static edgefw_context *context_of(const edgefw__feed *feed) {
  return feed->model->engine->ctx;
}

static int64_t size_count(const edgefw__feed *feed) {
  return edgefw_options_count(options_of(feed), "sizes");
}

/* Nodes of the i-th of several sizes. */
static int64_t nodes_at(const edgefw__feed *feed, int64_t i) {
  return edgefw__problem_nodes(problem_of(feed),
                               edgefw_options_int_at(options_of(feed), "sizes", i));
}

/* --- Opening --- */

/* Files made by a composition without a check of its sizes come here, too. */
static edgefw_status check_nodes(const edgefw__feed *feed, int64_t n) {
  const edgefw_problem *problem = problem_of(feed);
  if (n >= problem->min_nodes) return EDGEFW_OK;
  return edgefw_fail(context_of(feed), EDGEFW_CONFIG,
                     "[train] size = %" PRId64 "; the problem %s needs at least %" PRId64 " nodes",
                     n - edgefw__problem_nodes(problem, 0),
                     feed->model->composition->problem->descriptor->name, problem->min_nodes);
}

static edgefw_status open_sizes(edgefw__feed *feed) {
  const int64_t sizes = size_count(feed);
  if (sizes == 0) {
    feed->largest =
        edgefw__problem_nodes(problem_of(feed), edgefw_options_int(options_of(feed), "size"));
    return check_nodes(feed, feed->largest);
  }
  edgefw_status status = EDGEFW_OK;
  for (int64_t i = 0; status == EDGEFW_OK && i < sizes; ++i) {
    const int64_t n = nodes_at(feed, i);
    status = check_nodes(feed, n);
    if (n > feed->largest) feed->largest = n;
  }
  return status;
}

/* A size that insists must be that of the file. */
static edgefw_status check_size(const edgefw__feed *feed, const char *path) {
  const edgefw_options *train = options_of(feed);
  const char *where = edgefw__train_size_insists(train, "data", feed->model->composition->origin);
  if (!where || edgefw_options_int(train, "size") == feed->set.size) return EDGEFW_OK;
  return edgefw_fail(context_of(feed), EDGEFW_MISMATCH,
                     "%s: train.size = %" PRId64 ", but the instances of '%s' have size %" PRId64
                     "; leave train.size out",
                     where, edgefw_options_int(train, "size"), path, feed->set.size);
}

/* A configuration knows the size of generated instances, and has checked them. */
static edgefw_status check_starts(const edgefw__feed *feed, const char *path) {
  const int64_t wanted = edgefw__lesson_rollouts(options_of(feed));
  if (wanted <= feed->set.size) return EDGEFW_OK;
  return edgefw_fail(context_of(feed), EDGEFW_MISMATCH,
                     "train.label_starts = %" PRId64 ", but an instance of '%s' has %" PRId64
                     " starts; expected at most so many",
                     wanted, path, feed->set.size);
}

/* What the file holds makes the set, which is then opened as any set is. */
static edgefw_status open_data(edgefw__feed *feed, const char *path) {
  edgefw__dataset_summary summary;
  edgefw_status status = edgefw__dataset_info(context_of(feed), path, &summary);
  if (status != EDGEFW_OK) return status;
  feed->set = (edgefw__instance_set){.name = "data",
                                     .n = summary.n,
                                     .size = summary.n - edgefw__problem_nodes(problem_of(feed), 0),
                                     .count = summary.count,
                                     .dataset = path};
  feed->largest = summary.n;
  status =
      edgefw__source_open(feed->model->engine, feed->model->composition, &feed->set, &feed->source);
  if (status == EDGEFW_OK) status = check_size(feed, path);
  return status == EDGEFW_OK ? check_starts(feed, path) : status;
}

bool edgefw__feed_is_there(const edgefw_options *train) {
  const char *path = edgefw_options_text(train, "data");
  return !*path || access(path, R_OK) == 0;
}

static edgefw_status refuse_missing(const edgefw__feed *feed, const char *path) {
  const int reason = errno;
  const char *where = edgefw__options_where(options_of(feed), "data");
  if (!where) where = feed->model->composition->origin;
  return edgefw_fail(context_of(feed), EDGEFW_IO, "%s: train.data: cannot read '%s': %s", where,
                     path, strerror(reason));
}

edgefw_status edgefw__feed_open(edgefw__model *model, edgefw__feed *out) {
  *out =
      (edgefw__feed){.model = model,
                     .seed = (uint64_t)edgefw_options_int(model->composition->experiment, "seed"),
                     .pass = -1};
  const char *path = edgefw_options_text(options_of(out), "data");
  if (!*path) return open_sizes(out);
  if (!edgefw__feed_is_there(options_of(out))) return refuse_missing(out, path);
  return edgefw_note(context_of(out), open_data(out, path), "[train] data");
}

void edgefw__feed_close(edgefw__feed *feed) {
  if (!feed->model) return;
  edgefw__source_close(&feed->source);
  edgefw__generator_pool_destroy(context_of(feed), feed->pool);
  edgefw__batch_destroy(context_of(feed), feed->batch);
  edgefw_release(context_of(feed), feed->rows);
  edgefw_release(context_of(feed), feed->order);
  *feed = (edgefw__feed){0};
}

edgefw_status edgefw__feed_digest(edgefw__feed *feed) {
  if (!feed->set.dataset) return EDGEFW_OK;
  const edgefw__forbidden_rule *rule = &feed->source.forbidden;
  const edgefw_status status = edgefw__set_content(context_of(feed), feed->source.dataset,
                                                   problem_of(feed)->fields, &feed->digest);
  if (rule->given) feed->digest = edgefw__hash_add(feed->digest, &rule->value, sizeof rule->value);
  return edgefw_note(context_of(feed), status, "[train] data");
}

edgefw_status edgefw__feed_check(const edgefw__feed *feed, uint64_t digest,
                                 const char *checkpoint) {
  if (digest == feed->digest) return EDGEFW_OK;
  if (digest == 0)
    return edgefw_fail(context_of(feed), EDGEFW_MISMATCH,
                       "'%s' was trained on generated instances, not on [train] data = %s; remove "
                       "it, or use a folder of its own",
                       checkpoint, feed->set.dataset);
  if (!feed->set.dataset)
    return edgefw_fail(context_of(feed), EDGEFW_MISMATCH,
                       "'%s' was trained on [train] data, a dataset of fingerprint %016" PRIx64
                       ", which this configuration does not name; remove it, or use a folder of "
                       "its own",
                       checkpoint, digest);
  const bool labels = edgefw__label_source_of(options_of(feed)) == EDGEFW__LABELS_DATASET;
  return edgefw_fail(context_of(feed), EDGEFW_MISMATCH,
                     "'%s' was trained on other instances than [train] data = %s holds, %sor with "
                     "another [problem] forbidden (fingerprint %016" PRIx64 ", found %016" PRIx64
                     "); remove it, or use a folder of its own",
                     checkpoint, feed->set.dataset, labels ? "or with other labels of them, " : "",
                     digest, feed->digest);
}

edgefw_status edgefw__feed_reserve(edgefw__feed *feed, int64_t capacity) {
  edgefw_context *ctx = context_of(feed);
  const edgefw__engine *engine = feed->model->engine;
  edgefw_status status =
      edgefw__batch_create(ctx, problem_of(feed)->fields, capacity, feed->largest, &feed->batch);
  if (status != EDGEFW_OK) return status;
  if (feed->set.dataset) {
    feed->order = edgefw_allocate(ctx, (size_t)feed->set.count, sizeof *feed->order, "an order");
    feed->rows = edgefw_allocate(ctx, (size_t)capacity, sizeof *feed->rows, "an order");
    return feed->order && feed->rows ? EDGEFW_OK : edgefw_failure(ctx);
  }
  status = edgefw__generator_pool_create(ctx, &feed->pool);
  if (status == EDGEFW_OK) edgefw__generator_pool_use(feed->pool, engine->kernels, engine->device);
  return status;
}

/* --- Sizes --- */

int64_t edgefw__feed_nodes(const edgefw__feed *feed, int64_t step) {
  const int64_t sizes = size_count(feed);
  if (sizes == 0) return feed->largest;
  const uint32_t word = edgefw_random_word(feed->seed, EDGEFW_STREAM_SIZE, (uint64_t)step, 0);
  return nodes_at(feed, edgefw_random_below(word, (uint32_t)sizes));
}

int64_t edgefw__feed_mean_nodes(const edgefw__feed *feed) {
  const int64_t sizes = size_count(feed);
  double sum = 0.0;
  if (sizes == 0) return feed->largest;
  for (int64_t i = 0; i < sizes; ++i) sum += pow((double)nodes_at(feed, i), 3.0);
  return (int64_t)llround(cbrt(sum / (double)sizes));
}

/* --- Filling --- */

/* Every pass has an order of its own (Fisher and Yates; Durstenfeld 1964). */
static void shuffle(edgefw__feed *feed, int64_t pass) {
  if (feed->pass == pass) return;
  feed->pass = pass;
  for (int64_t i = 0; i < feed->set.count; ++i) feed->order[i] = (int32_t)i;
  for (int64_t i = feed->set.count - 1; i > 0; --i) {
    const uint32_t word =
        edgefw_random_word(feed->seed, EDGEFW_STREAM_SHUFFLE, (uint64_t)pass, (uint64_t)i);
    const int64_t other = edgefw_random_below(word, (uint32_t)i + 1);
    const int32_t kept = feed->order[i];
    feed->order[i] = feed->order[other];
    feed->order[other] = kept;
  }
}

/* Instance `number` since training began into place b of the batch. */
static edgefw_status read_one(edgefw__feed *feed, uint64_t number, int64_t b) {
  const uint64_t count = (uint64_t)feed->set.count;
  edgefw__batch place = *feed->batch; /* a batch for one, at that place */
  for (int f = 0; f < place.field_count; ++f)
    place.data[f] += b * edgefw_field_count(place.fields[f].shape, place.n);
  place.capacity = 1;
  place.ids += b;
  place.limits += b;
  shuffle(feed, (int64_t)(number / count));
  feed->rows[b] = feed->order[number % count];
  const edgefw_status status = edgefw__source_load(&feed->source, feed->rows[b], 1, &place);
  if (status != EDGEFW_OK) return status;
  feed->batch->has_forbidden |= place.has_forbidden;
  place.ids[0] = number; /* rollouts of later passes are drawn anew */
  return EDGEFW_OK;
}

static edgefw_status read_data(edgefw__feed *feed, uint64_t first, int64_t count) {
  edgefw_status status = EDGEFW_OK;
  feed->batch->has_forbidden = false;
  feed->batch->count = 0;
  for (int64_t b = 0; status == EDGEFW_OK && b < count; ++b)
    status = read_one(feed, first + (uint64_t)b, b);
  if (status == EDGEFW_OK) feed->batch->count = count;
  return status;
}

edgefw_status edgefw__feed_fill(edgefw__feed *feed, int64_t step, uint64_t first, int64_t count) {
  const edgefw__composition *composition = feed->model->composition;
  feed->batch->n = edgefw__feed_nodes(feed, step);
  if (feed->set.dataset) return read_data(feed, first, count);
  return edgefw__generate_batch(
      context_of(feed), feed->pool,
      &(edgefw__generate_request){.problem = problem_of(feed),
                                  .options = composition->train_problem_options,
                                  .shortest_paths = feed->model->engine->kernels->shortest_paths,
                                  .seed = feed->seed,
                                  .first_id = first,
                                  .count = count},
      feed->batch);
}
