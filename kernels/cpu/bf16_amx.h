/* Products of packed bfloat16 factors on AMX's tiles, 2 x 2 of them at a time. Included by bf16.h
 * alone. Tiles 0 to 3 are of c, 4 and 5 of A, 6 and 7 of B. */

#define AMX __attribute__((target("amx-tile,amx-bf16")))
/* The compilers' functions do not say what memory they read. */
#define AMX_MEMORY __asm__ volatile("" ::: "memory")

enum { AMX_ROW = BF16_PAIRS * sizeof(bf16_pair), AMX_SIDE = 2 * BF16_TILE };

/* The operand of LDTILECFG: all tiles are 16 rows of 64 bytes. */
typedef struct amx_layout {
  uint8_t palette, start_row, reserved[14];
  uint16_t row_bytes[16];
  uint8_t rows[16];
} amx_layout;

AMX static void bf16_begin_amx(void) {
  static const amx_layout layout = {.palette = 1,
                                    .row_bytes = {64, 64, 64, 64, 64, 64, 64, 64},
                                    .rows = {16, 16, 16, 16, 16, 16, 16, 16}};
  _tile_loadconfig(&layout);
}

AMX static void bf16_end_amx(void) {
  _tile_release();
}

/* Tiles of c begin with what `from` has, rows ld numbers apart, or with 0. */
AMX INLINE void amx_fill(int rows, int columns, const float *from, int64_t ld) {
  const int64_t stride = ld * (int64_t)sizeof *from;
  if (!from) {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    return;
  }
  _tile_loadd(0, from, stride);
  if (columns > 1) _tile_loadd(1, from + BF16_TILE, stride);
  if (rows > 1) _tile_loadd(2, from + BF16_TILE * ld, stride);
  if (rows > 1 && columns > 1) _tile_loadd(3, from + BF16_TILE * ld + BF16_TILE, stride);
}

AMX INLINE void amx_drain(int rows, int columns, float *c, int64_t ld) {
  const int64_t stride = ld * (int64_t)sizeof *c;
  _tile_stored(0, c, stride);
  if (columns > 1) _tile_stored(1, c + BF16_TILE, stride);
  if (rows > 1) _tile_stored(2, c + BF16_TILE * ld, stride);
  if (rows > 1 && columns > 1) _tile_stored(3, c + BF16_TILE * ld + BF16_TILE, stride);
}

/* c += a b for 1 or 2 tiles of rows and of columns, which are constants where this is inlined. */
AMX INLINE void amx_multiply(int rows, int columns, int64_t tiles, const bf16_pair *a,
                             const bf16_pair *b) {
  const int64_t next = tiles * BF16_WORDS;
  for (const bf16_pair *end = a + next; a < end; a += BF16_WORDS, b += BF16_WORDS) {
    _tile_loadd(4, a, AMX_ROW);
    _tile_loadd(6, b, AMX_ROW);
    if (rows > 1) _tile_loadd(5, a + next, AMX_ROW);
    if (columns > 1) _tile_loadd(7, b + next, AMX_ROW);
    _tile_dpbf16ps(0, 4, 6);
    if (columns > 1) _tile_dpbf16ps(1, 4, 7);
    if (rows > 1) _tile_dpbf16ps(2, 5, 6);
    if (rows > 1 && columns > 1) _tile_dpbf16ps(3, 5, 7);
  }
}

AMX INLINE void amx_tiles(int rows, int columns, const bf16_product_args *p, int64_t row,
                          int64_t column, const float *from, int64_t from_ld, float *c,
                          int64_t ldc) {
  amx_fill(rows, columns, from, from_ld);
  amx_multiply(rows, columns, bf16_depth_tiles(p->depth), bf16_tile_at(p->a, row, p->depth, 0),
               bf16_tile_at(p->b, column, p->depth, 0));
  amx_drain(rows, columns, c, ldc);
}

/* The block of c at this place; by way of memory of its own where c does not hold it whole. */
AMX static void amx_block(const bf16_product_args *p, int64_t row, int64_t column) {
  const int64_t rows = bf16_least(p->rows - row, AMX_SIDE);
  const int64_t columns = bf16_least(p->width - column, AMX_SIDE);
  const float *from = p->from ? p->from + row * p->from_ld + column : NULL;
  float *c = p->c + row * p->ldc + column, block[AMX_SIDE * AMX_SIDE];
  const bool whole = rows % BF16_TILE == 0 && columns % BF16_TILE == 0;
  int64_t from_ld = p->from_ld, ldc = p->ldc;
  if (!whole) {
    if (from) bf16_load_block(p, row, rows, column, columns, AMX_SIDE, AMX_SIDE, block);
    from = from ? block : NULL;
    c = block;
    from_ld = ldc = AMX_SIDE;
  }
  AMX_MEMORY;
  switch ((rows > BF16_TILE) * 2 + (columns > BF16_TILE)) {
  case 0: amx_tiles(1, 1, p, row, column, from, from_ld, c, ldc); break;
  case 1: amx_tiles(1, 2, p, row, column, from, from_ld, c, ldc); break;
  case 2: amx_tiles(2, 1, p, row, column, from, from_ld, c, ldc); break;
  default: amx_tiles(2, 2, p, row, column, from, from_ld, c, ldc); break;
  }
  AMX_MEMORY;
  if (!whole) bf16_store_block(p, row, rows, column, columns, block, AMX_SIDE);
}

AMX static void bf16_product_amx(const bf16_product_args *p) {
  for (int64_t column = 0; column < p->width; column += AMX_SIDE)
    for (int64_t row = 0; row < p->rows; row += AMX_SIDE) amx_block(p, row, column);
}

#undef AMX
#undef AMX_MEMORY
