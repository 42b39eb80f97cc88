/* The options about files of other programs. */
#include "cli/instance_options.h"

#include <string.h>

edgefw_status edgefw__cli_instance_options(const edgefw__arguments *arguments,
                                           edgefw__instance_options *out) {
  const char *use = edgefw__arguments_value(arguments, "--use", NULL);
  *out =
      (edgefw__instance_options){.depot = edgefw__arguments_value(arguments, "--depot", NULL),
                                 .demands = edgefw__arguments_value(arguments, "--demands", NULL),
                                 .problem_told = edgefw__arguments_has(arguments, "--problem")};
  if (use && strcmp(use, "durations") == 0)
    out->choice = EDGEFW__TABLE_DURATIONS;
  else if (use && strcmp(use, "distances") == 0)
    out->choice = EDGEFW__TABLE_DISTANCES;
  else if (use)
    return edgefw_fail(arguments->ctx, EDGEFW_CONFIG, "--use '%s': expected durations or distances",
                       use);
  return edgefw__arguments_positive(arguments, "--capacity", &out->capacity);
}

edgefw_status edgefw__cli_instance_refuse(const edgefw__arguments *arguments,
                                          const char *const *files, int64_t count) {
  static const char *const names[] = {"--depot", "--demands", "--capacity", "--use"};
  int64_t f = 0;
  while (f < count && edgefw__instance_file_is(files[f])) ++f;
  if (count > 0 && f == count) return EDGEFW_OK;
  for (size_t k = 0; k < sizeof names / sizeof *names; ++k)
    if (edgefw__arguments_has(arguments, names[k]))
      return edgefw_fail(arguments->ctx, EDGEFW_CONFIG,
                         "%s is for matrices (.csv, .tsv, .txt), NumPy arrays and JSON of routing "
                         "services; library files and datasets, such as %s, say such things "
                         "themselves",
                         names[k], count > 0 ? files[f] : "none");
  return EDGEFW_OK;
}
