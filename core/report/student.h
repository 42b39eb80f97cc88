/* Student's distribution, by the incomplete beta function. */
#ifndef EDGEFW__STUDENT_H
#define EDGEFW__STUDENT_H

/* P(|T| > t) with `freedom` degrees of freedom. */
double edgefw__student_tails(double t, double freedom);

/* The t with P(|T| > t) = tails, 0 < tails < 1. */
double edgefw__student_bound(double tails, double freedom);

#endif
