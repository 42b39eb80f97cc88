/* How the device cuda lays operations over blocks and shared memory, for every size and for the
 * shared memory of several generations of GPUs. */
#include "support/test.h"

#include "cuda/decode_shape.h"
#include "cuda/shapes.h"

enum { MOST_NODES = 2000, MOST_THREADS = 1024 };

static void blocks_of_a_normalisation(void **state) {
  (void)state;
  for (int64_t n = 1; n <= MOST_NODES; ++n) {
    assert_true(cuda_norm_warps(n) >= 1);
    assert_true(32 * cuda_norm_warps(n) <= MOST_THREADS);
  }
}

static void blocks_of_a_table(void **state) {
  (void)state;
  for (int64_t n = 1; n <= MOST_NODES; ++n) {
    const int64_t places = cuda_sort_places(n), closed = cuda_closed_threads(n);
    assert_true(places >= n && (places == 2 || places < 2 * n));
    assert_int_equal(places & (places - 1), 0);
    assert_true(cuda_sort_shared(places) <= 99 * 1024);
    assert_true(closed % 32 == 0 && closed >= 32 && closed <= MOST_THREADS);
    if (cuda_closed_shared(n) <= 227 * 1024) /* then threads are whole rows of at least n */
      assert_true(closed % cuda_threads_for(n, CUDA_CLOSED_THREADS) == 0 && closed >= n);
    assert_true(cuda_assignment_threads(n) % 32 == 0 && cuda_assignment_threads(n) <= MOST_THREADS);
    assert_int_equal(cuda_assignment_bytes(n) % 8, 0);
  }
}

/* Up to which size the fast paths go, with the memory of the largest blocks. */
static void what_fits_in_shared_memory(void **state) {
  (void)state;
  const size_t hopper = 227 * 1024, ada = 99 * 1024;
  assert_true(cuda_closed_shared(241) <= hopper && cuda_closed_shared(242) > hopper);
  assert_true(cuda_closed_shared(159) <= ada && cuda_closed_shared(160) > ada);
  assert_true(cuda_sort_shared(cuda_sort_places(16384)) <= hopper);
  assert_true(cuda_assignment_bytes(MOST_NODES - 70) + 512 <= ada);
}

/* Shared memory of one block, in bytes: sm_86 and 120, sm_80, sm_90 and 100. */
static const size_t limits[] = {99 * 1024, 163 * 1024, 227 * 1024};
enum { LIMITS = sizeof limits / sizeof limits[0] };

static void blocks_of_mixed_attention(void **state) {
  (void)state;
  for (int64_t n = 1; n <= MOST_NODES; ++n) {
    const int64_t threads = cuda_mixed_threads(n), stride = cuda_mixed_stride(n);
    const int64_t parts = cuda_mixed_parts(n), partial = cuda_mixed_partial(n);
    assert_true(threads % 32 == 0 && threads > 0 && threads <= MOST_THREADS);
    assert_true(stride >= n && stride % 8 == 4);
    assert_true(parts >= 1 && parts * n <= partial);
    assert_true(parts == 1 || parts * ((n + 31) / 32) <= threads / 32);
    assert_true(partial >= threads / 32 * CUDA_MIXED_SUMS);
  }
}

static void shared_memory_of_mixed_attention(void **state) {
  (void)state;
  for (int64_t hidden = 1; hidden <= 64; hidden += 7) {
    assert_true(cuda_mixed_weights(hidden) > 5 * hidden);
    assert_int_equal(cuda_mixed_weights(hidden) % 4, 0); /* what follows stays aligned */
    for (int64_t n = 1; n <= MOST_NODES; ++n) {
      const size_t tile = (size_t)(n * cuda_mixed_stride(n)) * sizeof(float);
      assert_true(cuda_mixed_shared_small(n, hidden) <= limits[0]);
      assert_int_equal(cuda_mixed_shared(n, hidden, 2),
                       2 * tile + cuda_mixed_shared_small(n, hidden));
      assert_true(n == 1 || cuda_mixed_shared(n, hidden, 1) > cuda_mixed_shared(n - 1, hidden, 1) ||
                  cuda_mixed_threads(n) != cuda_mixed_threads(n - 1));
    }
  }
}

/* Sizes that instances commonly have stay in shared memory. */
static void where_tiles_fit(void **state) {
  (void)state;
  const int64_t forward[LIMITS] = {145, 190, 225}, backward[LIMITS] = {100, 130, 155};
  for (int limit = 0; limit < LIMITS; ++limit) {
    assert_true(cuda_mixed_shared(forward[limit], 16, 1) <= limits[limit]);
    assert_true(cuda_mixed_shared(backward[limit], 16, 2) <= limits[limit]);
    assert_true(cuda_mixed_shared(240, 16, 1) > limits[limit]);
  }
}

/* Decode's backward takes any number of nodes on any GPU; all that it sums over is in some part. */
static void blocks_of_decode_backward(void **state) {
  (void)state;
  for (int64_t n = 1; n <= MOST_NODES; ++n) {
    const int64_t warps = cuda_decode_key_warps(n);
    assert_true(warps >= 1 && 32 * warps <= 256 && (16 * warps >= n || warps % 2 == 0));
    for (int64_t rows = n; rows <= 2 * n * n; rows *= 7) {
      const int64_t parts = cuda_decode_parts(rows, n);
      assert_true(parts >= 1 && parts <= CUDA_DECODE_PARTS);
      assert_true(cuda_tiles(rows, parts) * n < INT32_MAX);
    }
  }
  for (int64_t width = 1; width <= 128; ++width) {
    const int64_t columns = cuda_decode_head_columns(width);
    assert_true(columns >= width && columns % 8 == 0);
    assert_true(cuda_decode_rows_shared(8, columns) <= 99 * 1024);
    assert_true(cuda_decode_keys_shared(columns) <= 99 * 1024);
  }
  assert_int_equal(cuda_decode_head_columns(129), 0);
  for (int64_t features = 1; features <= 32; ++features) {
    assert_true(cuda_decode_feature_columns(features) >= features);
    assert_true(cuda_decode_features_shared(cuda_decode_feature_columns(features)) <= 99 * 1024);
  }
}

/* Everything of a decode block, in order, without overlap and within its shared memory. */
static void check_decode(const cuda_decode_size *size, size_t limit) {
  const cuda_decode_shape shape = cuda_decode_shape_of(size, limit);
  const int64_t rows = shape.paired ? (size->nodes + 1) / 2 * 2 : size->nodes;
  const size_t matrix = (size_t)(rows * shape.row_words) * sizeof(uint32_t);
  size_t end = shape.logits + size->logits;
  assert_true(shape.bytes <= limit);
  assert_true(shape.warps == DECODE_FEW_WARPS || shape.warps == DECODE_MANY_WARPS);
  assert_true(shape.stride % 8 == 4 && shape.stride >= size->width);
  assert_int_equal(shape.paired, size->element == 2 && size->width / size->heads % 2 == 0);
  assert_true(shape.row_words % 8 == 4);
  assert_true(shape.row_words * (shape.paired ? 2 : 1) >= size->width);
  assert_true((int64_t)shape.words * DECODE_NODES >= size->nodes);
  assert_true(shape.score_stride >= size->nodes && shape.parts >= 1 && shape.parts <= shape.words);
  assert_true(shape.chunks * DECODE_COLUMNS * size->heads >= size->width);
  if (shape.scores_shared) {
    assert_true(shape.score >= end);
    end = shape.score + (size_t)(DECODE_TILE * shape.score_stride) * sizeof(float);
  }
  bool staged = false;
  for (int m = 0; m < DECODE_MATRICES; ++m) staged = staged || shape.place[m] == DECODE_STAGED;
  if (staged) {
    assert_true(shape.stage >= end);
    end = shape.stage + (size_t)(2 * shape.warps * DECODE_STAGE) * sizeof(float);
  }
  for (int m = 0; m < DECODE_MATRICES; ++m) {
    if (shape.place[m] != DECODE_RESIDENT) continue;
    assert_true(shape.matrix[m] % 16 == 0 && shape.matrix[m] >= end);
    end = shape.matrix[m] + matrix;
  }
  assert_true(end <= shape.bytes);
}

static void blocks_of_decoding(void **state) {
  (void)state;
  const int64_t heads[3] = {1, 8, 16};
  for (int k = 0; k < 9; ++k)
    for (int64_t d = 16; d <= 256; d *= 2)
      for (int64_t n = 1; n <= MOST_NODES; ++n) {
        const cuda_decode_size size = {.nodes = n,
                                       .width = d,
                                       .heads = heads[k / 3],
                                       .mlp = 32 * 12 + 1,
                                       .element = n % 5 < 3 ? 2 : 4,
                                       .depot = n % 2 == 1,
                                       .rows = 1024,
                                       .look_ups = 5 * 32,
                                       .logits = n % 3 == 0 ? 16 * 1152 : 0};
        check_decode(&size, limits[k % 3]);
      }
}

static int resident(const cuda_decode_size *size, size_t limit) {
  const cuda_decode_shape shape = cuda_decode_shape_of(size, limit);
  int count = 0;
  for (int m = 0; m < DECODE_MATRICES; ++m) count += shape.place[m] == DECODE_RESIDENT;
  return count;
}

/* Numbers of two bytes keep all of a hundred nodes of width 256, heads of odd width none so. */
static void what_decoding_keeps_in_pairs(void **state) {
  (void)state;
  cuda_decode_size size = {.nodes = 100,
                           .width = 256,
                           .heads = 8,
                           .mlp = 32 * 12 + 1,
                           .element = 2,
                           .rows = 2048,
                           .look_ups = 5 * 32};
  assert_int_equal(resident(&size, 227 * 1024), DECODE_MATRICES);
  size.element = 4;
  assert_int_equal(resident(&size, 227 * 1024), 1);
  size.width = 8 * 33;
  const size_t floats = cuda_decode_shape_of(&size, 227 * 1024).bytes;
  size.element = 2;
  assert_int_equal(cuda_decode_shape_of(&size, 227 * 1024).bytes, floats);
}

/* A hundred nodes of width 128 stay in a large GPU's shared memory; nothing of a thousand does. */
static void what_decoding_keeps(void **state) {
  (void)state;
  cuda_decode_size size = {.nodes = 100, .width = 128, .heads = 8, .element = 4, .rows = 1024};
  const cuda_decode_shape all = cuda_decode_shape_of(&size, 227 * 1024);
  assert_int_equal(all.warps, DECODE_MANY_WARPS);
  for (int m = 0; m < DECODE_MATRICES; ++m) assert_int_equal(all.place[m], DECODE_RESIDENT);
  size.nodes = 1000;
  const cuda_decode_shape none = cuda_decode_shape_of(&size, 227 * 1024);
  for (int m = 0; m < DECODE_MATRICES; ++m) assert_int_equal(none.place[m], DECODE_STAGED);
  size.nodes = 5000;
  assert_true(cuda_decode_shape_of(&size, 99 * 1024).bytes <= 99 * 1024);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_of_a_normalisation),
      cmocka_unit_test(blocks_of_decoding),
      cmocka_unit_test(what_decoding_keeps),
      cmocka_unit_test(what_decoding_keeps_in_pairs),
      cmocka_unit_test(blocks_of_a_table),
      cmocka_unit_test(what_fits_in_shared_memory),
      cmocka_unit_test(blocks_of_mixed_attention),
      cmocka_unit_test(shared_memory_of_mixed_attention),
      cmocka_unit_test(where_tiles_fit),
      cmocka_unit_test(blocks_of_decode_backward),
  };
  return test_run(tests, NULL, NULL);
}
