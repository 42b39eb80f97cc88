/* Laying out grids: columns as wide as their widest cell. */
#include "report/grid.h"

#include <string.h>

#define GAP_GROUP  "   " /* before a group */
#define GAP_COLUMN "  "  /* between the columns of a group */

edgefw_status edgefw__grid_create(edgefw_context *ctx, edgefw_arena *arena, int rows, int groups,
                                  int per_group, edgefw__grid *out) {
  *out = (edgefw__grid){.corner = "", .groups = groups, .rows = rows, .per_group = per_group};
  const size_t cells = (size_t)rows * (size_t)groups * (size_t)per_group;
  out->headings = edgefw_arena_take(arena, (size_t)groups, sizeof *out->headings);
  out->labels = edgefw_arena_take(arena, (size_t)rows, sizeof *out->labels);
  out->cells = edgefw_arena_take(arena, cells, sizeof *out->cells);
  return out->headings && out->labels && out->cells ? EDGEFW_OK : edgefw_failure(ctx);
}

const char **edgefw__grid_cell(edgefw__grid *grid, int row, int group, int column) {
  return &grid->cells[(row * grid->groups + group) * grid->per_group + column];
}

static const char *cell_text(const edgefw__grid *grid, int row, int group, int column) {
  const char *cell = grid->cells[(row * grid->groups + group) * grid->per_group + column];
  return cell ? cell : "-";
}

/* Characters of UTF-8 text. */
static int width_of(const char *text) {
  int width = 0;
  for (; *text; ++text) width += ((unsigned char)*text & 0xc0) != 0x80;
  return width;
}

static int larger(int a, int b) {
  return a > b ? a : b;
}

static int label_width(const edgefw__grid *grid) {
  int width = width_of(grid->corner);
  for (int row = 0; row < grid->rows; ++row) width = larger(width, width_of(grid->labels[row]));
  return width;
}

static int column_width(const edgefw__grid *grid, int group, int column) {
  int width = width_of(grid->titles[column]);
  for (int row = 0; row < grid->rows; ++row)
    width = larger(width, width_of(cell_text(grid, row, group, column)));
  return width;
}

/* All columns of a group and the gaps between them; at least its heading. */
static int group_width(const edgefw__grid *grid, int group) {
  int width = (grid->per_group - 1) * (int)strlen(GAP_COLUMN);
  for (int c = 0; c < grid->per_group; ++c) width += column_width(grid, group, c);
  return larger(width, width_of(grid->headings[group]));
}

static void add_blanks(edgefw__text *text, int count) {
  if (count > 0) edgefw__text_add(text, "%*s", count, "");
}

static void add_left(edgefw__text *text, const char *value, int width) {
  edgefw__text_add(text, "%s", value);
  add_blanks(text, width - width_of(value));
}

static void add_right(edgefw__text *text, const char *value, int width) {
  add_blanks(text, width - width_of(value));
  edgefw__text_add(text, "%s", value);
}

/* --- Terminal --- */

/* A row of a block; -1 is the row of titles. */
static void add_row(const edgefw__grid *grid, int row, int first, int last, edgefw__text *text) {
  add_left(text, row < 0 ? grid->corner : grid->labels[row], label_width(grid));
  for (int group = first; group < last; ++group) {
    int used = (grid->per_group - 1) * (int)strlen(GAP_COLUMN);
    for (int c = 0; c < grid->per_group; ++c) used += column_width(grid, group, c);
    edgefw__text_add(text, GAP_GROUP);
    add_blanks(text, group_width(grid, group) - used);
    for (int c = 0; c < grid->per_group; ++c) {
      if (c) edgefw__text_add(text, GAP_COLUMN);
      add_right(text, row < 0 ? grid->titles[c] : cell_text(grid, row, group, c),
                column_width(grid, group, c));
    }
  }
  edgefw__text_add(text, "\n");
}

static void add_block(const edgefw__grid *grid, int first, int last, edgefw__text *text) {
  int width = label_width(grid);
  add_blanks(text, width);
  for (int group = first; group < last; ++group) {
    edgefw__text_add(text, GAP_GROUP);
    add_right(text, grid->headings[group], group_width(grid, group));
    width += (int)strlen(GAP_GROUP) + group_width(grid, group);
  }
  edgefw__text_add(text, "\n");
  add_row(grid, -1, first, last, text);
  for (int i = 0; i < width; ++i) edgefw__text_add(text, "-");
  edgefw__text_add(text, "\n");
  for (int row = 0; row < grid->rows; ++row) add_row(grid, row, first, last, text);
}

void edgefw__grid_plain(const edgefw__grid *grid, int most, edgefw__text *text) {
  for (int first = 0; first < grid->groups;) {
    int width = label_width(grid), last = first;
    do {
      width += (int)strlen(GAP_GROUP) + group_width(grid, last++);
    } while (last < grid->groups &&
             width + (int)strlen(GAP_GROUP) + group_width(grid, last) <= most);
    if (first) edgefw__text_add(text, "\n");
    add_block(grid, first, last, text);
    first = last;
  }
}

/* --- Markdown --- */

/* Text in a table: a bar would end the cell. */
static void add_escaped(edgefw__text *text, const char *value) {
  for (; *value; ++value) edgefw__text_add(text, *value == '|' ? "\\%c" : "%c", *value);
}

void edgefw__grid_markdown(const edgefw__grid *grid, edgefw__text *text) {
  edgefw__text_add(text, "| %s |", grid->corner);
  for (int group = 0; group < grid->groups; ++group)
    for (int c = 0; c < grid->per_group; ++c) {
      edgefw__text_add(text, " ");
      if (c == 0) {
        add_escaped(text, grid->headings[group]);
        edgefw__text_add(text, ": ");
      }
      edgefw__text_add(text, "%s |", grid->titles[c]);
    }
  edgefw__text_add(text, "\n|---|");
  for (int c = 0; c < grid->groups * grid->per_group; ++c) edgefw__text_add(text, "---:|");
  edgefw__text_add(text, "\n");
  for (int row = 0; row < grid->rows; ++row) {
    edgefw__text_add(text, "| ");
    add_escaped(text, grid->labels[row]);
    edgefw__text_add(text, " |");
    for (int group = 0; group < grid->groups; ++group)
      for (int c = 0; c < grid->per_group; ++c)
        edgefw__text_add(text, " %s |", cell_text(grid, row, group, c));
    edgefw__text_add(text, "\n");
  }
}
