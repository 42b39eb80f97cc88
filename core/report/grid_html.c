/* Grids as tables of HTML. */
#include "report/grid_html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/html.h"

/* A table that would have more columns than this is turned, if it has fewer rows than groups. */
enum { MOST_COLUMNS = 9 };

static const char *cell_of(const edgefw__grid *grid, int row, int group, int column) {
  return grid->cells[(row * grid->groups + group) * grid->per_group + column];
}

/* The least number in the first column of a group; infinity without any. */
static double least_of(const edgefw__grid *grid, int group, int skip) {
  double least = (double)INFINITY;
  for (int row = skip; skip >= 0 && row < grid->rows; ++row) {
    const char *cell = cell_of(grid, row, group, 0);
    if (cell) least = fmin(least, strtod(cell, NULL));
  }
  return least;
}

static void add_cell(const edgefw__grid *grid, int row, int group, int column, bool best,
                     edgefw__text *html) {
  const char *cell = cell_of(grid, row, group, column);
  const char *title = grid->titles[column];
  const bool time =
      strcmp(title, "Time") == 0 || strcmp(title, "Constr") == 0 || strcmp(title, "Search") == 0;
  edgefw__html_element(html,
                       time   ? "td class=\"time\""
                       : best ? "td class=\"best\""
                              : "td",
                       cell ? cell : "\xE2\x80\x93");
}

static void add_cells(const edgefw__grid *grid, int row, int group, int skip, edgefw__text *html) {
  const char *first = cell_of(grid, row, group, 0);
  const bool best =
      skip >= 0 && row >= skip && first && strtod(first, NULL) <= least_of(grid, group, skip);
  for (int c = 0; c < grid->per_group; ++c) add_cell(grid, row, group, c, best && c == 0, html);
}

/* Two rows: names of the groups of columns, and the titles within each. */
static void add_head(const edgefw__grid *grid, const char *corner, const char *const *names,
                     int count, edgefw__text *html) {
  edgefw__text_add(html, "<thead><tr><th scope=\"col\" rowspan=\"2\" data-c=\"0\">");
  edgefw__html_add(html, corner);
  edgefw__text_add(html, "</th>");
  for (int n = 0; n < count; ++n) {
    edgefw__text_add(html, "<th scope=\"colgroup\" colspan=\"%d\">", grid->per_group);
    edgefw__html_add(html, names[n]);
    edgefw__text_add(html, "</th>");
  }
  edgefw__text_add(html, "</tr>\n<tr>");
  for (int c = 0; c < count * grid->per_group; ++c) {
    edgefw__text_add(html, "<th scope=\"col\" data-c=\"%d\">", c + 1);
    edgefw__html_add(html, grid->titles[c % grid->per_group]);
    edgefw__text_add(html, "</th>");
  }
  edgefw__text_add(html, "</tr></thead>\n<tbody>\n");
}

void edgefw__grid_html(const edgefw__grid *grid, int skip, edgefw__text *html) {
  const bool turned = grid->groups > grid->rows && grid->groups * grid->per_group > MOST_COLUMNS;
  const int rows = turned ? grid->groups : grid->rows;
  const int groups = turned ? grid->rows : grid->groups;
  edgefw__text_add(html, "<div class=\"box\" role=\"group\" tabindex=\"0\" "
                         "aria-label=\"Results\"><table class=\"sort groups\">\n");
  add_head(grid, turned ? "set" : grid->corner, turned ? grid->labels : grid->headings, groups,
           html);
  for (int row = 0; row < rows; ++row) {
    edgefw__text_add(html, "<tr>");
    edgefw__html_element(html, "th scope=\"row\"",
                         turned ? grid->headings[row] : grid->labels[row]);
    for (int group = 0; group < groups; ++group)
      add_cells(grid, turned ? group : row, turned ? row : group, skip, html);
    edgefw__text_add(html, "</tr>\n");
  }
  edgefw__text_add(html, "</tbody></table></div>\n");
}
