/* Solving for sizes, one at a time: shapes are linear in each of them. */
#include "policy/guess_sizes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/schema.h"

enum { MAX_SETS = 128 };

/* One size that is looked for. */
typedef struct search {
  const edgefw__guess_frame *frame;
  const char *sets[MAX_SETS]; /* base, and those of the user that are no sizes */
  int set_count;
  const edgefw__parameters *base; /* with all defaults */
  const char *section;
  const edgefw_option *option;
  int64_t fallback, min, max;
} search;

/* --- Trials --- */

edgefw_status edgefw__guess_try(const edgefw__guess_frame *frame, const char *const *first,
                                int first_count, const char *const *more, int more_count,
                                edgefw__guess_trial *out) {
  const char *sets[2 * MAX_SETS];
  int count = 0;
  *out = (edgefw__guess_trial){0};
  if (first_count + more_count >= 2 * MAX_SETS)
    return edgefw_fail(frame->ctx, EDGEFW_CONFIG, "more than %d keys are set", MAX_SETS);
  sets[count++] = "experiment.name=imported";
  for (int i = 0; i < first_count; ++i) sets[count++] = first[i];
  for (int i = 0; i < more_count; ++i) sets[count++] = more[i];
  edgefw_status status =
      edgefw__compose_text_with(frame->ctx, frame->registry, "",
                                edgefw__weights_path(frame->weights), sets, count, &out->config);
  if (status == EDGEFW_OK)
    status = edgefw__model_declare(frame->engine, &out->config->variants[0], &out->model);
  return status;
}

void edgefw__guess_close(edgefw__guess_trial *trial) {
  edgefw__model_destroy(trial->model);
  edgefw__config_destroy(trial->config);
  *trial = (edgefw__guess_trial){0};
}

edgefw_status edgefw__guess_forget(edgefw_context *ctx, edgefw_status status) {
  if (status == EDGEFW_OK || status == EDGEFW_OUT_OF_MEMORY || status == EDGEFW_INTERRUPTED)
    return status;
  edgefw_clear(ctx);
  return EDGEFW_OK;
}

/* The base with the size at `value`; trial->model is NULL if that is no composition. */
static edgefw_status try_value(const search *s, int64_t value, edgefw__guess_trial *trial) {
  char text[128];
  const char *more[] = {text};
  snprintf(text, sizeof text, "%s.%s=%" PRId64, s->section, s->option->key, value);
  edgefw_status status = edgefw__guess_try(s->frame, s->sets, s->set_count, more, 1, trial);
  if (status != EDGEFW_OK) {
    edgefw__guess_close(trial);
    status = edgefw__guess_forget(s->frame->ctx, status);
  }
  return status;
}

/* Another value that the composition takes: twice the default keeps what divides it. */
static edgefw_status try_another(const search *s, int64_t *value, edgefw__guess_trial *trial) {
  const int64_t candidates[] = {2 * s->fallback, s->fallback + 1, s->fallback / 2, s->min};
  *trial = (edgefw__guess_trial){0};
  for (size_t c = 0; !trial->model && c < sizeof candidates / sizeof *candidates; ++c) {
    *value = candidates[c];
    if (*value < s->min || *value > s->max || *value == s->fallback) continue;
    const edgefw_status status = try_value(s, *value, trial);
    if (status != EDGEFW_OK) return status;
  }
  return EDGEFW_OK;
}

/* --- Sizes that are extents --- */

static const edgefw__parameter *same_name(const edgefw__parameters *parameters,
                                          const edgefw__parameter *item) {
  const int index = edgefw__parameters_find(parameters, item->name);
  return index < 0 ? NULL : &parameters->items[index];
}

/* The tensor of a parameter with the right number of axes; NULL if the file has none. */
static const edgefw__weight *tensor_of(const search *s, const edgefw__parameter *item) {
  int t = edgefw__weights_find(s->frame->weights, item->name);
  if (t < 0 && item->former) t = edgefw__weights_find(s->frame->weights, item->former);
  const edgefw__weight *weight = t < 0 ? NULL : edgefw__weights_at(s->frame->weights, t);
  return weight && weight->rank == item->rank ? weight : NULL;
}

/* The value at which extent = base + slope (value - default) is that of the file. */
static bool solve(const search *s, int64_t base, int64_t other, int64_t other_value, int64_t found,
                  int64_t *out) {
  const int64_t rise = other - base, run = other_value - s->fallback;
  if (rise % run != 0 || found < 0 || found > EDGEFW__MOST_NUMBERS) return false;
  const int64_t slope = rise / run;
  if ((found - base) % slope != 0) return false;
  *out = s->fallback + (found - base) / slope;
  return *out >= s->min && *out <= s->max;
}

/* The first extent that depends on the size and can be seen in the file. */
static bool find_extent(const search *s, const edgefw__parameters *other, int64_t other_value,
                        int64_t *out) {
  for (int i = 0; i < s->base->item_count; ++i) {
    const edgefw__parameter *item = &s->base->items[i], *changed = same_name(other, item);
    const edgefw__weight *weight = changed ? tensor_of(s, item) : NULL;
    for (int axis = 0; weight && axis < item->rank; ++axis)
      if (changed->shape[axis] != item->shape[axis] &&
          solve(s, item->shape[axis], changed->shape[axis], other_value, weight->shape[axis], out))
        return true;
  }
  return false;
}

/* --- Sizes that are numbers of layers --- */

static bool has_other_names(const edgefw__parameters *a, const edgefw__parameters *b) {
  for (int i = 0; i < a->item_count; ++i)
    if (!same_name(b, &a->items[i])) return true;
  return false;
}

/* Does the file have every name that comes with this value and not with the least one? */
static edgefw_status has_layers(const search *s, const edgefw__parameters *least, int64_t value,
                                bool *out) {
  edgefw__guess_trial trial;
  const edgefw_status status = try_value(s, value, &trial);
  *out = status == EDGEFW_OK && trial.model != NULL;
  for (int i = 0; *out && i < trial.model->parameters->item_count; ++i) {
    const edgefw__parameter *item = &trial.model->parameters->items[i];
    *out = same_name(least, item) || edgefw__weights_find(s->frame->weights, item->name) >= 0;
  }
  edgefw__guess_close(&trial);
  return status;
}

/* The largest such value, by doubling and halving. */
static edgefw_status count_layers(const search *s, int64_t *out) {
  edgefw__guess_trial least;
  edgefw_status status = try_value(s, s->min, &least);
  int64_t good = s->min, bad = s->max + 1;
  for (int64_t step = 1; status == EDGEFW_OK && least.model && good + 1 < bad;) {
    const bool doubling = bad == s->max + 1;
    int64_t value = doubling ? good + step : good + (bad - good) / 2;
    bool has = false;
    if (value >= bad) value = bad - 1;
    status = has_layers(s, least.model->parameters, value, &has);
    if (has)
      good = value;
    else
      bad = value;
    step *= 2;
  }
  *out = good;
  edgefw__guess_close(&least);
  return status;
}

/* --- All of them --- */

static edgefw_status look(const search *s, bool *seen, int64_t *value) {
  edgefw__guess_trial other;
  int64_t other_value = 0;
  *seen = false;
  edgefw_status status = try_another(s, &other_value, &other);
  if (status == EDGEFW_OK && other.model) {
    const edgefw__parameters *parameters = other.model->parameters;
    if (has_other_names(parameters, s->base) || has_other_names(s->base, parameters)) {
      *seen = true;
      status = count_layers(s, value);
    } else {
      *seen = find_extent(s, parameters, other_value, value);
    }
  }
  edgefw__guess_close(&other);
  return status;
}

/* Does "section.key=value" or "section.key = value" set this key? */
static bool sets_key(const char *set, const char *section, const char *key) {
  const size_t length = strlen(section);
  if (strncmp(set, section, length) != 0 || set[length] != '.') return false;
  const char *rest = set + length + 1;
  if (strncmp(rest, key, strlen(key)) != 0) return false;
  rest += strlen(key);
  return rest[strspn(rest, " ")] == '=';
}

static bool is_told(const edgefw__guess_frame *frame, const char *section, const char *key) {
  for (int i = 0; i < frame->set_count; ++i)
    if (sets_key(frame->sets[i], section, key)) return true;
  return false;
}

/* Does this size change what a model computes where no shape depends on it? Widths of the decoder's
 * network of features are shapes wherever that exists. */
static bool matters_unseen(const search *s) {
  return strcmp(s->section, "decoder") != 0 || strcmp(s->option->key, "heads") == 0;
}

static edgefw_status look_for(search *s, edgefw__guess_sizes *out) {
  bool seen = false;
  int64_t value = 0;
  if (s->option->type != EDGEFW_OPTION_INT || is_told(s->frame, s->section, s->option->key) ||
      out->seen_count + out->unseen_count == EDGEFW__GUESS_MAX_SIZES)
    return EDGEFW_OK;
  s->fallback = strtoll(s->option->fallback ? s->option->fallback : "0", NULL, 10);
  s->min = (int64_t)s->option->min;
  s->max = (int64_t)s->option->max;
  const edgefw_status status = look(s, &seen, &value);
  if (status != EDGEFW_OK || (!seen && !matters_unseen(s))) return status;
  if (!seen) value = s->fallback;
  const char *text =
      edgefw_arena_format(s->frame->arena, "%s.%s=%" PRId64, s->section, s->option->key, value);
  if (!text) return edgefw_failure(s->frame->ctx);
  if (seen)
    out->seen[out->seen_count++] = text;
  else
    out->unseen[out->unseen_count++] = text;
  out->published &= value == s->fallback;
  return EDGEFW_OK;
}

static edgefw_status look_in(search *s, const char *section, const edgefw_option *table,
                             edgefw__guess_sizes *out) {
  edgefw_status status = EDGEFW_OK;
  s->section = section;
  for (s->option = table; status == EDGEFW_OK && s->option && s->option->key; ++s->option)
    status = look_for(s, out);
  return status;
}

/* Is this the user's word on a size? The trials do without it: it fits the file, not the defaults.
 */
static bool sets_size(const char *set, const char *section, const edgefw_option *table) {
  for (; table && table->key; ++table)
    if (table->type == EDGEFW_OPTION_INT && sets_key(set, section, table->key)) return true;
  return false;
}

edgefw_status edgefw__guess_sizes_find(const edgefw__guess_frame *frame, const char *const *base,
                                       int base_count, const edgefw__plugin *backbone,
                                       edgefw__guess_sizes *out) {
  const edgefw_option *decoder = edgefw__schema_options("decoder");
  search s = {.frame = frame};
  *out = (edgefw__guess_sizes){.published = true};
  if (base_count + frame->set_count > MAX_SETS)
    return edgefw_fail(frame->ctx, EDGEFW_CONFIG, "more than %d keys are set", MAX_SETS);
  for (int i = 0; i < base_count; ++i) s.sets[s.set_count++] = base[i];
  for (int i = 0; i < frame->set_count; ++i)
    if (!sets_size(frame->sets[i], "backbone", backbone->options) &&
        !sets_size(frame->sets[i], "decoder", decoder))
      s.sets[s.set_count++] = frame->sets[i];
  edgefw__guess_trial trial;
  edgefw_status status = edgefw__guess_try(frame, s.sets, s.set_count, NULL, 0, &trial);
  if (status == EDGEFW_OK) {
    s.base = trial.model->parameters;
    status = look_in(&s, "backbone", backbone->options, out);
  }
  if (status == EDGEFW_OK) status = look_in(&s, "decoder", decoder, out);
  edgefw__guess_close(&trial);
  return status;
}
