/* What each kind of plugin must have. */
#include "plugin/declaration.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "plugin/options.h"

/* Members of the first descriptor of this major ABI; they are never moved. */
#define FIRST_DESCRIPTOR_SIZE                                                                      \
  (offsetof(edgefw_plugin_descriptor, options) + sizeof(const edgefw_option *))
#define FIRST_OPTION_SIZE (offsetof(edgefw_option, max) + sizeof(double))
/* More than any version will have: a size beyond it is none. */
#define LARGEST_SIZE 4096

static bool refuse(edgefw__refusal *refusal, edgefw_status status, const char *stage,
                   const char *format, ...) EDGEFW_PRINTF(4, 5);

static bool refuse(edgefw__refusal *refusal, edgefw_status status, const char *stage,
                   const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  refusal->status = status;
  refusal->stage = stage;
  vsnprintf(refusal->why, sizeof refusal->why, format, arguments);
  va_end(arguments);
  return false;
}

static bool name_is_sane(const char *name) {
  return name && *name && strlen(name) <= 40 &&
         name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0';
}

static bool refuse_major(const edgefw_plugin_descriptor *d, edgefw__refusal *refusal) {
  const char *remedy =
      d->abi_major < EDGEFW_ABI_MAJOR
          ? "build it again with this version's headers (members were regrouped, see CHANGELOG.md)"
          : "use a newer edgefw, or build the plugin again with this version's headers";
  return refuse(refusal, EDGEFW_PLUGIN_ABI, "abi",
                "built for ABI %u.%u, this program has ABI %u.%u: %s", d->abi_major, d->abi_minor,
                EDGEFW_ABI_MAJOR, EDGEFW_ABI_MINOR, remedy);
}

static bool is_size(size_t size, size_t first) {
  return size >= first && size <= LARGEST_SIZE;
}

bool edgefw__declaration_check_sizes(const edgefw_plugin_descriptor *d, edgefw__refusal *refusal) {
  if (!is_size(d->size, FIRST_DESCRIPTOR_SIZE))
    return refuse(refusal, EDGEFW_PLUGIN_ABI, "abi",
                  "the descriptor has %zu bytes, expected %zu to %d", d->size,
                  FIRST_DESCRIPTOR_SIZE, LARGEST_SIZE);
  if (d->options && !is_size(d->option_size, FIRST_OPTION_SIZE))
    return refuse(refusal, EDGEFW_PLUGIN_ABI, "abi", "an option has %zu bytes, expected %zu to %d",
                  d->option_size, FIRST_OPTION_SIZE, LARGEST_SIZE);
  return true;
}

static bool check_abi(const edgefw_plugin_descriptor *d, edgefw__refusal *refusal) {
  if (d->magic != EDGEFW_DESCRIPTOR_MAGIC)
    return refuse(
        refusal, EDGEFW_PLUGIN_MAGIC, "magic",
        "the symbol '%s' begins with 0x%08x, expected 0x%08x: not a plugin of this program",
        EDGEFW_DESCRIPTOR_SYMBOL, d->magic, EDGEFW_DESCRIPTOR_MAGIC);
  if (d->abi_major != EDGEFW_ABI_MAJOR) return refuse_major(d, refusal);
  return edgefw__declaration_check_sizes(d, refusal);
}

/* The vtable is there and says how long it is. */
static bool check_vtable(const edgefw_plugin_descriptor *d, edgefw__refusal *refusal) {
  size_t size = 0;
  if (!d->vtable) return refuse(refusal, EDGEFW_PLUGIN_MEMBER, "member", "it has no vtable");
  memcpy(&size, d->vtable, sizeof size); /* its first member */
  if (size >= sizeof size) return true;
  return refuse(refusal, EDGEFW_PLUGIN_ABI, "abi",
                "the vtable's size is %zu bytes, expected at least %zu: set .size to the sizeof of "
                "its struct",
                size, sizeof size);
}

bool edgefw__declaration_check(const edgefw_plugin_descriptor *d, edgefw__refusal *refusal) {
  if (!check_abi(d, refusal)) return false;
  if (d->kind < EDGEFW_KIND_PROBLEM || d->kind > EDGEFW_KIND_COMMUNICATOR)
    return refuse(refusal, EDGEFW_PLUGIN_KIND, "kind",
                  "kind %u is unknown, expected 1 (problem) to 6 (communicator)", d->kind);
  if (!name_is_sane(d->name))
    return refuse(refusal, EDGEFW_PLUGIN_MEMBER, "member",
                  "the name '%s' must consist of 1 to 40 of [a-z0-9_]", d->name ? d->name : "");
  if (!d->version || !*d->version || !d->summary || !*d->summary)
    return refuse(refusal, EDGEFW_PLUGIN_MEMBER, "member", "version and summary must be given");
  return check_vtable(d, refusal);
}

bool edgefw__declaration_check_aliases(const edgefw__plugin *plugin, edgefw__refusal *refusal) {
  const char *const *aliases = plugin->aliases;
  for (int i = 0; aliases[i]; ++i) {
    bool known = strcmp(aliases[i], plugin->descriptor->name) == 0;
    for (int earlier = 0; earlier < i; ++earlier)
      known = known || strcmp(aliases[i], aliases[earlier]) == 0;
    if (known)
      return refuse(refusal, EDGEFW_PLUGIN_MEMBER, "member",
                    "the alias '%s' is the plugin's name or listed twice", aliases[i]);
    if (!name_is_sane(aliases[i]))
      return refuse(refusal, EDGEFW_PLUGIN_MEMBER, "member",
                    "the alias '%s' must consist of 1 to 40 of [a-z0-9_]", aliases[i]);
  }
  return true;
}

/* --- Required members --- */

typedef struct requirement {
  const char *name;
  bool met;
} requirement;

#define NEED(vtable, member)                                                                       \
  { #member, (vtable).member != 0 }

static bool check_all(const requirement *list, size_t count, const char *kind,
                      edgefw__refusal *refusal) {
  for (size_t i = 0; i < count; ++i)
    if (!list[i].met)
      return refuse(refusal, EDGEFW_PLUGIN_MEMBER, "member", "a %s must provide '%s', found none",
                    kind, list[i].name);
  return true;
}

#define CHECK_ALL(list, kind, refusal)                                                             \
  check_all((list), sizeof(list) / sizeof *(list), (kind), (refusal))

static bool check_fields(const edgefw_problem *problem, edgefw__refusal *refusal) {
  int count = 0;
  bool found = false;
  for (const edgefw_field *field = problem->fields; field->name; ++field) {
    if (++count > EDGEFW_MAX_FIELDS)
      return refuse(refusal, EDGEFW_PLUGIN_MEMBER, "member", "'fields' has more than %d entries",
                    EDGEFW_MAX_FIELDS);
    if (strcmp(field->name, problem->objective) == 0) found = field->shape == EDGEFW_FIELD_PAIR;
  }
  if (!found)
    return refuse(refusal, EDGEFW_PLUGIN_MEMBER, "member",
                  "'objective' is '%s', expected the name of a pair field", problem->objective);
  return true;
}

static bool check_problem(const edgefw_problem *p, edgefw__refusal *refusal) {
  const requirement list[] = {
      NEED(*p, fields),  NEED(*p, objective), NEED(*p, start),
      NEED(*p, closing), NEED(*p, solution),  NEED(*p, generate),
      NEED(*p, accept),  NEED(*p, check),     {"read", !p->file_nodes || p->read}};
  return CHECK_ALL(list, "problem", refusal) && check_fields(p, refusal);
}

static bool check_kernels(const edgefw_kernels *k, edgefw__refusal *refusal) {
  const requirement members[] = {
      {"dtype", k->dtype == EDGEFW_F32 || k->dtype == EDGEFW_F64},
      NEED(*k, create),
      NEED(*k, destroy),
      NEED(*k, describe),
      NEED(*k, allocate),
      NEED(*k, release),
      NEED(*k, zero),
      NEED(*k, upload),
      NEED(*k, download),
      NEED(*k, sum_squares),
      NEED(*k, shortest_paths),
      {"upload_exact", !k->memory || k->upload_exact},
  };
#define MEMBER(name, args) NEED(*k, name),
  const requirement operations[] = {EDGEFW_OPERATIONS(MEMBER, MEMBER)};
#undef MEMBER
  return CHECK_ALL(members, "device", refusal) && CHECK_ALL(operations, "device", refusal);
}

bool edgefw__declaration_check_members(const edgefw__plugin *plugin, edgefw__refusal *refusal) {
  const requirement backbone[] = {{"encode", plugin->vtable.backbone.encode != 0}};
  const requirement term[] = {{"declare", plugin->vtable.term.declare != 0}};
  const edgefw_heuristic *h = &plugin->vtable.heuristic;
  const requirement heuristic[] = {NEED(*h, construct), {"release", !h->prepare || h->release}};
  const edgefw_communicator *c = &plugin->vtable.communicator;
  const requirement communicator[] = {NEED(*c, join),     NEED(*c, leave), NEED(*c, give_up),
                                      NEED(*c, rank),     NEED(*c, count), NEED(*c, broadcast),
                                      NEED(*c, exchange), NEED(*c, next)};
  switch (plugin->kind) {
  case EDGEFW_KIND_PROBLEM: return check_problem(&plugin->vtable.problem, refusal);
  case EDGEFW_KIND_BACKBONE: return CHECK_ALL(backbone, "backbone", refusal);
  case EDGEFW_KIND_TERM: return CHECK_ALL(term, "term", refusal);
  case EDGEFW_KIND_DEVICE: return check_kernels(&plugin->vtable.kernels, refusal);
  case EDGEFW_KIND_HEURISTIC: return CHECK_ALL(heuristic, "heuristic", refusal);
  case EDGEFW_KIND_COMMUNICATOR: return CHECK_ALL(communicator, "communicator", refusal);
  }
  return refuse(refusal, EDGEFW_PLUGIN_KIND, "kind", "unknown kind");
}

edgefw_status edgefw__declaration_check_options(edgefw_context *ctx, const edgefw__plugin *plugin,
                                                edgefw__refusal *refusal) {
  edgefw_arena *scratch;
  *refusal = (edgefw__refusal){.status = EDGEFW_OK};
  if (edgefw_arena_create(ctx, &scratch, "option check", 4096, true) != EDGEFW_OK)
    return edgefw_failure(ctx);
  char why[512];
  edgefw_status status = edgefw__option_table_check(scratch, plugin->options, why, sizeof why);
  if (status == EDGEFW_CONFIG) {
    refuse(refusal, EDGEFW_PLUGIN_MEMBER, "member", "%s", why);
    status = EDGEFW_OK;
  } else if (edgefw__option_find(plugin->options, "name")) {
    refuse(refusal, EDGEFW_PLUGIN_MEMBER, "member", "option 'name' is the core's own key");
  }
  edgefw_arena_destroy(scratch);
  return status;
}
