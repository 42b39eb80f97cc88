/* Costs between stops: what holds for all files. */
#include "files/stop_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text_file.h"
#include "edgefw/instance.h"

const char *edgefw__stop_table_stop(const edgefw__stop_table *table, int64_t stop, char out[64]) {
  if (table->names)
    snprintf(out, 64, "'%.58s'", table->names[stop]);
  else
    snprintf(out, 64, "stop %" PRId64, stop + 1);
  return out;
}

bool edgefw__stop_table_takes_numbers(const edgefw__stop_table *table) {
  int64_t number = 0;
  if (!table->names) return true;
  for (int64_t i = 0; i < table->n; ++i)
    if (!edgefw__parse_integer(table->names[i], &number)) return true;
  return false;
}

int64_t edgefw__stop_table_find(const edgefw__stop_table *table, const char *text) {
  for (int64_t i = 0; table->names && i < table->n; ++i)
    if (strcmp(table->names[i], text) == 0) return i;
  int64_t number = 0;
  if (!edgefw__parse_integer(text, &number) || number < 1 || number > table->n) return -1;
  return edgefw__stop_table_takes_numbers(table) ? number - 1 : -1;
}

/* --- Names --- */

/* A name with its place, so that equal ones keep their order. */
typedef struct named {
  const char *name;
  int64_t stop;
} named;

static int compare(const void *a, const void *b) {
  const named *x = a, *y = b;
  const int order = strcmp(x->name, y->name);
  return order ? order : (x->stop > y->stop) - (x->stop < y->stop);
}

edgefw_status edgefw__stop_table_check_names(edgefw_context *ctx, const edgefw__stop_table *table,
                                             const char *what) {
  if (!table->names) return EDGEFW_OK;
  named *sorted = edgefw_allocate(ctx, (size_t)table->n, sizeof *sorted, "names of stops");
  if (!sorted) return edgefw_failure(ctx);
  for (int64_t i = 0; i < table->n; ++i) sorted[i] = (named){table->names[i], i};
  qsort(sorted, (size_t)table->n, sizeof *sorted, compare);
  edgefw_status status = EDGEFW_OK;
  for (int64_t i = 0; status == EDGEFW_OK && i < table->n; ++i) {
    if (!*sorted[i].name)
      status = edgefw_fail(ctx, EDGEFW_FORMAT, "%s: %s gives stop %" PRId64 " no name", table->path,
                           what, sorted[i].stop + 1);
    else if (i > 0 && strcmp(sorted[i].name, sorted[i - 1].name) == 0)
      status = edgefw_fail(
          ctx, EDGEFW_FORMAT,
          "%s: %s calls stop %" PRId64 " and stop %" PRId64 " '%.100s'; expected different names",
          table->path, what, sorted[i - 1].stop + 1, sorted[i].stop + 1, sorted[i].name);
  }
  edgefw_release(ctx, sorted);
  return status;
}

/* --- Costs --- */

/* Beyond this, squared distances overflow, and would look like ways that are missing. */
#define MOST_COORDINATE 1e150

edgefw_status edgefw__stop_table_check_size(edgefw_context *ctx, const edgefw__stop_table *table) {
  const int64_t n = table->n;
  if (n >= 2 && n <= EDGEFW_MAX_NODES) return EDGEFW_OK;
  return edgefw_fail(ctx, EDGEFW_MISMATCH, "%s: it has %" PRId64 " stop%s; expected 2 to %d",
                     table->path, n, n == 1 ? "" : "s", EDGEFW_MAX_NODES);
}

edgefw_status edgefw__stop_table_check_costs(edgefw_context *ctx, edgefw__stop_table *table) {
  const int64_t n = table->n;
  char from[64], to[64], which[48] = "";
  const edgefw_status status = edgefw__stop_table_check_size(ctx, table);
  if (status != EDGEFW_OK) return status;
  for (int64_t k = 0; table->points && k < 2 * table->count * n; ++k)
    if (!(fabs(table->points[k]) <= MOST_COORDINATE))
      return edgefw_fail(ctx, EDGEFW_FORMAT,
                         "%s: %s has the coordinate %g; expected a number of at most %g in size",
                         table->path, edgefw__stop_table_stop(table, k / 2 % n, from),
                         table->points[k], MOST_COORDINATE);
  for (int64_t e = 0; table->cost && e < table->count * n * n; ++e) {
    const int64_t i = e / n % n, j = e % n;
    if (isnan(table->cost[e])) table->cost[e] = (double)INFINITY;
    if (i == j || table->cost[e] >= 0.0) continue;
    if (table->count > 1) snprintf(which, sizeof which, " in table %" PRId64, e / (n * n) + 1);
    return edgefw_fail(ctx, EDGEFW_FORMAT,
                       "%s: the cost from %s to %s%s is %g; expected at least 0", table->path,
                       edgefw__stop_table_stop(table, i, from),
                       edgefw__stop_table_stop(table, j, to), which, table->cost[e]);
  }
  return EDGEFW_OK;
}
