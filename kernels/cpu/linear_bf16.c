/* Linear layers whose factors are rounded to bfloat16. Weights, and in the backward pass the factor
 * that all weights share, are packed once per call; other factors by the task that needs them. */
#pragma once

#include "bf16.h"
#include "linear.h"

enum {
  NARROWEST = 32,    /* numbers of a row below which factors stay float: coordinates, say */
  PACK_BLOCK = 64,   /* columns that a task packs */
  DEPTH_BLOCK = 1024 /* rows of x and dy that a weight's gradient takes at a time */
};

static bool rounds_factors(const edgefw_device *device, const edgefw_linear_args *args) {
  return device->bf16 != BF16_OFF && args->in >= NARROWEST && args->out >= NARROWEST;
}

/* A factor that several tasks read: `count` columns of B, (depth,count) numbers in all, packed in
 * blocks of DEPTH_BLOCK of the inner dimension. */
typedef struct shared_factor {
  const float *x;
  int64_t ld, count, depth, depth_block;
  bf16_order order;
  bf16_pair *packed;
} shared_factor;

typedef struct bf16_work {
  linear_work cut;
  edgefw_device *device;
  shared_factor weights, rows; /* packed NULL: not wanted */
} bf16_work;

static int64_t factor_block_size(const shared_factor *f) {
  return bf16_size(f->count, f->depth_block);
}

static int64_t factor_blocks(const shared_factor *f) {
  return blocks_of(f->depth, f->depth_block);
}

static int64_t factor_tasks(const shared_factor *f) {
  return f->x ? factor_blocks(f) * blocks_of(f->count, PACK_BLOCK) : 0;
}

/* Task `index` of packing a factor: some columns of one block. */
static void pack_factor(const shared_factor *f, int64_t index) {
  const int64_t parts = blocks_of(f->count, PACK_BLOCK), block = index / parts;
  const int64_t column = index % parts * PACK_BLOCK, first = block * f->depth_block;
  const int64_t depth = block_length(first, f->depth_block, f->depth);
  const float *x =
      f->x + (f->order == BF16_INNER_LAST ? column * f->ld + first : first * f->ld + column);
  bf16_pair *out = f->packed + block * factor_block_size(f);
  bf16_pack(BF16_RIGHT, f->order, x, f->ld, 1.0f, block_length(column, PACK_BLOCK, f->count), depth,
            out + column / BF16_TILE * bf16_depth_tiles(depth) * BF16_WORDS);
}

static edgefw_status pack_task(void *user, int64_t index, int thread) {
  const bf16_work *work = user;
  (void)thread;
  const int64_t weights = factor_tasks(&work->weights);
  if (index < weights)
    pack_factor(&work->weights, index);
  else
    pack_factor(&work->rows, index - weights);
  return EDGEFW_OK;
}

/* Room for the shared factors and for `scratch` pairs of each thread; then pack. */
static edgefw_status pack_factors(bf16_work *work, int64_t scratch) {
  shared_factor *const factors[] = {&work->weights, &work->rows};
  edgefw_device *device = work->device;
  cpu_layout layout = {0};
  edgefw_status status = edgefw__cpu_reserve_scratch(device, (size_t)scratch * sizeof(bf16_pair),
                                                     "rounded rows of a linear layer");
  for (int turn = 0; turn < 2 && status == EDGEFW_OK; ++turn) {
    for (int f = 0; f < 2; ++f) {
      if (!factors[f]->x) continue;
      factors[f]->packed = cpu_take(
          &layout, factor_blocks(factors[f]) * factor_block_size(factors[f]), sizeof(bf16_pair));
    }
    if (turn > 0 || layout.used == 0) break;
    layout = (cpu_layout){edgefw__cpu_reserve(device, &device->shared, layout.used,
                                              "rounded weights of a linear layer"),
                          0};
    if (!layout.memory) status = edgefw_failure(device->ctx);
  }
  if (status != EDGEFW_OK) return status;
  return edgefw_parallel(device->ctx, factor_tasks(&work->weights) + factor_tasks(&work->rows),
                         pack_task, work);
}

/* W as the right factor of a product whose inner dimension is `in` (forward) or `out`. */
static shared_factor weights_of(const edgefw_linear_args *args, bool forward) {
  const int64_t count = forward ? args->out : args->in, depth = forward ? args->in : args->out;
  return (shared_factor){.x = args->w,
                         .ld = weight_stride(args),
                         .count = count,
                         .depth = depth,
                         .depth_block = depth,
                         .order = forward != args->transposed ? BF16_INNER_LAST : BF16_INNER_FIRST};
}

/* c = from + x W' for one block of rows of x, W' the packed weights. */
static void multiply_rows(const bf16_work *work, const float *x, int64_t rows, const float *from,
                          int64_t from_ld, float *c, int thread) {
  const shared_factor *w = &work->weights;
  bf16_pair *left = work->device->scratch[thread].memory;
  bf16_pack(BF16_LEFT, BF16_INNER_LAST, x, w->depth, 1.0f, rows, w->depth, left);
  const bf16_product_args product = {rows, w->count, w->depth, left,    w->packed,
                                     from, from_ld,  c,        w->count};
  bf16_begin(work->device->bf16);
  bf16_product(work->device->bf16, &product);
  bf16_end(work->device->bf16);
}

static edgefw_status linear_bf16_rows(void *user, int64_t index, int thread) {
  const bf16_work *work = user;
  const edgefw_linear_args *args = work->cut.args;
  const int64_t first = index * work->cut.row_block;
  const int64_t rows = block_length(first, work->cut.row_block, args->rows);
  float *y = (float *)args->y + first * args->out;
  multiply_rows(work, (const float *)args->x + first * args->in, rows, args->b, 0, y, thread);
  if (args->relu) rectify(y, rows * args->out);
  return EDGEFW_OK;
}

static edgefw_status linear_bf16_forward(edgefw_device *device, const edgefw_linear_args *args) {
  bf16_work work = {.cut = work_of(args), .device = device, .weights = weights_of(args, true)};
  const edgefw_status status = pack_factors(&work, bf16_size(work.cut.row_block, args->in));
  if (status != EDGEFW_OK) return status;
  return edgefw_parallel(device->ctx, work.cut.row_blocks, linear_bf16_rows, &work);
}

/* --- Backward --- */

static edgefw_status rectify_task(void *user, int64_t index, int thread) {
  const bf16_work *work = user;
  const edgefw_linear_args *args = work->cut.args;
  const int64_t first = index * work->cut.row_block;
  (void)thread;
  rectify_rows_backward(args, first, block_length(first, work->cut.row_block, args->rows));
  return EDGEFW_OK;
}

/* dx += dy W for one block of rows. */
static void linear_bf16_rows_backward(const bf16_work *work, int64_t index, int thread) {
  const edgefw_linear_args *args = work->cut.args;
  const int64_t first = index * work->cut.row_block;
  const int64_t rows = block_length(first, work->cut.row_block, args->rows);
  float *dx = (float *)args->dx + first * args->in;
  multiply_rows(work, (const float *)args->dy + first * args->out, rows, dx, args->in, dx, thread);
}

/* dW += dy^T x (or x^T dy) for one block of W's rows, over all rows of x. */
static void linear_bf16_weights_backward(const bf16_work *work, int64_t index, int thread) {
  const edgefw_linear_args *args = work->cut.args;
  const shared_factor *right = &work->rows;
  const int64_t first = index * work->cut.weight_block, stride = weight_stride(args);
  const int64_t height = args->transposed ? args->in : args->out;
  const int64_t length = block_length(first, work->cut.weight_block, height);
  const float *x = args->transposed ? args->x : args->dy;
  float *dw = (float *)args->dw + first * stride;
  bf16_pair *left = work->device->scratch[thread].memory;
  bf16_begin(work->device->bf16);
  for (int64_t block = 0; block < factor_blocks(right); ++block) {
    const int64_t row = block * DEPTH_BLOCK, depth = block_length(row, DEPTH_BLOCK, args->rows);
    bf16_pack(BF16_LEFT, BF16_INNER_FIRST, x + row * height + first, height, 1.0f, length, depth,
              left);
    const bf16_product_args product = {
        length, right->count, depth, left,  right->packed + block * factor_block_size(right),
        dw,     stride,       dw,    stride};
    bf16_product(work->device->bf16, &product);
  }
  bf16_end(work->device->bf16);
}

/* Tasks in order: blocks of rows, of weights, of the bias. */
static edgefw_status linear_bf16_task_backward(void *user, int64_t index, int thread) {
  const bf16_work *work = user;
  const int64_t rows = work->weights.x ? work->cut.row_blocks : 0;
  if (index < rows)
    linear_bf16_rows_backward(work, index, thread);
  else if (index - rows < work->cut.weight_blocks)
    linear_bf16_weights_backward(work, index - rows, thread);
  else
    linear_bias_backward(&work->cut, index - rows - work->cut.weight_blocks);
  return EDGEFW_OK;
}

static edgefw_status linear_bf16_backward(edgefw_device *device, const edgefw_linear_args *args) {
  bf16_work work = {.cut = work_of(args), .device = device};
  const int64_t columns = args->transposed ? args->out : args->in;
  if (args->dx) work.weights = weights_of(args, false);
  if (args->dw)
    work.rows = (shared_factor){.x = args->transposed ? args->dy : args->x,
                                .ld = columns,
                                .count = columns,
                                .depth = args->rows,
                                .depth_block = DEPTH_BLOCK,
                                .order = BF16_INNER_FIRST};
  edgefw_status status = EDGEFW_OK;
  if (args->relu) status = edgefw_parallel(device->ctx, work.cut.row_blocks, rectify_task, &work);
  const int64_t rows = bf16_size(work.cut.row_block, args->out);
  const int64_t weights = bf16_size(work.cut.weight_block, DEPTH_BLOCK);
  if (status == EDGEFW_OK) status = pack_factors(&work, rows > weights ? rows : weights);
  if (status != EDGEFW_OK) return status;
  return edgefw_parallel(device->ctx,
                         (args->dx ? work.cut.row_blocks : 0) + work.cut.weight_blocks +
                             work.cut.bias_blocks,
                         linear_bf16_task_backward, &work);
}
