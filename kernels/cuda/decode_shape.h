/* What a block of the decode loop keeps in shared memory (decode.cuh): a pure function of the sizes
 * and of what the GPU has. */
#ifndef EDGEFW_CUDA_DECODE_SHAPE_H
#define EDGEFW_CUDA_DECODE_SHAPE_H

#include "shapes.h"

#include <string.h>

enum {
  DECODE_TILE = 16,    /* rollouts of one block: the rows of a tensor-core tile */
  DECODE_NODES = 32,   /* nodes that a warp takes at once: the bits of a word */
  DECODE_COLUMNS = 32, /* most columns of a matrix that a warp takes at once */
  /* Rows of matrices in shared memory begin 4 banks apart, up to multiples of 8: then a tile's
   * eight rows of four numbers lie in 32 banks. */
  DECODE_STAGE_STRIDE = DECODE_COLUMNS + 4,
  DECODE_STAGE = DECODE_NODES * DECODE_STAGE_STRIDE, /* numbers of one staged piece */
  DECODE_FEW_WARPS = 8,
  DECODE_MANY_WARPS = 12
};

typedef struct cuda_decode_size {
  int64_t nodes, width, heads;
  int64_t mlp;     /* numbers of the feature MLP, padded */
  size_t element;  /* bytes of a resident matrix' number: 4, float, or 2, bf16 */
  bool depot;      /* open and unvisited nodes differ: with a depot or forbidden arcs */
  size_t rows;     /* bytes of the rollouts' state */
  size_t look_ups; /* bytes of one warp's features */
  size_t logits;   /* bytes that the plan's logits take */
} cuda_decode_size;

typedef enum cuda_decode_place {
  DECODE_DIRECT = 0, /* read where it is, in global memory */
  DECODE_STAGED,     /* brought by every warp for itself, one piece ahead */
  DECODE_RESIDENT    /* in shared memory from the first to the last step */
} cuda_decode_place;

enum { DECODE_KEYS = 0, DECODE_VALUES, DECODE_FOLD, DECODE_MATRICES };

/* A word of a resident matrix is a float, or two bf16 that products sum over together: neighbours
 * in a row of keys and folded keys, of two rows of values. */

typedef struct cuda_decode_shape {
  int warps;
  int chunks;       /* of a head's columns */
  int parts;        /* of the nodes: each has a softmax of its own, merged afterwards */
  int words;        /* of a row of bits, one for each node */
  int stride;       /* numbers from one row of the rollouts' vectors to the next */
  bool paired;      /* resident matrices are of bf16 */
  int row_words;    /* from one row of a resident matrix to the next; from a pair of rows: twice */
  int score_stride; /* of the scores, wherever they are */
  bool scores_shared;
  cuda_decode_place place[DECODE_MATRICES];
  /* Where things begin, in bytes: */
  size_t matrix[DECODE_MATRICES]; /* (n,row_words) if resident; paired: n rounded up to 2 */
  size_t stage;                   /* (warps,2,DECODE_STAGE) if something is staged */
  size_t query, glimpse;          /* (DECODE_TILE,stride) */
  size_t part;                    /* (parts,DECODE_TILE,stride) glimpses, if parts > 1 */
  size_t part_most, part_sum;     /* (parts,heads,DECODE_TILE) */
  size_t score;                   /* (DECODE_TILE,score_stride) if scores_shared */
  size_t open, unvisited;         /* (DECODE_TILE,words) */
  size_t rows, mlp, look_ups, logits;
  size_t bytes; /* in all; more than the limit: such a problem does not fit */
} cuda_decode_shape;

/* The next `bytes`, aligned to 16. */
static inline size_t cuda_decode_take(cuda_decode_shape *shape, size_t bytes) {
  const size_t at = shape->bytes;
  shape->bytes += (bytes + 15) / 16 * 16;
  return at;
}

static inline int64_t cuda_decode_stride(int64_t width) {
  return cuda_round_up(width, 8) + 4;
}

/* All but matrices and what serves to stage them. */
static inline cuda_decode_shape cuda_decode_base(const cuda_decode_size *size, int warps,
                                                 size_t limit) {
  const int64_t tile = DECODE_TILE, head = size->width / size->heads;
  cuda_decode_shape shape;
  memset(&shape, 0, sizeof shape);
  shape.warps = warps;
  shape.chunks = (int)((head + DECODE_COLUMNS - 1) / DECODE_COLUMNS);
  shape.words = (int)((size->nodes + DECODE_NODES - 1) / DECODE_NODES);
  shape.stride = (int)cuda_decode_stride(size->width);
  shape.paired = size->element == 2 && head % 2 == 0; /* else a head begins within a word */
  shape.row_words = (int)cuda_decode_stride(shape.paired ? size->width / 2 : size->width);
  shape.score_stride = shape.words * DECODE_NODES + 8;
  const int64_t items = size->heads * shape.chunks;
  const int64_t parts = (warps + items - 1) / items;
  shape.parts = (int)(parts < shape.words ? parts : shape.words);
  const size_t vectors = (size_t)(tile * shape.stride) * sizeof(float);
  const size_t bits = (size_t)(tile * shape.words) * sizeof(uint32_t);
  const size_t sums = (size_t)(shape.parts * size->heads * tile) * sizeof(float);
  shape.rows = cuda_decode_take(&shape, size->rows);
  shape.query = cuda_decode_take(&shape, vectors);
  shape.glimpse = cuda_decode_take(&shape, vectors);
  shape.part =
      shape.parts > 1 ? cuda_decode_take(&shape, (size_t)shape.parts * vectors) : shape.glimpse;
  shape.part_most = cuda_decode_take(&shape, sums);
  shape.part_sum = cuda_decode_take(&shape, sums);
  shape.open = cuda_decode_take(&shape, bits);
  shape.unvisited = size->depot ? cuda_decode_take(&shape, bits) : shape.open;
  shape.mlp = cuda_decode_take(&shape, (size_t)size->mlp * sizeof(float));
  shape.look_ups = cuda_decode_take(&shape, (size_t)warps * size->look_ups);
  shape.logits = cuda_decode_take(&shape, size->logits);
  const size_t scores = (size_t)(tile * shape.score_stride) * sizeof(float);
  shape.scores_shared = shape.bytes + scores <= limit;
  if (shape.scores_shared) shape.score = cuda_decode_take(&shape, scores);
  return shape;
}

/* With as many matrices resident as fit; true if those are all. */
static inline bool cuda_decode_fill(const cuda_decode_size *size, size_t limit,
                                    cuda_decode_shape *shape) {
  const int64_t rows = shape->paired ? cuda_round_up(size->nodes, 2) : size->nodes;
  const size_t matrix = (size_t)(rows * shape->row_words) * sizeof(float);
  const size_t stage = (size_t)(shape->warps * 2 * DECODE_STAGE) * sizeof(float);
  const bool all = shape->bytes + DECODE_MATRICES * matrix <= limit;
  const bool staged = !all && shape->bytes + stage <= limit;
  if (staged) shape->stage = cuda_decode_take(shape, stage);
  for (int m = 0; m < DECODE_MATRICES; ++m) {
    shape->place[m] = staged ? DECODE_STAGED : DECODE_DIRECT;
    if (shape->bytes + matrix > limit) continue;
    shape->place[m] = DECODE_RESIDENT;
    shape->matrix[m] = cuda_decode_take(shape, matrix);
  }
  return all;
}

/* A block that leaves no room for a second one has more warps instead. */
static inline cuda_decode_shape cuda_decode_shape_of(const cuda_decode_size *size, size_t limit) {
  cuda_decode_shape few = cuda_decode_base(size, DECODE_FEW_WARPS, limit);
  cuda_decode_shape many = cuda_decode_base(size, DECODE_MANY_WARPS, limit);
  if (cuda_decode_fill(size, limit, &few) && few.bytes <= limit / 2) return few;
  return cuda_decode_fill(size, limit, &many) ? many : few;
}

#endif
