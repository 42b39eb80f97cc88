#include "support/test.h"

#include "support/spread_case.h"

#include <math.h>

/* More than this, as a power of 2, is much: below what the device keeps as powers, and above. */
static const double little = 25.0, much = 35.0;
enum { FACTOR = 1024 };

const spread_case spread_cases[SPREAD_CASES] = {
    {"one part", .first = false},
    {"one part, wide", .wide_last = true},
    {"two parts", .first = true},
    {"two parts, one wide", .first = true, .wide_last = true},
    {"two parts, both wide", .first = true, .wide_last = true, .wide_first = true},
    {"routes", .extras = {.depot = true}},
    {"a share", .extras = {.depot = true, .resources = 1}},
    {"a share, wide", .extras = {.depot = true, .resources = 1}, .wide_left = true},
    {"two shares of many values, rows wide",
     .extras = {.depot = true, .resources = 2, .fractional = true}, .first = true,
     .wide_first = true},
    {"two shares, all wide", .extras = {.depot = true, .resources = 2}, .first = true,
     .wide_last = true, .wide_first = true, .wide_left = true},
};

/* By how much head 0's scores of a row of queries spread, as powers of 2, in the first instance;
 * entry c of the query lies at c * along. */
static double spread_of(const ds_problem *p, const double *query, int64_t along) {
  const int64_t n = p->shape.nodes, width = p->shape.head_width, d = p->shape.heads * width;
  double least = INFINITY, most = -INFINITY;
  for (int64_t j = 0; j < n; ++j) {
    double score = 0.0;
    for (int64_t c = 0; c < width; ++c)
      score += query[c * along] * p->c.tensor[DS_KEYS].value[j * d + c];
    score *= 1.4426950408889634 / sqrt((double)width);
    least = fmin(least, score);
    most = fmax(most, score);
  }
  return most - least;
}

/* Multiply every so many rows of a tensor; check that they spread much then, and others little. */
static void widen_rows(ds_problem *p, int tensor, int64_t every, bool wide) {
  const int64_t n = p->shape.nodes, d = p->shape.heads * p->shape.head_width;
  ks_tensor *rows = &p->c.tensor[tensor];
  for (int64_t i = 0; i < rows->count / d; ++i) {
    const bool widened = wide && i % n % every == 0;
    for (int64_t c = 0; widened && c < d; ++c) rows->value[i * d + c] *= FACTOR;
    const double spread = spread_of(p, rows->value + i * d, 1);
    if (i < n) assert_true(widened ? spread > much : spread < little);
  }
}

static void widen_left(ds_problem *p, bool wide) {
  ks_tensor *left = &p->c.tensor[DS_LEFT];
  const int64_t first = DS_LEFT_STRIDE - p->extras.resources;
  for (int64_t i = 0; wide && i < left->count; ++i) left->value[i] *= FACTOR;
  for (int r = 0; r < p->extras.resources; ++r) {
    const double spread = spread_of(p, left->value + first + r, DS_LEFT_STRIDE);
    assert_true(wide ? spread > much : spread < little);
  }
}

void spread_create(ds_problem *p, const spread_case *spread, const ds_shape *shape) {
  ds_shape full = *shape;
  full.first = spread->first;
  ds_create_with(p, &full, &spread->extras, "decode", 0.6);
  widen_rows(p, DS_Q_LAST, 2, spread->wide_last);
  if (spread->first) widen_rows(p, DS_Q_FIRST, 3, spread->wide_first);
  widen_left(p, spread->wide_left);
}
