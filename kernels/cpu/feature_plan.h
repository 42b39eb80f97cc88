/* What the feature MLP of the decoder reads. Declared look-ups are folded into SOURCES: a row of a
 * table (or of its transpose) that runs over the candidates, or one number that all candidates
 * share. A pair feature is one source, an antisymmetric one is two with opposite signs, and
 * look-ups that occur twice share a source. */
#ifndef EDGEFW__CPU_FEATURE_PLAN_H
#define EDGEFW__CPU_FEATURE_PLAN_H

#include "internal.h"

#define MAX_SOURCES (2 * EDGEFW_MAX_FEATURES)

typedef enum source_kind {
  SOURCE_ROW,        /* table[anchor][j] */
  SOURCE_COLUMN,     /* table[j][anchor]: a row of the transpose */
  SOURCE_NODES,      /* table[j] */
  SOURCE_PATH,       /* a number that follows the path (paths.h) */
  SOURCE_PAIR_VALUE, /* table[anchor][other] */
  SOURCE_NODE_VALUE, /* table[anchor] */
  SOURCE_STATE       /* a state scalar */
} source_kind;

typedef struct feature_source {
  source_kind kind;
  int table;
  edgefw_at anchor, other;
  edgefw_state state;
  edgefw_path path;           /* PATH: which one */
  bool out;                   /* PATH: of arcs out of the candidate, not into it */
  int permutation;            /* PATH CYCLE_COVER: table of successors */
  edgefw_cover_number number; /* PATH CYCLE_COVER: which of its numbers */
  int slot;                   /* PATH: its number among those */
} feature_source;

typedef struct source_use {
  int source;
  float sign;
} source_use;

/* Sources in order: vectors that change from step to step, vectors that are the same at all steps,
 * numbers. */
typedef struct feature_plan {
  int moving_count; /* vectors that change from step to step */
  int vector_count; /* vectors that are the same at all steps */
  int count;
  feature_source sources[MAX_SOURCES];
  source_use uses[EDGEFW_MAX_FEATURES][2]; /* of a feature; sign 0: unused */
  bool transposed[EDGEFW_MAX_TABLES];      /* a transposed copy is needed */
  int path_count;
  int paths[EDGEFW_MAX_FEATURES]; /* sources of kind PATH, by slot */
  int owner[EDGEFW_MAX_FEATURES]; /* the first slot that has the same state, by slot */
} feature_plan;

typedef enum source_class { MOVING_VECTOR, NODE_VECTOR, NUMBER } source_class;

/* Where every route closes at the depot, a row that is read at the closing node is the same at all
 * steps. */
static source_class class_of(const feature_source *source, edgefw_closing_rule closing) {
  switch (source->kind) {
  case SOURCE_NODES: return NODE_VECTOR;
  case SOURCE_PATH: return MOVING_VECTOR;
  case SOURCE_ROW:
  case SOURCE_COLUMN:
    return source->anchor == EDGEFW_CLOSING && closing == EDGEFW_CLOSE_AT_DEPOT ? NODE_VECTOR
                                                                                : MOVING_VECTOR;
  case SOURCE_PAIR_VALUE:
  case SOURCE_NODE_VALUE:
  case SOURCE_STATE: break;
  }
  return NUMBER;
}

static feature_source pair_source(const edgefw_feature *feature, bool reverse) {
  const edgefw_at row = reverse ? feature->column : feature->row;
  const edgefw_at column = reverse ? feature->row : feature->column;
  feature_source source = {.table = feature->table, .anchor = row, .other = column};
  if (column == EDGEFW_CANDIDATE) {
    source.kind = SOURCE_ROW;
  } else if (row == EDGEFW_CANDIDATE) {
    source.kind = SOURCE_COLUMN;
    source.anchor = column;
    source.other = row;
  } else {
    source.kind = SOURCE_PAIR_VALUE;
  }
  return source;
}

static feature_source source_of(const edgefw_feature *feature, bool reverse) {
  switch (feature->kind) {
  case EDGEFW_FEATURE_PAIR:
  case EDGEFW_FEATURE_ANTISYMMETRIC: return pair_source(feature, reverse);
  case EDGEFW_FEATURE_NODE: {
    const bool vector = feature->row == EDGEFW_CANDIDATE;
    return (feature_source){.kind = vector ? SOURCE_NODES : SOURCE_NODE_VALUE,
                            .table = feature->table,
                            .anchor = feature->row};
  }
  case EDGEFW_FEATURE_PATH:
    return (feature_source){.kind = SOURCE_PATH,
                            .table = feature->table,
                            .path = feature->path,
                            .permutation = feature->permutation,
                            .number = feature->number,
                            .out = feature->row == EDGEFW_CANDIDATE};
  case EDGEFW_FEATURE_STATE: break;
  }
  return (feature_source){.kind = SOURCE_STATE, .state = feature->state};
}

/* Do two sources of kind PATH follow the same thing? */
static bool same_path(const feature_source *a, const feature_source *b) {
  return a->path == b->path && a->table == b->table && a->out == b->out &&
         a->permutation == b->permutation;
}

static bool same_source(const feature_source *a, const feature_source *b) {
  return a->kind == b->kind && a->table == b->table && a->anchor == b->anchor &&
         a->other == b->other && a->state == b->state && same_path(a, b) && a->number == b->number;
}

static int find_or_add(feature_plan *plan, const feature_source *source) {
  for (int s = 0; s < plan->count; ++s)
    if (same_source(&plan->sources[s], source)) return s;
  plan->sources[plan->count] = *source;
  return plan->count++;
}

/* Enter the sources of one class of all features. */
static void collect(feature_plan *plan, const edgefw_decode_plan *decode, source_class wanted) {
  for (int f = 0; f < decode->feature_count; ++f) {
    const int parts = decode->features[f].kind == EDGEFW_FEATURE_ANTISYMMETRIC ? 2 : 1;
    for (int part = 0; part < parts; ++part) {
      const feature_source source = source_of(&decode->features[f], part == 1);
      if (class_of(&source, decode->closing) != wanted) continue;
      plan->uses[f][part] =
          (source_use){.source = find_or_add(plan, &source), .sign = part ? -1.0f : 1.0f};
      if (source.kind == SOURCE_COLUMN ||
          (source.kind == SOURCE_PATH && source.path == EDGEFW_PATH_REMAINING_MIN))
        plan->transposed[source.table] = true;
    }
  }
}

static void enter_path(feature_plan *plan, int source) {
  const int slot = plan->path_count++;
  plan->sources[source].slot = slot;
  plan->paths[slot] = source;
  int owner = 0;
  while (!same_path(&plan->sources[plan->paths[owner]], &plan->sources[source])) ++owner;
  plan->owner[slot] = owner;
}

static void plan_features(const edgefw_decode_plan *decode, feature_plan *plan) {
  memset(plan, 0, sizeof *plan);
  collect(plan, decode, MOVING_VECTOR);
  plan->moving_count = plan->count;
  collect(plan, decode, NODE_VECTOR);
  plan->vector_count = plan->count;
  for (int s = 0; s < plan->count; ++s)
    if (plan->sources[s].kind == SOURCE_PATH) enter_path(plan, s);
  collect(plan, decode, NUMBER);
}

#endif
