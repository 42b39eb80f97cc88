/* Products of float matrices in the precision of the device: by BLAS, or with factors rounded to
 * bfloat16. */
#ifndef EDGEFW__CPU_PRODUCT_H
#define EDGEFW__CPU_PRODUCT_H

#include "bf16.h"
#include "internal.h"

/* c (rows,width) = scale a b, or += with `add`; where inner dimensions lie says the order. */
typedef struct product_args {
  int64_t rows, width, depth;
  float scale;
  bf16_order left, right;
  const float *a;
  int64_t lda;
  const float *b;
  int64_t ldb;
  bool add;
  float *c;
  int64_t ldc;
} product_args;

/* Pairs of scratch memory that a product takes; none where factors stay float. */
static inline int64_t product_scratch(const edgefw_device *device, int64_t rows, int64_t width,
                                      int64_t depth) {
  return device->bf16 == BF16_OFF ? 0 : bf16_size(rows, depth) + bf16_size(width, depth);
}

static inline void product_by_blas(const product_args *p) {
  cblas_sgemm(CblasRowMajor, p->left == BF16_INNER_LAST ? CblasNoTrans : CblasTrans,
              p->right == BF16_INNER_LAST ? CblasTrans : CblasNoTrans, (int)p->rows, (int)p->width,
              (int)p->depth, p->scale, p->a, (int)p->lda, p->b, (int)p->ldb, p->add ? 1.0f : 0.0f,
              p->c, (int)p->ldc);
}

/* The caller has begun with bf16_begin. */
static inline void product_of(const edgefw_device *device, bf16_pair *scratch,
                              const product_args *p) {
  if (device->bf16 == BF16_OFF) {
    product_by_blas(p);
    return;
  }
  bf16_pair *right = scratch + bf16_size(p->rows, p->depth);
  bf16_pack(BF16_LEFT, p->left, p->a, p->lda, p->scale, p->rows, p->depth, scratch);
  bf16_pack(BF16_RIGHT, p->right, p->b, p->ldb, 1.0f, p->width, p->depth, right);
  const bf16_product_args rounded = {
      p->rows, p->width, p->depth, scratch, right, p->add ? p->c : NULL, p->ldc, p->c, p->ldc};
  bf16_product(device->bf16, &rounded);
}

#endif
