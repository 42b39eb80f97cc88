/* The drawings of a run, each with a caption made of its name. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/path.h"
#include "base/text_file.h"
#include "report/page_parts.h"
#include "report/svg_inline.h"

enum {
  LARGEST = 4 << 20, /* bytes of a drawing */
  SHOWN = 4          /* tours that are shown without being asked for */
};

static bool is_tour(const char *name) {
  return strncmp(name, "tour-", 5) == 0;
}

static bool is_drawing(const char *name) {
  const size_t length = strlen(name);
  return name[0] != '.' && length > 4 && strcmp(name + length - 4, ".svg") == 0;
}

static int by_name(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* "Training curves" of training.svg, "Tour: ours, berlin52, best" of tour-ours-berlin52-best.svg.
 */
static const char *caption_of(edgefw_arena *arena, const char *name) {
  static const char *const known[][2] = {
      {"training.svg", "Training: the score of every epoch (faint) and its moving average"},
      {"gap.svg", "Gap to the reference costs against the number of nodes"},
      {"diagnostics.svg", "Diagnostics: share of right signs, with 95 % intervals"}};
  for (size_t k = 0; k < sizeof known / sizeof *known; ++k)
    if (strcmp(name, known[k][0]) == 0) return known[k][1];
  if (strncmp(name, "time-", 5) == 0) {
    const char *set = edgefw__path_stem(arena, name + 5);
    return set ? edgefw_arena_format(arena, "Gap against seconds for each instance, set %s", set)
               : NULL;
  }
  char *stem = edgefw__path_stem(arena, is_tour(name) ? name + strlen("tour-") : name);
  for (char *c = stem; c && *c; ++c)
    if (*c == '-') *c = ' ';
  if (!stem || is_tour(name)) return stem ? edgefw_arena_format(arena, "Tour: %s", stem) : NULL;
  *stem = (char)toupper((unsigned char)*stem);
  return stem;
}

/* Names of the drawings in `folder`, sorted; none where there is no such folder. */
static edgefw_status list(edgefw__page *page, const char *folder, const char ***names,
                          size_t *count) {
  size_t room = 16;
  *count = 0;
  *names = edgefw_arena_take(page->arena, room, sizeof **names);
  DIR *entries = opendir(folder);
  if (!entries && errno != ENOENT && errno != ENOTDIR)
    return edgefw_fail(page->ctx, EDGEFW_IO, "cannot read the folder '%s': %s", folder,
                       strerror(errno));
  for (const struct dirent *entry; *names && entries && (entry = readdir(entries)) != NULL;) {
    if (!is_drawing(entry->d_name)) continue;
    if (*count == room) {
      const char **grown = edgefw_arena_take(page->arena, 2 * room, sizeof **names);
      if (grown) memcpy(grown, *names, room * sizeof *grown);
      *names = grown;
      room *= 2;
    }
    if (*names) (*names)[(*count)++] = edgefw_arena_text(page->arena, entry->d_name);
  }
  if (entries) (void)closedir(entries);
  if (edgefw_failure(page->ctx) != EDGEFW_OK) return edgefw_failure(page->ctx);
  qsort(*names, *count, sizeof **names, by_name);
  return EDGEFW_OK;
}

/* One figure. A drawing that cannot be shown says so in its place. */
static edgefw_status add_figure(edgefw__page *page, const char *folder, const char *name,
                                size_t number) {
  const char *path = edgefw__path_join(page->arena, folder, name);
  const char *caption = caption_of(page->arena, name);
  const char *prefix = edgefw_arena_format(page->arena, "f%zu-", number);
  if (!path || !caption || !prefix) return edgefw_failure(page->ctx);
  struct stat information;
  char *svg = NULL;
  size_t length = 0;
  bool shown = false;
  if (stat(path, &information) == 0 && S_ISREG(information.st_mode) &&
      information.st_size <= LARGEST) {
    const edgefw_status status = edgefw__text_read(page->ctx, path, &svg, &length);
    if (status != EDGEFW_OK && status != EDGEFW_FORMAT) return status;
    if (status == EDGEFW_FORMAT) edgefw_clear(page->ctx); /* binary */
  }
  edgefw__text_add(page->html, "<figure>\n<div class=\"draw\" tabindex=\"0\">");
  if (svg) shown = edgefw__svg_inline(page->html, svg, prefix, caption);
  edgefw_release(page->ctx, svg);
  if (!shown) {
    edgefw__text_add(page->html, "<p class=\"missing\">");
    edgefw__html_add(page->html, name);
    edgefw__text_add(page->html, " is too large for a page, or no drawing.</p>");
  }
  edgefw__text_add(page->html, "</div>\n");
  edgefw__html_element(page->html, "figcaption", caption);
  edgefw__text_add(page->html, "</figure>\n");
  return EDGEFW_OK;
}

/* All tours, two beside each other; those behind the first few wait to be asked for. */
static edgefw_status add_tours(edgefw__page *page, const char *folder, const char **names,
                               size_t count) {
  size_t tours = 0, seen = 0;
  edgefw_status status = EDGEFW_OK;
  for (size_t i = 0; i < count; ++i) tours += is_tour(names[i]);
  if (tours == 0) return EDGEFW_OK;
  edgefw__text_add(page->html, "<h3>Tours</h3>\n<div class=\"pair\">\n");
  for (size_t i = 0; status == EDGEFW_OK && i < count; ++i) {
    if (!is_tour(names[i])) continue;
    if (seen++ == SHOWN) {
      const char *more = edgefw_arena_format(page->arena, "Show %zu more tour%s", tours - SHOWN,
                                             tours - SHOWN == 1 ? "" : "s");
      if (!more) return edgefw_failure(page->ctx);
      edgefw__text_add(page->html, "</div>\n");
      edgefw__page_details(page, more);
      edgefw__text_add(page->html, "<div class=\"pair\">\n");
    }
    status = add_figure(page, folder, names[i], i);
  }
  edgefw__text_add(page->html, tours > SHOWN ? "</div>\n</details>\n" : "</div>\n");
  return status;
}

edgefw_status edgefw__page_figures(edgefw__page *page) {
  const char *folder = edgefw__path_join(page->arena, page->record->folder, "plots");
  const char **names = NULL;
  size_t count = 0;
  if (!folder) return edgefw_failure(page->ctx);
  edgefw_status status = list(page, folder, &names, &count);
  struct stat information;
  if (status != EDGEFW_OK || stat(folder, &information) != 0) return status;
  edgefw__page_section(page, "figures", "Figures");
  if (count == 0)
    edgefw__html_element(page->html, "p class=\"missing\"",
                         "Nothing was drawn, for gnuplot was not there: plots/ in the run "
                         "directory has the data and the scripts.");
  for (size_t i = 0; status == EDGEFW_OK && i < count; ++i)
    if (!is_tour(names[i])) status = add_figure(page, folder, names[i], i);
  if (status == EDGEFW_OK) status = add_tours(page, folder, names, count);
  edgefw__text_add(page->html, "</section>\n");
  return status;
}
