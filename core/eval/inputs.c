/* Inputs: what words stand for, and evaluating them one after another. */
#include "eval/inputs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/text_file.h"
#include "eval/names.h"
#include "files/library_files.h"

/* --- What words stand for --- */

static bool ends_in(const char *path, const char *ending) {
  const size_t length = strlen(path), size = strlen(ending);
  return length >= size && strcasecmp(path + length - size, ending) == 0;
}

/* A damaged dataset is known by its ending, one of another ending by its first bytes. */
bool edgefw__input_is_dataset(const char *path) {
  static const char signature[] = "\211HDF\r\n\032\n";
  char head[sizeof signature - 1];
  if (ends_in(path, ".h5") || ends_in(path, ".hdf5")) return true;
  if (edgefw__not_a_file(path)) return false; /* opening a pipe would wait */
  FILE *file = fopen(path, "rb");
  if (!file) return false;
  const bool is =
      fread(head, 1, sizeof head, file) == sizeof head && memcmp(head, signature, sizeof head) == 0;
  (void)fclose(file);
  return is;
}

/* Remember what has failed with the input, so that others can go on. */
static edgefw_status keep_fault(edgefw_context *ctx, edgefw_arena *arena, edgefw__input *input) {
  const edgefw_status status = edgefw_failure(ctx);
  const char *message = edgefw_message(ctx);
  const char *fault = strstr(message, input->path)
                          ? edgefw_arena_text(arena, message)
                          : edgefw_arena_format(arena, "%s: %s", input->path, message);
  if (!fault) return status;
  edgefw_clear(ctx);
  input->fault = fault;
  input->status = status;
  return EDGEFW_OK;
}

/* `alone`: no other input needs the memory, so that its file is read once only. */
static edgefw_status read_input(edgefw_context *ctx, edgefw_arena *arena,
                                const edgefw__composition *composition, const char *reference,
                                const edgefw__instance_options *options, bool alone,
                                edgefw__input *input) {
  edgefw_status status = EDGEFW_OK;
  if (edgefw__input_is_dataset(input->path))
    status = edgefw__eval_dataset_set(ctx, arena, composition, input->path, &input->set);
  else if (edgefw__instance_file_is(input->path))
    status = edgefw__eval_instance_set(ctx, arena, composition, input->path, options, &input->set);
  else
    status = edgefw__eval_file_set(ctx, arena, composition, input->path, alone, &input->set);
  input->set.reference = reference;
  if (status == EDGEFW_OK) return EDGEFW_OK;
  input->set.name = input->path;
  return keep_fault(ctx, arena, input);
}

static edgefw_status tell_apart(edgefw_context *ctx, edgefw_arena *arena, edgefw__inputs *inputs) {
  edgefw__instance_set **sets = edgefw_arena_take(arena, (size_t)inputs->count, sizeof *sets);
  if (!sets) return edgefw_failure(ctx);
  int64_t count = 0;
  for (int64_t i = 0; i < inputs->count; ++i)
    if (!inputs->items[i].fault) sets[count++] = &inputs->items[i].set;
  return edgefw__names_tell_apart(ctx, arena, sets, count);
}

/* Room for `more` inputs behind those that there are, zeroed; NULL: out of memory. */
static edgefw__input *extend(edgefw_arena *arena, edgefw__inputs *inputs, int64_t more) {
  edgefw__input *items = edgefw_arena_take(arena, (size_t)(inputs->count + more), sizeof *items);
  if (!items) return NULL;
  if (inputs->count) memcpy(items, inputs->items, (size_t)inputs->count * sizeof *items);
  edgefw__input *added = items + inputs->count;
  *inputs = (edgefw__inputs){items, inputs->count + more, inputs->options};
  return added;
}

edgefw_status edgefw__inputs_add(edgefw_context *ctx, edgefw_arena *arena,
                                 const edgefw__composition *composition, const char *const *words,
                                 int count, const char *reference, edgefw__inputs *inputs) {
  edgefw__library_files files = {0};
  edgefw_status status = EDGEFW_OK;
  for (int w = 0; status == EDGEFW_OK && w < count; ++w)
    status = edgefw__library_files_add(ctx, arena, words[w], &files);
  if (status != EDGEFW_OK) return status;
  edgefw__inputs all = *inputs;
  edgefw__input *added = extend(arena, &all, files.count);
  if (!added) return edgefw_failure(ctx);
  for (int64_t f = 0; status == EDGEFW_OK && f < files.count; ++f) {
    added[f].path = files.paths[f];
    status =
        read_input(ctx, arena, composition, reference, inputs->options, all.count == 1, &added[f]);
  }
  if (status == EDGEFW_OK) status = tell_apart(ctx, arena, &all);
  if (status == EDGEFW_OK) *inputs = all;
  return status;
}

edgefw_status edgefw__inputs_add_generated(edgefw_context *ctx, edgefw_arena *arena,
                                           const edgefw__composition *composition, int64_t size,
                                           int64_t count, uint64_t seed, const char *reference,
                                           edgefw__inputs *inputs) {
  edgefw__inputs all = *inputs;
  edgefw__input *added = extend(arena, &all, 1);
  const char *name = edgefw_arena_format(arena, "%" PRId64, size);
  if (!added || !name) return edgefw_failure(ctx);
  const edgefw_problem *problem = &composition->problem->vtable.problem;
  *added = (edgefw__input){.path = name,
                           .set = {.name = name,
                                   .n = edgefw__problem_nodes(problem, size),
                                   .size = size,
                                   .count = count,
                                   .seed = seed,
                                   .reference = reference}};
  *inputs = all;
  return EDGEFW_OK;
}

edgefw_status edgefw__inputs_add_configured(edgefw_context *ctx, edgefw_arena *arena,
                                            const edgefw__composition *composition,
                                            edgefw__inputs *inputs) {
  edgefw__instance_set *sets = NULL;
  int count = 0;
  edgefw_status status = edgefw__eval_sets(ctx, arena, composition, &sets, &count);
  if (status != EDGEFW_OK) return status;
  edgefw__inputs all = *inputs;
  edgefw__input *added = extend(arena, &all, count);
  if (!added) return edgefw_failure(ctx);
  for (int s = 0; s < count; ++s)
    added[s] = (edgefw__input){.path = sets[s].file ? sets[s].file : sets[s].name, .set = sets[s]};
  status = tell_apart(ctx, arena, &all);
  if (status == EDGEFW_OK) *inputs = all;
  return status;
}

/* --- Evaluating them --- */

/* The input at hand, and whether the listener failed: then nothing goes on. */
typedef struct turn {
  const edgefw__input_listener *listener;
  const edgefw__input *input;
  bool stopped;
} turn;

static edgefw_status pass_on(void *user, const edgefw__eval_answer *answer) {
  turn *t = user;
  const edgefw_status status = t->listener->answered(t->listener->user, t->input, answer);
  t->stopped = status != EDGEFW_OK;
  return status;
}

static edgefw_status evaluate_input(edgefw__model *model, turn *t,
                                    const edgefw__eval_settings *settings) {
  edgefw__eval_result result;
  edgefw_status status = edgefw__evaluate(model, &t->input->set, settings, NULL, NULL, &result,
                                          t->listener->answered ? pass_on : NULL, t);
  if (status != EDGEFW_OK || !t->listener->done) return status;
  status = t->listener->done(t->listener->user, t->input, &result);
  t->stopped = status != EDGEFW_OK;
  return status;
}

/* Tell of all faults: each is a line of the log, the failure says how many there are. */
static edgefw_status conclude(edgefw_context *ctx, const edgefw__inputs *inputs,
                              const char *participle) {
  int64_t faults = 0;
  edgefw_status first = EDGEFW_OK;
  for (int64_t i = 0; i < inputs->count; ++i) {
    const edgefw__input *input = &inputs->items[i];
    if (!input->fault) continue;
    if (faults++ == 0) first = input->status;
    if (inputs->count == 1) return edgefw_fail(ctx, first, "%s", input->fault);
    edgefw_log(ctx, EDGEFW_LOG_WARNING, "not %s: %s", participle, input->fault);
  }
  if (faults == 0) return EDGEFW_OK;
  return edgefw_fail(ctx, first, "%" PRId64 " of %" PRId64 " inputs %s not %s (see above)", faults,
                     inputs->count, faults == 1 ? "was" : "were", participle);
}

edgefw_status edgefw__inputs_evaluate(edgefw__model *model, edgefw_arena *arena,
                                      edgefw__inputs *inputs, const edgefw__eval_settings *settings,
                                      const edgefw__input_listener *listener) {
  edgefw_context *ctx = model->engine->ctx;
  for (int64_t i = 0; i < inputs->count; ++i) {
    edgefw__input *input = &inputs->items[i];
    if (input->fault) continue;
    turn t = {.listener = listener, .input = input};
    edgefw_status status = evaluate_input(model, &t, settings);
    if (status != EDGEFW_OK && !t.stopped && status != EDGEFW_INTERRUPTED)
      status = keep_fault(ctx, arena, input);
    if (status != EDGEFW_OK) return status;
  }
  return conclude(ctx, inputs, listener->participle ? listener->participle : "solved");
}
