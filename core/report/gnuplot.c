/* Running gnuplot as a child process. */
#include "report/gnuplot.h"

#include <string.h>

#include "base/child_process.h"

const char *edgefw__gnuplot_string(edgefw_arena *arena, const char *text) {
  char *out = edgefw_arena_take(arena, 2 * strlen(text) + 3, 1);
  if (!out) return NULL;
  char *to = out;
  *to++ = '\'';
  for (; *text; ++text) {
    if (*text == '\'') *to++ = '\''; /* doubled inside of single quotes */
    *to++ = *text;
  }
  *to++ = '\'';
  *to = '\0';
  return out;
}

edgefw_status edgefw__gnuplot_run(edgefw_context *ctx, edgefw_arena *scratch, const char *folder,
                                  const char *name, edgefw__gnuplot_outcome *outcome) {
  *outcome = EDGEFW__GNUPLOT_FAILED;
  const char *quoted_folder = edgefw__gnuplot_string(scratch, folder);
  /* "./", for 'load' runs what begins with '<' as a command of the shell. */
  const char *plain_name = edgefw_arena_format(scratch, "./%s", name);
  const char *quoted_name = plain_name ? edgefw__gnuplot_string(scratch, plain_name) : NULL;
  char *program = edgefw_arena_text(scratch, "gnuplot"), *flag = edgefw_arena_text(scratch, "-e");
  if (!quoted_folder || !quoted_name || !program || !flag) return edgefw_failure(ctx);
  char *commands = edgefw_arena_format(scratch, "cd %s; load %s", quoted_folder, quoted_name);
  if (!commands) return edgefw_failure(ctx);
  char *const argv[] = {program, flag, commands, NULL};
  const edgefw__child_end end = edgefw__child_run(ctx, &(edgefw__child){.argv = argv});
  if (end.outcome == EDGEFW__CHILD_NOT_STARTED) *outcome = EDGEFW__GNUPLOT_MISSING;
  if (end.outcome == EDGEFW__CHILD_EXITED && end.code == 0) *outcome = EDGEFW__GNUPLOT_DONE;
  if (end.outcome == EDGEFW__CHILD_EXITED && end.code == 127) *outcome = EDGEFW__GNUPLOT_MISSING;
  return EDGEFW_OK;
}
