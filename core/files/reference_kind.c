/* Kinds of reference costs and their words. */
#include "files/reference_kind.h"

#include <string.h>

enum { KINDS = 4 };

static const char *const remarks[KINDS] = {"", "exact", "best found", "lower bound"};
static const char *const names[KINDS] = {"", "optimum", "best known", "bound"};
static const char *const gaps[KINDS] = {"gap", "gap", "gap to best known", "gap to bound"};

const char *edgefw__reference_kind_remark(edgefw__reference_kind kind) {
  return remarks[kind];
}

edgefw__reference_kind edgefw__reference_kind_of_remark(const char *remark) {
  static const struct {
    const char *begin;
    edgefw__reference_kind kind;
  } words[] = {{"exact", EDGEFW__REFERENCE_OPTIMUM},
               {"optim", EDGEFW__REFERENCE_OPTIMUM},
               {"lower bound", EDGEFW__REFERENCE_BOUND},
               {"bound", EDGEFW__REFERENCE_BOUND}};
  for (size_t w = 0; w < sizeof words / sizeof *words; ++w)
    if (strncmp(remark, words[w].begin, strlen(words[w].begin)) == 0) return words[w].kind;
  return *remark ? EDGEFW__REFERENCE_BEST_KNOWN : EDGEFW__REFERENCE_UNKNOWN;
}

const char *edgefw__reference_kind_name(edgefw__reference_kind kind) {
  return names[kind];
}

bool edgefw__reference_kind_parse(const char *name, edgefw__reference_kind *out) {
  for (int k = 0; k < KINDS; ++k) {
    if (strcmp(name, names[k]) != 0) continue;
    *out = (edgefw__reference_kind)k;
    return true;
  }
  return false;
}

const char *edgefw__reference_kind_gap(edgefw__reference_kind kind) {
  return gaps[kind];
}
