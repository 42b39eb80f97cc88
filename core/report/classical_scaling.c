/* Classical scaling by the Lanczos method: a basis of the space in which the matrix, applied again
 * and again to a vector, moves most; in that basis it is tridiagonal and small, and Jacobi's method
 * gives all of its eigenvectors. (Golub and Van Loan, "Matrix Computations", sections 10.1 and
 * 8.5.) All vectors of the basis are kept orthogonal explicitly, and one that ends an invariant
 * space is followed by a new one, so that equal eigenvalues are found, too. */
#include "report/classical_scaling.h"

#include <math.h>
#include <string.h>

#include "edgefw/rng.h"

/* Most vectors of the basis. For fewer nodes the result is exact but for rounding. */
enum { MOST_STEPS = 100, SWEEPS = 60 };

/* A vector that is shorter than this part of the matrix's size is rounding. */
#define NOTHING 1e-12

typedef struct scaling {
  int64_t n;
  double *squares; /* (n,n): squared distances, the largest 1 */
  double *basis;   /* (MOST_STEPS, n) */
  double *next;    /* (n) */
  int64_t steps;
  double matrix[MOST_STEPS][MOST_STEPS];  /* in the basis; its eigenvalues in the end */
  double vectors[MOST_STEPS][MOST_STEPS]; /* column c is eigenvector c */
} scaling;

/* --- Squared distances --- */

static double direction(const double *cost, double forbidden, int64_t at) {
  return forbidden > 0.0 && cost[at] >= forbidden ? (double)NAN : cost[at];
}

/* The distances of both directions in one, the largest of them in *largest. NaN: there is none. */
static void symmetrise(const scaling *s, const double *cost, double forbidden, double *largest) {
  *largest = 0.0;
  for (int64_t i = 0; i < s->n; ++i)
    for (int64_t j = 0; j < i; ++j) {
      const double there = direction(cost, forbidden, i * s->n + j);
      const double back = direction(cost, forbidden, j * s->n + i);
      const double mean = isnan(there) ? back : isnan(back) ? there : 0.5 * there + 0.5 * back;
      if (mean > *largest) *largest = mean; /* false for NaN */
      s->squares[i * s->n + j] = mean;
    }
}

static void square(const scaling *s, double largest) {
  for (int64_t i = 0; i < s->n; ++i) {
    s->squares[i * s->n + i] = 0.0;
    for (int64_t j = 0; j < i; ++j) {
      const double distance = s->squares[i * s->n + j];
      const double part = isnan(distance) ? 1.0 : largest > 0.0 ? distance / largest : 0.0;
      s->squares[i * s->n + j] = s->squares[j * s->n + i] = part * part;
    }
  }
}

/* --- Vectors --- */

static double dot(const double *a, const double *b, int64_t n) {
  double sum = 0.0;
  for (int64_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

static void add_times(double *to, double factor, const double *from, int64_t n) {
  for (int64_t i = 0; i < n; ++i) to[i] += factor * from[i];
}

static void centre(double *x, int64_t n) {
  double sum = 0.0;
  for (int64_t i = 0; i < n; ++i) sum += x[i];
  for (int64_t i = 0; i < n; ++i) x[i] -= sum / (double)n;
}

/* Take away what lies in the basis; twice, for the first time leaves rounding. */
static void make_orthogonal(const scaling *s, int64_t count, double *x) {
  for (int turn = 0; turn < 2; ++turn) {
    centre(x, s->n);
    for (int64_t v = 0; v < count; ++v) {
      const double *other = s->basis + v * s->n;
      add_times(x, -dot(x, other, s->n), other, s->n);
    }
  }
}

/* -J squares J x / 2 for a centred x. */
static void apply(const scaling *s, const double *x, double *out) {
  for (int64_t i = 0; i < s->n; ++i) out[i] = -0.5 * dot(s->squares + i * s->n, x, s->n);
  centre(out, s->n);
}

/* Put s->next, which is as long as `length`, behind `count` vectors of the basis. */
static void keep(const scaling *s, int64_t count, double length) {
  double *vector = s->basis + count * s->n;
  for (int64_t i = 0; i < s->n; ++i) vector[i] = s->next[i] / length;
}

/* A direction that nothing was tried in yet; false if the basis spans all of the space. */
static bool start_anew(const scaling *s, int64_t count) {
  for (int64_t i = 0; i < s->n; ++i)
    s->next[i] = (double)edgefw_random_word(0, EDGEFW_STREAM_SVD, (uint64_t)count, (uint64_t)i) /
                     4294967296.0 -
                 0.5;
  make_orthogonal(s, count, s->next);
  const double length = sqrt(dot(s->next, s->next, s->n));
  if (count >= s->n - 1 || length < 1e-8) return false;
  keep(s, count, length);
  return true;
}

/* --- The basis, and the matrix in it --- */

static void build(scaling *s) {
  const int64_t most = s->n - 1 < MOST_STEPS ? s->n - 1 : MOST_STEPS;
  if (!start_anew(s, 0)) return;
  for (int64_t j = 0; j < most; ++j) {
    const double *last = s->basis + j * s->n;
    apply(s, last, s->next);
    s->matrix[j][j] = dot(s->next, last, s->n);
    s->steps = j + 1;
    if (j + 1 == most) return;
    make_orthogonal(s, j + 1, s->next);
    const double length = sqrt(dot(s->next, s->next, s->n));
    if (length > NOTHING * (double)s->n) {
      s->matrix[j][j + 1] = s->matrix[j + 1][j] = length;
      keep(s, j + 1, length);
    } else if (!start_anew(s, j + 1)) {
      return;
    }
  }
}

/* One rotation of Jacobi's method: the entry (p,q) becomes 0. */
static void rotate(scaling *s, int64_t p, int64_t q) {
  const double off = s->matrix[p][q];
  const double theta = (s->matrix[q][q] - s->matrix[p][p]) / (2.0 * off);
  const double tangent = (theta >= 0.0 ? 1.0 : -1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
  const double c = 1.0 / sqrt(tangent * tangent + 1.0), t = tangent * c;
  for (int64_t k = 0; k < s->steps; ++k) {
    const double kp = s->matrix[k][p], kq = s->matrix[k][q];
    s->matrix[k][p] = c * kp - t * kq;
    s->matrix[k][q] = t * kp + c * kq;
  }
  for (int64_t k = 0; k < s->steps; ++k) {
    const double pk = s->matrix[p][k], qk = s->matrix[q][k];
    s->matrix[p][k] = c * pk - t * qk;
    s->matrix[q][k] = t * pk + c * qk;
    const double vp = s->vectors[k][p], vq = s->vectors[k][q];
    s->vectors[k][p] = c * vp - t * vq;
    s->vectors[k][q] = t * vp + c * vq;
  }
}

static void solve_small(scaling *s) {
  double size = 0.0;
  for (int64_t i = 0; i < s->steps; ++i) {
    s->vectors[i][i] = 1.0;
    for (int64_t j = 0; j < s->steps; ++j) size += fabs(s->matrix[i][j]);
  }
  for (int sweep = 0; sweep < SWEEPS; ++sweep) {
    bool moved = false;
    for (int64_t p = 0; p < s->steps; ++p)
      for (int64_t q = p + 1; q < s->steps; ++q) {
        if (fabs(s->matrix[p][q]) <= 1e-17 * size) continue;
        rotate(s, p, q);
        moved = true;
      }
    if (!moved) return;
  }
}

/* --- Axes --- */

/* The largest eigenvalue but `taken` (-1: none is); -1 if there is none above 0. */
static int64_t largest_eigenvalue(const scaling *s, int64_t taken) {
  int64_t best = -1;
  for (int64_t c = 0; c < s->steps; ++c)
    if (c != taken && s->matrix[c][c] > NOTHING * (double)s->n &&
        (best < 0 || s->matrix[c][c] > s->matrix[best][best]))
      best = c;
  return best;
}

/* Turn the axis so that its entry of largest size is positive. Sizes that differ by rounding are
 * equal. */
static void choose_sign(double *axis, int64_t n) {
  double largest = 0.0;
  for (int64_t i = 0; i < n; ++i) largest = fmax(largest, fabs(axis[i]));
  for (int64_t i = 0; i < n; ++i) {
    if (fabs(axis[i]) < largest * (1.0 - 1e-6)) continue;
    if (axis[i] < 0.0)
      for (int64_t k = 0; k < n; ++k) axis[k] = -axis[k];
    return;
  }
}

static void write_axis(scaling *s, int64_t eigenvector, double unit, double *points, int axis) {
  memset(s->next, 0, (size_t)s->n * sizeof *s->next);
  for (int64_t v = 0; eigenvector >= 0 && v < s->steps; ++v)
    add_times(s->next, s->vectors[v][eigenvector], s->basis + v * s->n, s->n);
  choose_sign(s->next, s->n);
  const double length = eigenvector < 0 ? 0.0 : unit * sqrt(s->matrix[eigenvector][eigenvector]);
  for (int64_t i = 0; i < s->n; ++i) points[2 * i + axis] = length * s->next[i];
}

edgefw_status edgefw__classical_scaling(edgefw_context *ctx, int64_t n, const double *cost,
                                        double forbidden, double *points) {
  scaling *s = edgefw_allocate(ctx, 1, sizeof *s, "classical scaling");
  edgefw_status status = s ? EDGEFW_OK : edgefw_failure(ctx);
  if (s) {
    s->n = n;
    s->squares = edgefw_allocate(ctx, (size_t)(n * n), sizeof *s->squares, "squared distances");
    s->basis = edgefw_allocate(ctx, (size_t)(MOST_STEPS * n), sizeof *s->basis, "a basis");
    s->next = edgefw_allocate(ctx, (size_t)n, sizeof *s->next, "a vector");
    if (!s->squares || !s->basis || !s->next) status = edgefw_failure(ctx);
  }
  if (status == EDGEFW_OK) {
    double largest = 0.0;
    symmetrise(s, cost, forbidden, &largest);
    square(s, largest);
    build(s);
    solve_small(s);
    const int64_t first = largest_eigenvalue(s, -1);
    const int64_t second = first < 0 ? -1 : largest_eigenvalue(s, first);
    write_axis(s, first, largest, points, 0);
    write_axis(s, second, largest, points, 1);
  }
  if (s) {
    edgefw_release(ctx, s->next);
    edgefw_release(ctx, s->basis);
    edgefw_release(ctx, s->squares);
  }
  edgefw_release(ctx, s);
  return status;
}
