/* Student's distribution. */
#include "report/student.h"

#include <math.h>

/* Continued fraction of the incomplete beta function, by Lentz's method (DLMF 8.17.22). It
 * converges within some 50 terms for x < (a + 1) / (a + b + 2). */
static double beta_fraction(double x, double a, double b) {
  const double tiny = 1e-300;
  double c = 1.0, d = 1.0 - (a + b) * x / (a + 1.0);
  d = 1.0 / (fabs(d) < tiny ? tiny : d);
  double value = d;
  for (int m = 1; m < 500; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    const double terms[2] = {even, odd};
    double change = 1.0;
    for (int k = 0; k < 2; ++k) {
      d = 1.0 + terms[k] * d;
      d = 1.0 / (fabs(d) < tiny ? tiny : d);
      c = 1.0 + terms[k] / c;
      if (fabs(c) < tiny) c = tiny;
      change = c * d;
      value *= change;
    }
    if (fabs(change - 1.0) < 1e-16) break;
  }
  return value;
}

/* The regularised incomplete beta function. */
static double beta_share(double x, double a, double b) {
  if (x <= 0.0) return 0.0;
  if (x >= 1.0) return 1.0;
  const double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
  if (x < (a + 1.0) / (a + b + 2.0)) return front * beta_fraction(x, a, b) / a;
  return 1.0 - front * beta_fraction(1.0 - x, b, a) / b;
}

double edgefw__student_tails(double t, double freedom) {
  return beta_share(freedom / (freedom + t * t), 0.5 * freedom, 0.5);
}

double edgefw__student_bound(double tails, double freedom) {
  double low = 0.0, high = 1.0;
  while (edgefw__student_tails(high, freedom) > tails && high < 1e300) high *= 2.0;
  for (int i = 0; i < 200 && low < high; ++i) {
    const double middle = 0.5 * (low + high);
    if (middle <= low || middle >= high) break; /* neighbours */
    if (edgefw__student_tails(middle, freedom) > tails)
      low = middle;
    else
      high = middle;
  }
  return high;
}
