/* Products of float matrices whose factors are rounded to bfloat16 on the way: for factors that are
 * used once. */
#ifndef EDGEFW__CPU_PRODUCT_H
#define EDGEFW__CPU_PRODUCT_H

#include "bf16.h"

/* c (rows,width) = scale a b, or += with `add`; where the inner dimension lies says the order. */
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

/* Pairs of scratch memory that a product takes. */
static inline int64_t product_scratch(int64_t rows, int64_t width, int64_t depth) {
  return bf16_size(rows, depth) + bf16_size(width, depth);
}

/* The caller has begun with bf16_begin. */
static inline void product_of(bf16_unit unit, bf16_pair *scratch, const product_args *p) {
  bf16_pair *right = scratch + bf16_size(p->rows, p->depth);
  bf16_pack(BF16_LEFT, p->left, p->a, p->lda, p->scale, p->rows, p->depth, scratch);
  bf16_pack(BF16_RIGHT, p->right, p->b, p->ldb, 1.0f, p->width, p->depth, right);
  const bf16_product_args rounded = {
      p->rows, p->width, p->depth, scratch, right, p->add ? p->c : NULL, p->ldc, p->c, p->ldc};
  bf16_product(unit, &rounded);
}

#endif
