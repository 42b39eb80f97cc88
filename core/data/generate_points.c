/* Generated points and demands, and distances between points. */
#include <math.h>

#include "data/generate.h"
#include "edgefw/rng.h"

/* Of clustered points (edgefw/instance.h). */
enum { CENTRES = 3 };
static const double least_centre = 0.2, centre_range = 0.6, deviation = 0.07;

static const double two_pi = 6.283185307179586;

static double unit(const edgefw_generator *generator, edgefw_stream stream, uint64_t word) {
  return edgefw_random_unit(edgefw_generator_word(generator, (int)stream, word));
}

static double cut(double x) {
  return x < 0.0 ? 0.0 : x > 1.0 ? 1.0 : x;
}

static void uniform_point(const edgefw_generator *generator, int64_t i, double *point) {
  for (int axis = 0; axis < 2; ++axis)
    point[axis] = unit(generator, EDGEFW_STREAM_COORDINATES, (uint64_t)(2 * i + axis));
}

/* Words of the cluster stream: centre c has 2c and 2c+1, node i three behind those of the centres;
 * the depot's place and the choice of a distribution come behind the last node. */
static void centre(const edgefw_generator *generator, int64_t c, double *point) {
  for (int axis = 0; axis < 2; ++axis)
    point[axis] = least_centre +
                  centre_range * unit(generator, EDGEFW_STREAM_CLUSTER, (uint64_t)(2 * c + axis));
}

static uint64_t word_of(int64_t i) {
  return 2 * CENTRES + 3 * (uint64_t)i;
}

/* Two normal deviates from two uniform ones (Box and Muller 1958). */
static void normal_point(const edgefw_generator *generator, int64_t i, const double *mean,
                         double *point) {
  const double first = unit(generator, EDGEFW_STREAM_CLUSTER, word_of(i));
  const double second = unit(generator, EDGEFW_STREAM_CLUSTER, word_of(i) + 1);
  const double radius = deviation * sqrt(-2.0 * log(1.0 - first)); /* 1 - first is above 0 */
  point[0] = cut(mean[0] + radius * cos(two_pi * second));
  point[1] = cut(mean[1] + radius * sin(two_pi * second));
}

/* A whole number below `bound` from word `which` of those behind the last node's. */
static int64_t draw(const edgefw_generator *generator, int64_t n, uint64_t which, uint32_t bound) {
  return edgefw_random_below(
      edgefw_generator_word(generator, EDGEFW_STREAM_CLUSTER, word_of(n) + which), bound);
}

/* Node i takes place i of the runs. A depot takes a place that is drawn, and the customers before
 * that place move back by one. */
static void clustered(const edgefw_generator *generator, bool depot, int64_t n, double *points) {
  const int64_t run = n / CENTRES > 0 ? n / CENTRES : 1;
  const int64_t drawn = depot ? draw(generator, n, 0, (uint32_t)n) : 0;
  for (int64_t i = 0; i < n; ++i) {
    double mean[2];
    const int64_t place = i == 0 ? drawn : i <= drawn ? i - 1 : i, c = place / run;
    centre(generator, c < CENTRES ? c : CENTRES - 1, mean);
    normal_point(generator, i, mean, points + 2 * i);
  }
}

/* Half of the nodes from `first` on are chosen one by one: node i with the chance (still wanted) /
 * (still left). */
static void mixed(const edgefw_generator *generator, int64_t first, int64_t n, double *points) {
  double mean[2];
  centre(generator, 0, mean);
  int64_t wanted = (n - first) / 2;
  for (int64_t i = 0; i < n; ++i) {
    const double u = unit(generator, EDGEFW_STREAM_CLUSTER, word_of(i) + 2);
    if (i >= first && u * (double)(n - i) < (double)wanted) {
      normal_point(generator, i, mean, points + 2 * i);
      --wanted;
    } else {
      uniform_point(generator, i, points + 2 * i);
    }
  }
}

void edgefw_generate_points(edgefw_generator *generator, edgefw_points distribution, bool depot,
                            int64_t n, double *points) {
  if (distribution == EDGEFW_POINTS_MIXTURE)
    distribution = (edgefw_points)draw(generator, n, 1, EDGEFW_POINTS_MIXTURE);
  switch (distribution) {
  case EDGEFW_POINTS_MIXTURE: /* is one of the others by now */
  case EDGEFW_POINTS_UNIFORM:
    for (int64_t i = 0; i < n; ++i) uniform_point(generator, i, points + 2 * i);
    break;
  case EDGEFW_POINTS_CLUSTER: clustered(generator, depot, n, points); break;
  case EDGEFW_POINTS_MIXED: mixed(generator, depot, n, points); break;
  }
}

void edgefw_generate_demand(edgefw_generator *generator, int64_t n, int64_t low, int64_t high,
                            double *demand) {
  const uint32_t range = (uint32_t)(high - low + 1);
  demand[0] = 0.0;
  for (int64_t i = 1; i < n; ++i) {
    const uint32_t word = edgefw_generator_word(generator, EDGEFW_STREAM_DEMAND, (uint64_t)(i - 1));
    demand[i] = (double)(low + (int64_t)edgefw_random_below(word, range));
  }
}

void edgefw_point_distances(const double *points, int64_t n, double *cost) {
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) {
      const double dx = points[2 * i] - points[2 * j], dy = points[2 * i + 1] - points[2 * j + 1];
      cost[i * n + j] = sqrt(dx * dx + dy * dy);
    }
}
