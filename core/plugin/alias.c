/* Other names of a plugin. */
#include "plugin/alias.h"

#include <string.h>

#define SEPARATORS ", \t"

const char **edgefw__alias_split(edgefw_context *ctx, const char *text) {
  const size_t length = text ? strlen(text) : 0;
  const size_t most = length / 2 + 2; /* a name and its comma have two characters at least */
  const char **names = edgefw_allocate(ctx, most * sizeof *names + length + 1, 1, "aliases");
  if (!names) return NULL;
  char *at = (char *)(names + most);
  size_t count = 0;
  if (length) memcpy(at, text, length);
  at[length] = '\0';
  for (at += strspn(at, SEPARATORS); *at; at += strspn(at, SEPARATORS)) {
    names[count++] = at;
    at += strcspn(at, SEPARATORS);
    if (*at) *at++ = '\0';
  }
  names[count] = NULL;
  return names;
}

static bool is_called(const edgefw__plugin *plugin, const char *name, size_t length) {
  const char *own = plugin->descriptor->name;
  if (strlen(own) == length && memcmp(own, name, length) == 0) return true;
  for (const char *const *alias = plugin->aliases; *alias; ++alias)
    if (strlen(*alias) == length && memcmp(*alias, name, length) == 0) return true;
  return false;
}

bool edgefw__plugin_is_called(const edgefw__plugin *plugin, const char *name) {
  return is_called(plugin, name, strlen(name));
}

bool edgefw__plugins_are_called(const edgefw__plugin *const *plugins, int count,
                                const char *names) {
  const char *at = names + strspn(names, SEPARATORS);
  for (int p = 0; p < count; ++p) {
    const size_t length = strcspn(at, SEPARATORS);
    if (!is_called(plugins[p], at, length)) return false;
    at += length;
    at += strspn(at, SEPARATORS);
  }
  return !*at;
}
