/* The local attention over a step's near set (edgefw/term.h), forward and backward. */
#include "reference.h"

#include <math.h>

enum {
  LOCAL = EDGEFW_LOCAL_WIDTH,
  LOCAL_HEADS = EDGEFW_LOCAL_HEADS,
  LOCAL_HEAD = LOCAL / LOCAL_HEADS, /* width of a head */
  LOCAL_INPUTS = 3                  /* most inputs of a member */
};

/* Working memory of one step; rows by rank in the near set. */
typedef struct decode_local {
  decode_near near;
  bool *open;        /* (n) */
  double *input;     /* (n,LOCAL_INPUTS) x */
  double *embedding; /* (n,LOCAL) e, position included */
  double *key;       /* (n,LOCAL) */
  double *value;     /* (n,LOCAL) */
  double *weight;    /* (LOCAL_HEADS,n) attention weights */
  double query[LOCAL], attended[LOCAL], z[LOCAL];
  double *dembedding;      /* (n,LOCAL) */
  double dattended[LOCAL]; /* and the gradients of its last backward */
  double dquery[LOCAL];
} decode_local;

static int64_t decode_local_inputs(const edgefw_decode_plan *plan) {
  return plan->resource_count > 0 ? 3 : 2;
}

/* Numbers of tensor t. */
static int64_t decode_local_count(const edgefw_decode_plan *plan, int t) {
  switch (t) {
  case EDGEFW_LOCAL_EMBED: return LOCAL * decode_local_inputs(plan);
  case EDGEFW_LOCAL_QUERY:
  case EDGEFW_LOCAL_KEY:
  case EDGEFW_LOCAL_VALUE:
  case EDGEFW_LOCAL_COMBINE: return LOCAL * LOCAL;
  default: return LOCAL;
  }
}

/* y (LOCAL) = M x, M (LOCAL,width) */
static void local_product(const void *m, int64_t width, const double *x, double *y) {
  for (int64_t i = 0; i < LOCAL; ++i) {
    y[i] = 0.0;
    for (int64_t c = 0; c < width; ++c) y[i] += get(m, i * width + c) * x[c];
  }
}

/* Its backward: dm += dy x^T; dx += M^T dy. dx NULL: not wanted. */
static void local_product_backward(const void *m, int64_t width, const double *x, const double *dy,
                                   double *dm, double *dx) {
  for (int64_t i = 0; i < LOCAL; ++i)
    for (int64_t c = 0; c < width; ++c) {
      dm[i * width + c] += dy[i] * x[c];
      if (dx != NULL) dx[c] += get(m, i * width + c) * dy[i];
    }
}

static double local_dot(const double *x, const double *y, int64_t begin, int64_t end) {
  double sum = 0.0;
  for (int64_t c = begin; c < end; ++c) sum += x[c] * y[c];
  return sum;
}

static double local_quotient(double x, double y) {
  return y == 0.0 ? 0.0 : x / y;
}

/* x_j = [entry / (scale + epsilon), angle, demand_j / left], 0 for the depot */
static void local_inputs(const edgefw_decode_args *a, const edgefw_logit *logit,
                         const decode_state *state, const decode_near *near, int64_t j, double *x) {
  const int64_t here = state->b * a->nodes + state->current, there = state->b * a->nodes + j;
  const void *points = a->tables[logit->points];
  for (int f = 0; f < LOCAL_INPUTS; ++f) x[f] = 0.0;
  if (decode_has_depot(a) && j == 0) return;
  x[0] = decode_nearness(a, logit, state, near, j);
  x[1] = atan2(get(points, 2 * there + 1) - get(points, 2 * here + 1),
               get(points, 2 * there) - get(points, 2 * here));
  if (a->plan->resource_count > 0)
    x[2] = local_quotient(a->resources.demand[0][there], state->left[0]);
}

/* e += [sin(rank w_0..15), cos(rank w_0..15)], w_t = 10000^(-t/15) */
static void local_add_position(int64_t rank, double *e) {
  enum { SCALES = LOCAL / 2 };
  for (int64_t t = 0; t < SCALES; ++t) {
    const double angle = (double)rank * exp(-(double)t * log(10000.0) / (SCALES - 1));
    e[t] += sin(angle);
    e[SCALES + t] += cos(angle);
  }
}

/* Attention of the query over the open members. */
static void local_attend(decode_local *w) {
  const int64_t count = w->near.count;
  for (int64_t h = 0; h < LOCAL_HEADS; ++h) {
    const int64_t begin = h * LOCAL_HEAD, end = begin + LOCAL_HEAD;
    double *weight = w->weight + h * count;
    for (int64_t r = 0; r < count; ++r)
      weight[r] = local_dot(w->query, w->key + r * LOCAL, begin, end) / sqrt((double)LOCAL_HEAD);
    decode_softmax(count, w->open, weight);
    for (int64_t c = begin; c < end; ++c) {
      w->attended[c] = 0.0;
      for (int64_t r = 0; r < count; ++r) w->attended[c] += weight[r] * w->value[r * LOCAL + c];
    }
  }
}

/* Embeddings of the near set of logit l and z = combine(attention). */
static void decode_local_forward(const edgefw_decode_args *a, int l, const decode_state *state,
                                 decode_local *w) {
  const edgefw_logit *logit = &a->plan->logits[l];
  void *const *tensor = a->weights.logits[l];
  const int64_t inputs = decode_local_inputs(a->plan);
  double token[LOCAL];
  decode_near_set(a, logit, state, &w->near);
  for (int64_t r = 0; r < w->near.count; ++r) {
    const int64_t j = w->near.member[r];
    double *x = w->input + r * LOCAL_INPUTS, *e = w->embedding + r * LOCAL;
    w->open[r] = state->open[j];
    local_inputs(a, logit, state, &w->near, j, x);
    local_product(tensor[EDGEFW_LOCAL_EMBED], inputs, x, e);
    for (int64_t c = 0; c < LOCAL; ++c) e[c] += get(tensor[EDGEFW_LOCAL_EMBED_BIAS], c);
    local_add_position(r, e);
    local_product(tensor[EDGEFW_LOCAL_KEY], LOCAL, e, w->key + r * LOCAL);
    local_product(tensor[EDGEFW_LOCAL_VALUE], LOCAL, e, w->value + r * LOCAL);
  }
  for (int64_t c = 0; c < LOCAL; ++c) token[c] = get(tensor[EDGEFW_LOCAL_TOKEN], c);
  local_product(tensor[EDGEFW_LOCAL_QUERY], LOCAL, token, w->query);
  local_attend(w);
  local_product(tensor[EDGEFW_LOCAL_COMBINE], LOCAL, w->attended, w->z);
  for (int64_t c = 0; c < LOCAL; ++c) w->z[c] += get(tensor[EDGEFW_LOCAL_COMBINE_BIAS], c);
}

/* score_j += z . e_j / sqrt(LOCAL) for the members j. */
static void decode_local_score(const decode_local *w, double *score) {
  for (int64_t r = 0; r < w->near.count; ++r)
    score[w->near.member[r]] +=
        local_dot(w->z, w->embedding + r * LOCAL, 0, LOCAL) / sqrt((double)LOCAL);
}

/* From dattended: dquery, and through keys and values dWk, dWv and dembedding. */
static void local_attend_backward(void *const *tensor, decode_local *w, double *const *grad) {
  const int64_t count = w->near.count;
  for (int64_t c = 0; c < LOCAL; ++c) w->dquery[c] = 0.0;
  for (int64_t r = 0; r < count; ++r) {
    double dkey[LOCAL], dvalue[LOCAL];
    for (int64_t h = 0; h < LOCAL_HEADS; ++h) {
      const int64_t begin = h * LOCAL_HEAD, end = begin + LOCAL_HEAD;
      const double weight = w->weight[h * count + r];
      /* sum over the members of weight * dweight = attended . dattended */
      const double mean = local_dot(w->attended, w->dattended, begin, end);
      const double dweight = local_dot(w->value + r * LOCAL, w->dattended, begin, end);
      const double ddot = weight * (dweight - mean) / sqrt((double)LOCAL_HEAD);
      for (int64_t c = begin; c < end; ++c) {
        dvalue[c] = weight * w->dattended[c];
        dkey[c] = ddot * w->query[c];
        w->dquery[c] += ddot * w->key[r * LOCAL + c];
      }
    }
    const double *e = w->embedding + r * LOCAL;
    double *de = w->dembedding + r * LOCAL;
    local_product_backward(tensor[EDGEFW_LOCAL_KEY], LOCAL, e, dkey, grad[EDGEFW_LOCAL_KEY], de);
    local_product_backward(tensor[EDGEFW_LOCAL_VALUE], LOCAL, e, dvalue, grad[EDGEFW_LOCAL_VALUE],
                           de);
  }
}

/* score_j = z . e_j / sqrt(LOCAL), z = combine(attended): combine's gradients, dattended and what
 * dembedding has from the scores. */
static void local_score_backward(void *const *tensor, decode_local *w, const double *dscore,
                                 double *const *grad) {
  double dz[LOCAL] = {0.0};
  for (int64_t r = 0; r < w->near.count; ++r) {
    const double upstream = dscore[w->near.member[r]] / sqrt((double)LOCAL);
    for (int64_t c = 0; c < LOCAL; ++c) {
      dz[c] += upstream * w->embedding[r * LOCAL + c];
      w->dembedding[r * LOCAL + c] = upstream * w->z[c];
    }
  }
  for (int64_t c = 0; c < LOCAL; ++c) {
    grad[EDGEFW_LOCAL_COMBINE_BIAS][c] += dz[c];
    w->dattended[c] = 0.0;
  }
  local_product_backward(tensor[EDGEFW_LOCAL_COMBINE], LOCAL, w->attended, dz,
                         grad[EDGEFW_LOCAL_COMBINE], w->dattended);
}

/* Gradients of logit l's tensors, one array each, added to `grad`. dscore is 0 for closed nodes;
 * `w` is the work of the same logit's forward. */
static void decode_local_backward(const edgefw_decode_args *a, int l, decode_local *w,
                                  const double *dscore, double *const *grad) {
  void *const *tensor = a->weights.logits[l];
  double token[LOCAL];
  for (int64_t c = 0; c < LOCAL; ++c) token[c] = get(tensor[EDGEFW_LOCAL_TOKEN], c);
  local_score_backward(tensor, w, dscore, grad);
  local_attend_backward(tensor, w, grad);
  local_product_backward(tensor[EDGEFW_LOCAL_QUERY], LOCAL, token, w->dquery,
                         grad[EDGEFW_LOCAL_QUERY], grad[EDGEFW_LOCAL_TOKEN]);
  for (int64_t r = 0; r < w->near.count; ++r) {
    const double *de = w->dembedding + r * LOCAL;
    local_product_backward(tensor[EDGEFW_LOCAL_EMBED], decode_local_inputs(a->plan),
                           w->input + r * LOCAL_INPUTS, de, grad[EDGEFW_LOCAL_EMBED], NULL);
    for (int64_t c = 0; c < LOCAL; ++c) grad[EDGEFW_LOCAL_EMBED_BIAS][c] += de[c];
  }
}
