/* One register of floats at a time, as the compilers' portable vector type: 16 of them with
 * AVX-512, 8 with AVX, 4 with SSE and elsewhere. (Wider ones than a register are taken apart in
 * memory.) */
#ifndef EDGEFW__CPU_LANES_H
#define EDGEFW__CPU_LANES_H

#include <float.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

/* Every function below is inlined: how a call would pass vectors does not matter. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

#if defined(__AVX512F__)
#define LANES 16
#elif defined(__AVX__)
#define LANES 8
#else
#define LANES 4
#endif

typedef float lanes __attribute__((vector_size(LANES * sizeof(float))));
typedef int32_t lane_mask __attribute__((vector_size(LANES * sizeof(int32_t)))); /* -1 or 0 */

#define INLINE static inline __attribute__((always_inline))

#if defined(__clang__)
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif

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
#if LANES == 16
  return (lanes){x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x};
#elif LANES == 8
  return (lanes){x, x, x, x, x, x, x, x};
#else
  return (lanes){x, x, x, x};
#endif
}

/* The first `count` numbers (none if it is negative), 0 in the rest; and storing the first `count`
 * lanes (count >= 0), what follows is left alone. */
#if defined(__AVX512F__)
INLINE __mmask16 lanes_some(int64_t count) {
  return (__mmask16)(count < 0 ? 0 : count < LANES ? (1u << count) - 1 : 0xffff);
}
#endif

INLINE lanes lanes_load_some(const float *from, int64_t count) {
#if defined(__AVX512F__)
  return (lanes)_mm512_maskz_loadu_ps(lanes_some(count), from);
#else
  float padded[LANES] = {0};
  const int64_t most = count < LANES ? count : LANES;
  for (int64_t i = 0; i < most; ++i) padded[i] = from[i];
  return lanes_load(padded);
#endif
}

INLINE void lanes_store_some(float *to, lanes x, int64_t count) {
#if defined(__AVX512F__)
  _mm512_mask_storeu_ps(to, lanes_some(count), (__m512)x);
#else
  memcpy(to, &x, (size_t)(count < LANES ? count : LANES) * sizeof *to);
#endif
}

/* The first `count` lanes. */
INLINE lane_mask lanes_first(int64_t count) {
  int32_t number[LANES];
  for (int i = 0; i < LANES; ++i) number[i] = i;
  return lanes_load_mask(number) < (int32_t)count;
}

/* mask ? x : y */
INLINE lanes lanes_select(lane_mask mask, lanes x, lanes y) {
  return (lanes)((mask & (lane_mask)x) | (~mask & (lane_mask)y));
}

/* mask ? x : 0 */
INLINE lanes lanes_keep(lane_mask mask, lanes x) {
  return (lanes)(mask & (lane_mask)x);
}

/* A mask as bits, that of the first lane lowest. */
typedef uint16_t lane_bits;

INLINE lane_bits lanes_bits(lane_mask mask) {
#if defined(__AVX512F__)
  return (lane_bits)_mm512_test_epi32_mask((__m512i)mask, (__m512i)mask);
#else
  int32_t parts[LANES], bits = 0;
  memcpy(parts, &mask, sizeof parts);
  for (int i = 0; i < LANES; ++i) bits |= parts[i] & 1 << i;
  return (lane_bits)bits;
#endif
}

INLINE lane_mask lanes_mask(lane_bits bits) {
  lane_mask mask;
  int32_t parts[LANES];
  for (int i = 0; i < LANES; ++i) parts[i] = 1 << i;
  memcpy(&mask, parts, sizeof mask);
  return (mask & (int32_t)bits) != 0;
}

/* bit ? x : 0 */
INLINE lanes lanes_keep_bits(lane_bits bits, lanes x) {
#if defined(__AVX512F__)
  return (lanes)_mm512_maskz_mov_ps(bits, (__m512)x);
#else
  return lanes_keep(lanes_mask(bits), x);
#endif
}

/* Which lanes of x are positive, and x + y there, x elsewhere. */
#if defined(__AVX512F__)
typedef __mmask16 lane_choice;
#else
typedef lane_mask lane_choice;
#endif

INLINE lane_choice lanes_positive(lanes x) {
#if defined(__AVX512F__)
  return _mm512_cmp_ps_mask((__m512)x, _mm512_setzero_ps(), _CMP_GT_OQ);
#else
  return x > lanes_all(0.0f);
#endif
}

INLINE lanes lanes_add_where(lane_choice where, lanes x, lanes y) {
#if defined(__AVX512F__)
  return (lanes)_mm512_mask_add_ps((__m512)x, where, (__m512)x, (__m512)y);
#else
  return x + lanes_keep(where, y);
#endif
}

/* x > y ? x : y; y where one of them is NaN (the compilers see no single instruction in it). */
INLINE lanes lanes_max(lanes x, lanes y) {
#if defined(__AVX512F__)
  return (lanes)_mm512_max_ps((__m512)x, (__m512)y);
#else
  return lanes_select(x > y, x, y);
#endif
}

INLINE lanes lanes_abs(lanes x) {
  return (lanes)((lane_mask)x & 0x7fffffff);
}

/* Lets a NaN through. */
INLINE lanes lanes_relu(lanes x) {
  return lanes_max(lanes_all(0.0f), x);
}

/* Lane i of x[j] and lane j of x[i] change places. */
INLINE void lanes_transpose(lanes x[LANES]) {
#if defined(__AVX512F__)
  const __m512i low = _mm512_set_epi32(23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
  const __m512i high = _mm512_add_epi32(low, _mm512_set1_epi32(8));
  for (int step = 0; step < 4; ++step) { /* a shuffle turns row and lane, as 8 bits, by one bit */
    lanes y[LANES];
    for (int i = 0; i < LANES / 2; ++i) {
      const __m512 a = (__m512)x[i], b = (__m512)x[i + LANES / 2];
      y[2 * i] = (lanes)_mm512_permutex2var_ps(a, low, b);
      y[2 * i + 1] = (lanes)_mm512_permutex2var_ps(a, high, b);
    }
    for (int i = 0; i < LANES; ++i) x[i] = y[i];
  }
#else
  float rows[LANES][LANES], columns[LANES][LANES];
  for (int i = 0; i < LANES; ++i) lanes_store(rows[i], x[i]);
  for (int i = 0; i < LANES; ++i)
    for (int j = 0; j < LANES; ++j) columns[j][i] = rows[i][j];
  for (int i = 0; i < LANES; ++i) x[i] = lanes_load(columns[i]);
#endif
}

INLINE float lanes_sum(lanes x) {
#if defined(__AVX512F__)
  return _mm512_reduce_add_ps((__m512)x);
#else
  float parts[LANES];
  lanes_store(parts, x);
  for (int step = LANES / 2; step > 0; step /= 2)
    for (int i = 0; i < step; ++i) parts[i] += parts[i + step];
  return parts[0];
#endif
}

INLINE float lanes_greatest(lanes x) {
#if defined(__AVX512F__)
  return _mm512_reduce_max_ps((__m512)x);
#else
  float parts[LANES];
  lanes_store(parts, x);
  for (int step = LANES / 2; step > 0; step /= 2)
    for (int i = 0; i < step; ++i)
      parts[i] = parts[i] > parts[i + step] ? parts[i] : parts[i + step];
  return parts[0];
#endif
}

/* e^x by range reduction x = r ln 2 + f, |f| <= ln 2 / 2, and a polynomial in f (coefficients of
 * Cephes' expf). Arguments are limited to [-87, 88]; relative error below 3e-7 there. */
INLINE lanes lanes_exp(lanes x) {
  const lanes low = lanes_all(-87.0f), high = lanes_all(88.0f);
  x = lanes_max(low, x); /* a NaN stays one */
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

/* 2^x = 2^r 2^f, r = x rounded, and the Taylor polynomial of 2^f; relative error below 3e-7 for
 * -126 <= x <= 127, 0 or nearly 0 below, no larger than 2^127 above. */
INLINE lanes lanes_exp2(lanes x) {
#if defined(__AVX512F__)
  x = (lanes)_mm512_min_ps(_mm512_set1_ps(127.0f), (__m512)x);
  const lanes r = (lanes)_mm512_roundscale_ps((__m512)x, _MM_FROUND_TO_NEAREST_INT);
#else
  x = lanes_max(lanes_all(-126.0f), x); /* a NaN stays one */
  x = lanes_select(lanes_all(127.0f) < x, lanes_all(127.0f), x);
  const lanes magic = lanes_all(12582912.0f);
  const lanes r = (x + magic) - magic;
#endif
  const lanes f = x - r;
  lanes p = lanes_all(1.5403530e-4f);
  p = p * f + lanes_all(1.3333558e-3f);
  p = p * f + lanes_all(9.6181291e-3f);
  p = p * f + lanes_all(5.5504109e-2f);
  p = p * f + lanes_all(2.4022651e-1f);
  p = p * f + lanes_all(6.9314718e-1f);
  p = p * f + lanes_all(1.0f);
#if defined(__AVX512F__)
  return (lanes)_mm512_scalef_ps((__m512)p, (__m512)r);
#else
  return p * (lanes)((__builtin_convertvector(r, lane_mask) + 127) << 23);
#endif
}

#define LANES_LOG2E 1.44269504088896341f

/* tanh x = 1 - 2 / (e^2x + 1); absolute error below 3e-7. */
INLINE lanes lanes_tanh(lanes x) {
  return lanes_all(1.0f) -
         lanes_all(2.0f) / (lanes_exp2(x * (2.0f * LANES_LOG2E)) + lanes_all(1.0f));
}

/* log(1 + x) for finite x >= 0; relative error below 3e-7. y = 1 + x = 2^e m, m near 1, and a
 * polynomial in m - 1 (coefficients of Cephes' logf); what rounding took from 1 + x is added to
 * first order. */
INLINE lanes lanes_log1p(lanes x) {
  const lanes y = lanes_all(1.0f) + x;
  const lane_mask exponent = ((lane_mask)y - 0x3f3504f3) >> 23; /* bits of sqrt(1/2), less e = -1 */
  const lanes e = __builtin_convertvector(exponent, lanes);
  const lanes f = (lanes)((lane_mask)y - (exponent << 23)) - lanes_all(1.0f);
  lanes p = lanes_all(7.0376836292e-2f);
  p = p * f - lanes_all(1.1514610310e-1f);
  p = p * f + lanes_all(1.1676998740e-1f);
  p = p * f - lanes_all(1.2420140846e-1f);
  p = p * f + lanes_all(1.4249322787e-1f);
  p = p * f - lanes_all(1.6668057665e-1f);
  p = p * f + lanes_all(2.0000714765e-1f);
  p = p * f - lanes_all(2.4999993993e-1f);
  p = p * f + lanes_all(3.3333331174e-1f);
  const lanes low = p * f * f * f - e * lanes_all(2.12194440e-4f) - lanes_all(0.5f) * f * f;
  return e * lanes_all(0.693359375f) + (f + (low + (x - (y - lanes_all(1.0f))) / y));
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
