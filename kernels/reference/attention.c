/* Multi-head attention by definition. The backward recomputes the weights, so nothing is saved. */
#pragma once

#include "reference.h"

#include <math.h>

/* q_i.k_j / sqrt(d_h) of head h. */
static double mha_score(const edgefw_attention_args *a, int64_t b, int64_t h, int64_t i,
                        int64_t j) {
  const int64_t n = a->nodes, d = a->width, width = d / a->heads;
  double dot = 0.0;
  for (int64_t c = h * width; c < (h + 1) * width; ++c)
    dot += get(a->q, (b * n + i) * d + c) * get(a->k, (b * n + j) * d + c);
  return dot / sqrt((double)width);
}

/* weight_ij = softmax_j(score_ij) of head h. */
static void mha_weights(const edgefw_attention_args *a, int64_t b, int64_t h, double *weight) {
  const int64_t n = a->nodes;
  for (int64_t i = 0; i < n; ++i) {
    double *row = weight + i * n, maximum = -(double)INFINITY, sum = 0.0;
    for (int64_t j = 0; j < n; ++j) {
      row[j] = mha_score(a, b, h, i, j);
      maximum = fmax(maximum, row[j]);
    }
    for (int64_t j = 0; j < n; ++j) {
      row[j] = exp(row[j] - maximum);
      sum += row[j];
    }
    for (int64_t j = 0; j < n; ++j) row[j] /= sum;
  }
}

/* out_i = sum_j weight_ij v_j */
static void mha_output(const edgefw_attention_args *a, int64_t b, int64_t h, const double *weight) {
  const int64_t n = a->nodes, d = a->width, width = d / a->heads;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t c = h * width; c < (h + 1) * width; ++c) {
      double sum = 0.0;
      for (int64_t j = 0; j < n; ++j) sum += weight[i * n + j] * get(a->v, (b * n + j) * d + c);
      set(a->out, (b * n + i) * d + c, sum);
    }
}

static edgefw_status attention_forward_one(edgefw_device *device, const edgefw_attention_args *a,
                                           int64_t b) {
  double *weight = edgefw_allocate(device->ctx, (size_t)(a->nodes * a->nodes), sizeof(double),
                                   "reference attention");
  if (weight == NULL) return EDGEFW_OUT_OF_MEMORY;
  for (int64_t h = 0; h < a->heads; ++h) {
    mha_weights(a, b, h, weight);
    mha_output(a, b, h, weight);
  }
  edgefw_release(device->ctx, weight);
  return EDGEFW_OK;
}

PARALLEL_STATUS(attention_forward, edgefw_attention_args, a->batch)

/* dv_j = sum_i weight_ij dout_i; dweight_ij = dout_i.v_j */
static void mha_output_backward(const edgefw_attention_args *a, int64_t b, int64_t h,
                                const double *weight, double *dweight) {
  const int64_t n = a->nodes, d = a->width, begin = h * (d / a->heads), end = begin + d / a->heads;
  for (int64_t j = 0; j < n; ++j)
    for (int64_t c = begin; c < end; ++c) {
      double sum = 0.0;
      for (int64_t i = 0; i < n; ++i) sum += weight[i * n + j] * get(a->dout, (b * n + i) * d + c);
      add(a->dv, (b * n + j) * d + c, sum);
    }
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0.0;
      for (int64_t c = begin; c < end; ++c)
        sum += get(a->dout, (b * n + i) * d + c) * get(a->v, (b * n + j) * d + c);
      dweight[i * n + j] = sum;
    }
}

/* Through the softmax: dscore_ij = weight_ij (dweight_ij - sum_l weight_il dweight_il), in place.
 */
static void mha_softmax_backward(int64_t n, const double *weight, double *dweight) {
  for (int64_t i = 0; i < n; ++i) {
    double mean = 0.0;
    for (int64_t j = i * n; j < (i + 1) * n; ++j) mean += weight[j] * dweight[j];
    for (int64_t j = i * n; j < (i + 1) * n; ++j) dweight[j] = weight[j] * (dweight[j] - mean);
  }
}

/* score_ij = q_i.k_j / sqrt(d_h) */
static void mha_score_backward(const edgefw_attention_args *a, int64_t b, int64_t h,
                               const double *dscore) {
  const int64_t n = a->nodes, d = a->width, width = d / a->heads;
  const double scale = 1.0 / sqrt((double)width);
  for (int64_t i = 0; i < n; ++i)
    for (int64_t c = h * width; c < (h + 1) * width; ++c) {
      double dq = 0.0, dk = 0.0;
      for (int64_t j = 0; j < n; ++j) {
        dq += dscore[i * n + j] * get(a->k, (b * n + j) * d + c);
        dk += dscore[j * n + i] * get(a->q, (b * n + j) * d + c);
      }
      add(a->dq, (b * n + i) * d + c, dq * scale);
      add(a->dk, (b * n + i) * d + c, dk * scale);
    }
}

static edgefw_status attention_backward_one(edgefw_device *device, const edgefw_attention_args *a,
                                            int64_t b) {
  const int64_t pairs = a->nodes * a->nodes;
  double *weight =
      edgefw_allocate(device->ctx, (size_t)(2 * pairs), sizeof(double), "reference attention");
  if (weight == NULL) return EDGEFW_OUT_OF_MEMORY;
  double *dscore = weight + pairs;
  for (int64_t h = 0; h < a->heads; ++h) {
    mha_weights(a, b, h, weight);
    mha_output_backward(a, b, h, weight, dscore);
    mha_softmax_backward(a->nodes, weight, dscore);
    mha_score_backward(a, b, h, dscore);
  }
  edgefw_release(device->ctx, weight);
  return EDGEFW_OK;
}

PARALLEL_STATUS(attention_backward, edgefw_attention_args, a->batch)

static size_t attention_saved(const edgefw_attention_args *a) {
  (void)a;
  return 0;
}
