/* Sixteen floats at a time, as the compilers' portable vector type: one AVX-512 register, two of
 * AVX2, four of SSE, or plain C. */
#ifndef EDGEFW__CPU_LANES_H
#define EDGEFW__CPU_LANES_H

#include <float.h>
#include <stdint.h>
#include <string.h>

/* Every function below is inlined: how a call would pass vectors does not matter. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

#define LANES 16

typedef float lanes __attribute__((vector_size(LANES * sizeof(float))));
typedef int32_t lane_mask __attribute__((vector_size(LANES * sizeof(int32_t)))); /* -1 or 0 */

#define INLINE static inline __attribute__((always_inline))

/* Smallest multiple of LANES that holds n: row stride of arrays that are read in whole lanes. */
INLINE int64_t lanes_padded(int64_t n) {
  return (n + LANES - 1) / LANES * LANES;
}

INLINE lanes lanes_load(const float *from) {
  lanes x;
  memcpy(&x, from, sizeof x);
  return x;
}

INLINE lane_mask lanes_load_mask(const int32_t *from) {
  lane_mask x;
  memcpy(&x, from, sizeof x);
  return x;
}

INLINE void lanes_store(float *to, lanes x) {
  memcpy(to, &x, sizeof x);
}

INLINE lanes lanes_all(float x) {
  return (lanes){x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x};
}

/* The first `count` numbers, 0 in the rest. */
INLINE lanes lanes_load_some(const float *from, int64_t count) {
  float padded[LANES] = {0};
  memcpy(padded, from, (size_t)(count < LANES ? count : LANES) * sizeof *padded);
  return lanes_load(padded);
}

/* mask ? x : y */
INLINE lanes lanes_select(lane_mask mask, lanes x, lanes y) {
  return (lanes)((mask & (lane_mask)x) | (~mask & (lane_mask)y));
}

/* mask ? x : 0 */
INLINE lanes lanes_keep(lane_mask mask, lanes x) {
  return (lanes)(mask & (lane_mask)x);
}

INLINE lanes lanes_max(lanes x, lanes y) {
  return lanes_select(x > y, x, y);
}

INLINE lanes lanes_relu(lanes x) {
  return lanes_keep(~(x < lanes_all(0.0f)), x); /* lets a NaN through */
}

INLINE float lanes_sum(lanes x) {
  float parts[LANES];
  lanes_store(parts, x);
  for (int step = LANES / 2; step > 0; step /= 2)
    for (int i = 0; i < step; ++i) parts[i] += parts[i + step];
  return parts[0];
}

INLINE float lanes_greatest(lanes x) {
  float parts[LANES];
  lanes_store(parts, x);
  for (int step = LANES / 2; step > 0; step /= 2)
    for (int i = 0; i < step; ++i)
      parts[i] = parts[i] > parts[i + step] ? parts[i] : parts[i + step];
  return parts[0];
}

/* e^x by range reduction x = r ln 2 + f, |f| <= ln 2 / 2, and a polynomial in f (coefficients of
 * Cephes' expf). Arguments are limited to [-87, 88]; relative error below 3e-7 there. */
INLINE lanes lanes_exp(lanes x) {
  const lanes low = lanes_all(-87.0f), high = lanes_all(88.0f);
  x = lanes_select(low > x, low, x); /* written so that a NaN stays one */
  x = lanes_select(high < x, high, x);
  const lanes magic = lanes_all(12582912.0f); /* 1.5 * 2^23: adding it rounds to a whole number */
  const lanes r = (x * lanes_all(1.44269504088896341f) + magic) - magic;
  const lanes f = (x - r * lanes_all(0.693359375f)) - r * lanes_all(-2.12194440e-4f);
  lanes p = lanes_all(1.9875691500e-4f);
  p = p * f + lanes_all(1.3981999507e-3f);
  p = p * f + lanes_all(8.3334519073e-3f);
  p = p * f + lanes_all(4.1665795894e-2f);
  p = p * f + lanes_all(1.6666665459e-1f);
  p = p * f + lanes_all(5.0000001201e-1f);
  p = p * f * f + f + lanes_all(1.0f);
  const lane_mask exponent = (__builtin_convertvector(r, lane_mask) + 127) << 23;
  return p * (lanes)exponent;
}

/* tanh x = 1 - 2 / (e^2x + 1); absolute error below 3e-7. */
INLINE lanes lanes_tanh(lanes x) {
  return lanes_all(1.0f) - lanes_all(2.0f) / (lanes_exp(x + x) + lanes_all(1.0f));
}

/* Sum of x[i] * y[i] and of x[i], over n numbers, in lanes (any n). */
INLINE float lanes_dot(const float *x, const float *y, int64_t n) {
  lanes total = lanes_all(0.0f);
  int64_t i = 0;
  for (; i + LANES <= n; i += LANES) total += lanes_load(x + i) * lanes_load(y + i);
  if (i < n) total += lanes_load_some(x + i, n - i) * lanes_load_some(y + i, n - i);
  return lanes_sum(total);
}

/* y += a * x over n numbers. */
INLINE void lanes_add_scaled(float *y, float a, const float *x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] += a * x[i];
}

#endif
