/* Trying compositions on a file of weights. */
#include "policy/guess.h"

#include <string.h>

/* One problem with one backbone. */
typedef struct candidate {
  const edgefw__plugin *problem, *backbone;
  int differences; /* -1: they do not go together */
} candidate;

typedef struct guesser {
  const edgefw__guess_frame *frame;
  const edgefw__guess_told *told;
  candidate *candidates;
  size_t count;
  const char *why; /* what a configuration could not be made of, for when there is none at all */
} guesser;

/* --- One candidate --- */

enum { BASE_SETS = 3 };

static edgefw_status base_sets(const guesser *g, const candidate *c, const char *terms,
                               const char *out[BASE_SETS]) {
  edgefw_arena *arena = g->frame->arena;
  out[0] = edgefw_arena_format(arena, "problem.name=%s", c->problem->descriptor->name);
  out[1] = edgefw_arena_format(arena, "backbone.name=%s", c->backbone->descriptor->name);
  out[2] = edgefw_arena_format(arena, "decoder.terms=%s", terms);
  return out[0] && out[1] && out[2] ? EDGEFW_OK : edgefw_failure(g->frame->ctx);
}

/* The composition with sizes that are known and whatever the user sets. */
static edgefw_status compose(const guesser *g, const candidate *c, const char *terms,
                             const edgefw__guess_sizes *sizes, edgefw__guess_trial *out) {
  const char *first[BASE_SETS + EDGEFW__GUESS_MAX_SIZES];
  *out = (edgefw__guess_trial){0};
  const edgefw_status status = base_sets(g, c, terms, first);
  if (status != EDGEFW_OK) return status;
  memcpy(first + BASE_SETS, sizes->seen, (size_t)sizes->seen_count * sizeof *first);
  return edgefw__guess_try(g->frame, first, BASE_SETS + sizes->seen_count, g->frame->sets,
                           g->frame->set_count, out);
}

/* Sizes, composition and fit of a candidate. */
static edgefw_status examine(const guesser *g, const candidate *c, edgefw__guess *out) {
  const char *base[BASE_SETS], *terms = g->told->terms ? g->told->terms : "";
  *out = (edgefw__guess){0};
  edgefw_status status = base_sets(g, c, terms, base);
  if (status == EDGEFW_OK)
    status = edgefw__guess_sizes_find(g->frame, base, BASE_SETS, c->backbone, &out->sizes);
  if (status == EDGEFW_OK) status = compose(g, c, terms, &out->sizes, &out->trial);
  if (status == EDGEFW_OK)
    status = edgefw__weights_fit_find(g->frame->weights, out->trial.model->parameters,
                                      g->frame->arena, &out->fit);
  return status;
}

/* --- All candidates --- */

static bool is_wanted(const edgefw__plugin *plugin, edgefw_kind kind, const edgefw__plugin *told) {
  return plugin->kind == kind && (!told || plugin == told);
}

static edgefw_status list_candidates(guesser *g) {
  const edgefw__registry *registry = g->frame->registry;
  const size_t plugins = edgefw__registry_count(registry);
  const edgefw__plugin *problem = NULL, *backbone = NULL;
  edgefw_status status = EDGEFW_OK;
  if (g->told->problem)
    status = edgefw__registry_find(registry, EDGEFW_KIND_PROBLEM, g->told->problem, &problem);
  if (status == EDGEFW_OK && g->told->backbone)
    status = edgefw__registry_find(registry, EDGEFW_KIND_BACKBONE, g->told->backbone, &backbone);
  if (status != EDGEFW_OK) return status;
  g->candidates = edgefw_arena_take(g->frame->arena, plugins * plugins + 1, sizeof *g->candidates);
  if (!g->candidates) return edgefw_failure(g->frame->ctx);
  for (size_t p = 0; p < plugins; ++p) {
    const edgefw__plugin *one = edgefw__registry_at(registry, p);
    if (!is_wanted(one, EDGEFW_KIND_PROBLEM, problem)) continue;
    for (size_t b = 0; b < plugins; ++b) {
      const edgefw__plugin *other = edgefw__registry_at(registry, b);
      if (is_wanted(other, EDGEFW_KIND_BACKBONE, backbone))
        g->candidates[g->count++] = (candidate){one, other, -1};
    }
  }
  return EDGEFW_OK;
}

/* Forget that a candidate is no composition, but not why. */
static edgefw_status forget(guesser *g, edgefw_status status) {
  if (status == EDGEFW_CONFIG && !g->why)
    g->why = edgefw_arena_text(g->frame->arena, edgefw_message(g->frame->ctx));
  return edgefw__guess_forget(g->frame->ctx, status);
}

/* The candidate with the fewest differences, and how many have so few; NULL if none goes together.
 */
static edgefw_status find_best(guesser *g, const candidate **best, int *equals) {
  edgefw_status status = EDGEFW_OK;
  *best = NULL;
  *equals = 0;
  for (size_t c = 0; status == EDGEFW_OK && c < g->count; ++c) {
    edgefw__guess one;
    status = examine(g, &g->candidates[c], &one);
    if (status == EDGEFW_OK)
      g->candidates[c].differences = one.fit.missing + one.fit.misshaped + one.fit.left_over;
    edgefw__guess_end(&one);
    /* A pair that does not go together is no failure, unless it is the only one. */
    if (g->count > 1) status = forget(g, status);
    const int differences = g->candidates[c].differences;
    if (status != EDGEFW_OK || differences < 0) continue;
    if (!*best || differences < (*best)->differences) {
      *best = &g->candidates[c];
      *equals = 0;
    }
    *equals += differences == (*best)->differences;
  }
  return status;
}

/* --- Questions --- */

static edgefw_status ask_which(const guesser *g, const candidate *best) {
  edgefw__text list = {.ctx = g->frame->ctx};
  bool problems = false, backbones = false;
  for (size_t i = 0; i < g->count; ++i) {
    const candidate *c = &g->candidates[i];
    if (c->differences != best->differences) continue;
    problems |= c->problem != best->problem;
    backbones |= c->backbone != best->backbone;
    edgefw__text_add(&list, "%s%s on %s", list.length ? ", " : "", c->backbone->descriptor->name,
                     c->problem->descriptor->name);
  }
  const edgefw_status status =
      edgefw_fail(g->frame->ctx, EDGEFW_CONFIG,
                  "'%s' may be a model of %s: its names and shapes are the same; say %s%s%s",
                  edgefw__weights_path(g->frame->weights), edgefw__text_get(&list),
                  problems ? "--problem NAME" : "", problems && backbones ? " and " : "",
                  backbones ? "--backbone NAME" : "");
  edgefw__text_release(&list);
  return status;
}

/* How many of the tensors that are left over has a model with this term? */
static edgefw_status count_taken(const guesser *g, const candidate *c, const edgefw__guess *guess,
                                 const char *term, int *out) {
  edgefw__guess_trial trial;
  *out = 0;
  const edgefw_status status = compose(g, c, term, &guess->sizes, &trial);
  for (int i = 0; status == EDGEFW_OK && i < trial.model->parameters->item_count; ++i) {
    const int t = edgefw__weights_find(g->frame->weights, trial.model->parameters->items[i].name);
    *out += t >= 0 && guess->fit.use[t] == EDGEFW__WEIGHT_LEFT_OVER;
  }
  edgefw__guess_close(&trial);
  return edgefw__guess_forget(g->frame->ctx, status);
}

/* Terms have no sizes, and several may feed one network: which they are cannot be seen. */
static edgefw_status ask_terms(const guesser *g, const candidate *c, const edgefw__guess *guess) {
  const edgefw__registry *registry = g->frame->registry;
  edgefw__text list = {.ctx = g->frame->ctx};
  edgefw_status status = EDGEFW_OK;
  if (g->told->terms || guess->fit.left_over == 0) return EDGEFW_OK;
  for (size_t p = 0; status == EDGEFW_OK && p < edgefw__registry_count(registry); ++p) {
    const edgefw__plugin *plugin = edgefw__registry_at(registry, p);
    int taken = 0;
    if (plugin->kind != EDGEFW_KIND_TERM) continue;
    status = count_taken(g, c, guess, plugin->descriptor->name, &taken);
    if (taken > 0)
      edgefw__text_add(&list, "%s%s", list.length ? ", " : "", plugin->descriptor->name);
  }
  int first = 0;
  while (guess->fit.use[first] != EDGEFW__WEIGHT_LEFT_OVER) ++first;
  if (status == EDGEFW_OK && list.length > 0)
    status = edgefw_fail(
        g->frame->ctx, EDGEFW_CONFIG,
        "'%s' has parameters of score terms (%s and %d more); which terms, and in "
        "which order, cannot be seen: say --terms LIST (such parameters belong to: "
        "%s)",
        edgefw__weights_path(g->frame->weights), edgefw__weights_at(g->frame->weights, first)->name,
        guess->fit.left_over - 1, edgefw__text_get(&list));
  edgefw__text_release(&list);
  return status;
}

static edgefw_status ask_sizes(const guesser *g, const edgefw__guess_sizes *sizes) {
  edgefw__text list = {.ctx = g->frame->ctx};
  if (sizes->published) return EDGEFW_OK;
  for (int i = 0; i < sizes->unseen_count; ++i)
    edgefw__text_add(&list, " --set %s", sizes->unseen[i]);
  const edgefw_status status =
      list.length == 0
          ? EDGEFW_OK
          : edgefw_fail(g->frame->ctx, EDGEFW_CONFIG,
                        "'%s' has other sizes than the defaults, and its shapes do not tell all: "
                        "say the right numbers in%s",
                        edgefw__weights_path(g->frame->weights), edgefw__text_get(&list));
  edgefw__text_release(&list);
  return status;
}

/* --- The guess --- */

edgefw_status edgefw__guess_make(const edgefw__guess_frame *frame, const edgefw__guess_told *told,
                                 edgefw__guess *out) {
  guesser g = {.frame = frame, .told = told};
  const candidate *best = NULL;
  int equals = 0;
  *out = (edgefw__guess){0};
  edgefw_status status = list_candidates(&g);
  if (status == EDGEFW_OK) status = find_best(&g, &best, &equals);
  if (status != EDGEFW_OK) return status;
  if (!best)
    return edgefw_fail(frame->ctx, EDGEFW_CONFIG,
                       "%s: no problem and backbone go together with what is set",
                       g.why ? g.why : edgefw__weights_path(frame->weights));
  status = examine(&g, best, out);
  if (status != EDGEFW_OK) return status;
  const bool core_fits = out->fit.missing + out->fit.misshaped == 0;
  if (core_fits && equals > 1) return ask_which(&g, best);
  if (core_fits) status = ask_terms(&g, best, out);
  if (status == EDGEFW_OK && edgefw__weights_fit_is_whole(&out->fit))
    status = ask_sizes(&g, &out->sizes);
  return status;
}

void edgefw__guess_end(edgefw__guess *guess) {
  edgefw__guess_close(&guess->trial);
}
