/* Progress on stderr. */
#include "cli/progress.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/units.h"
#include "base/utf8.h"

#define BAR     20  /* characters */
#define WIDTH   100 /* of the line: longer ones would wrap and could not be removed */
#define BETWEEN 0.1 /* seconds between two drawings */

edgefw__live edgefw__live_begin(edgefw_log_level level) {
  return (edgefw__live){.terminal = isatty(STDERR_FILENO) == 1, .level = level, .last = -1.0};
}

void edgefw__live_clear(edgefw__live *live) {
  if (live->shown) fputs("\r\033[K", stderr);
  live->shown = false;
}

void edgefw__live_log(void *user, edgefw_log_level level, const char *line) {
  edgefw__live *live = user;
  if (level < live->level) return;
  edgefw__live_clear(live);
  fprintf(stderr, "%s%s\n", level == EDGEFW_LOG_WARNING ? "warning: " : "", line);
}

/* May a line be drawn now? */
static bool is_due(edgefw__live *live) {
  const double now = edgefw__seconds();
  if (!live->terminal || (live->last >= 0 && now - live->last < BETWEEN)) return false;
  live->last = now;
  return true;
}

static void draw(edgefw__live *live, char *line) {
  edgefw__utf8_clean(line, "");
  fprintf(stderr, "\r\033[K%s", line);
  fflush(stderr);
  live->shown = true;
}

void edgefw__live_best(void *user, const edgefw__eval_best *best) {
  edgefw__live *live = user;
  char line[WIDTH + 1], duration[EDGEFW__UNIT_TEXT], gap[40] = "";
  if (!is_due(live)) return;
  if (isfinite(best->gap_percent)) snprintf(gap, sizeof gap, ", gap %.2f %%", best->gap_percent);
  snprintf(line, sizeof line, "%.40s: best cost %.10g%s, %s", best->set, best->cost, gap,
           edgefw__duration_text(best->seconds, duration, sizeof duration));
  draw(live, line);
}

void edgefw__live_show(void *user, const edgefw__run_progress *progress) {
  edgefw__live *live = user;
  if (!is_due(live)) return;
  const double share = progress->total > 0 ? progress->done / progress->total : 0.0;
  char bar[BAR + 1], left[EDGEFW__UNIT_TEXT], score[32] = "", line[WIDTH + 1];
  for (int i = 0; i < BAR; ++i) bar[i] = (i + 0.5) / BAR <= share ? '#' : '.';
  bar[BAR] = '\0';
  if (isfinite(progress->score)) snprintf(score, sizeof score, ", score %.4f", progress->score);
  snprintf(line, sizeof line, "%s: %s [%s] %3.0f %%, %.1f instances/s, %s left%s",
           progress->variant, progress->what, bar, 100.0 * share, progress->rate,
           edgefw__duration_text(progress->remaining, left, sizeof left), score);
  draw(live, line);
}
