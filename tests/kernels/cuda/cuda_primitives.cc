/* The emulator, and what kernels of the device cuda are built from (warp.cuh, mma.cuh), on it. */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern "C" {
#include "support/test.h"
}

#include "mma.cuh"
#include "warp.cuh"

static launch_shape one_block(unsigned threads, size_t shared) {
  return launch_shape{dim3(1), threads, shared};
}

/* --- Warps and blocks --- */

typedef struct warp_results {
  int sum[96], most[96], least[96], prefix[96], at[96], block[96];
  unsigned ballot[96];
  double parts;
} warp_results;

static __global__ void warp_kernel(const float *x, warp_results *out) {
  const int t = (int)threadIdx.x, value = t * 7 % 32;
  out->sum[t] = warp_sum(value);
  out->most[t] = warp_max(value);
  out->least[t] = warp_min(value);
  out->prefix[t] = warp_prefix_sum(1);
  out->ballot[t] = __ballot_sync(FULL_WARP, t % 3 == 0);
  out->at[t] = warp_largest(largest{x[t % 32], t % 32}).at;
  out->block[t] = block_sum(t, shared_memory<int>());
  out->block[t] += block_max(t, shared_memory<int>());
}

static void test_reductions(void **) {
  float x[32] = {0};
  x[9] = x[20] = 3.0f; /* a tie: the first one counts */
  warp_results out;
  assert_int_equal(launch_on(NULL, warp_kernel, one_block(96, 32 * sizeof(int)), x, &out), 0);
  for (int t = 0; t < 96; ++t) {
    unsigned ballot = 0;
    for (int lane = 0; lane < 32; ++lane)
      ballot |= (unsigned)((t / 32 * 32 + lane) % 3 == 0) << lane;
    assert_int_equal(out.sum[t], 31 * 32 / 2); /* 7 and 32 are coprime */
    assert_int_equal(out.most[t], 31);
    assert_int_equal(out.least[t], 0);
    assert_int_equal(out.prefix[t], t % 32 + 1);
    assert_int_equal(out.ballot[t], ballot);
    assert_int_equal(out.at[t], 9);
    assert_int_equal(out.block[t], 95 * 96 / 2 + 95);
  }
}

/* Every block and thread once, whatever the shape. */
static __global__ void count_kernel(int64_t count, int *visits) {
  for (int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; e < count;
       e += (int64_t)gridDim.x * blockDim.x)
    ++visits[e];
}

static void test_grids(void **) {
  enum { COUNT = 1000 };
  for (unsigned blocks = 1; blocks <= 20; blocks += 6) {
    int visits[COUNT] = {0};
    assert_int_equal(
        launch_on(NULL, count_kernel, launch_shape{dim3(blocks), 64, 0}, COUNT, visits), 0);
    for (int e = 0; e < COUNT; ++e) assert_int_equal(visits[e], 1);
  }
}

/* --- Tensor cores --- */

template <int PRECISION>
static __global__ void product_kernel(const float *a, const float *b, float *c) {
  float sum[4] = {0, 0, 0, 0};
  for (int k = 0; k < 32; k += 8) {
    const auto left =
        tile_a_from<PRECISION>([&](int row, int column) { return a[row * 32 + k + column]; });
    const auto right =
        tile_b_from<PRECISION>([&](int row, int column) { return b[(k + row) * 8 + column]; });
    tile_multiply<PRECISION>(sum, left, right);
  }
  for (int e = 0; e < 4; ++e) c[tile_row(e) * 8 + tile_column(e)] = sum[e];
}

template <int PRECISION> static void check_product(double tolerance, double at_least) {
  float a[16 * 32], b[32 * 8], c[16 * 8];
  uint32_t seed = 1;
  for (float &x : a) x = (float)(seed = seed * 1664525u + 1013904223u) / 2147483648.0f - 1.0f;
  for (float &x : b) x = (float)(seed = seed * 1664525u + 1013904223u) / 2147483648.0f - 1.0f;
  assert_int_equal(launch_on(NULL, product_kernel<PRECISION>, one_block(32, 0), a, b, c), 0);
  double worst = 0.0;
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 8; ++j) {
      double exact = 0.0;
      for (int k = 0; k < 32; ++k) exact += (double)a[i * 32 + k] * (double)b[k * 8 + j];
      worst = fmax(worst, fabs((double)c[i * 8 + j] - exact));
    }
  assert_true(worst < tolerance);
  assert_true(worst > at_least); /* it did round as it says */
}

static void test_products(void **) {
  check_product<EDGEFW_PRECISION_FP32>(5e-6, 0.0);
  check_product<EDGEFW_PRECISION_TF32>(5e-3, 1e-5);
  check_product<EDGEFW_PRECISION_BF16>(4e-2, 1e-3);
}

/* --- What the emulator is to find --- */

static __global__ void copy_kernel(const float *from, float *early, float *late) {
  float *shared = shared_memory<float>();
  shared[threadIdx.x] = -1.0f;
  __syncthreads();
  if (threadIdx.x < 8) async_copy16(shared + 4 * threadIdx.x, from + 4 * threadIdx.x);
  async_commit();
  if (threadIdx.x < 8) early[threadIdx.x] = shared[4 * threadIdx.x];
  __syncthreads();
  async_wait<0>();
  __syncthreads();
  late[threadIdx.x] = shared[threadIdx.x];
}

static void test_copies_arrive_when_waited_for(void **) {
  alignas(16) float from[32];
  float early[32], late[32];
  for (int e = 0; e < 32; ++e) from[e] = (float)e;
  assert_int_equal(launch_on(NULL, copy_kernel, one_block(32, sizeof from), from, early, late), 0);
  for (int e = 0; e < 32; ++e) {
    if (e < 8) assert_true(early[e] == -1.0f);
    assert_true(late[e] == (float)e);
  }
}

static __global__ void unwritten_kernel(float *out) {
  out[threadIdx.x] = shared_memory<float>()[threadIdx.x];
}

static void test_memory_begins_as_nan(void **) {
  float out[32], *device = NULL;
  assert_int_equal(launch_on(NULL, unwritten_kernel, one_block(32, sizeof out), out), 0);
  for (int e = 0; e < 32; ++e) assert_true(out[e] != out[e]);
  assert_int_equal(cudaMalloc(&device, sizeof out), cudaSuccess);
  assert_true(device[31] != device[31]);
  assert_int_equal(cudaFree(device), cudaSuccess);
}

static void test_memory_is_limited(void **) {
  void *device = NULL;
  setenv("EDGEFW_EMULATOR_MEMORY", "1000", 1);
  assert_int_equal(cudaMalloc(&device, 1001), cudaErrorMemoryAllocation);
  assert_null(device);
  assert_int_equal(cudaMalloc(&device, 1000), cudaSuccess);
  assert_int_equal(cudaFree(device), cudaSuccess);
  unsetenv("EDGEFW_EMULATOR_MEMORY");
}

static __global__ void some_lanes_kernel(void) {
  if (threadIdx.x < 7) __syncwarp();
}

static __global__ void some_threads_kernel(void) {
  if (threadIdx.x < 32) __syncthreads();
}

static __global__ void race_kernel(int *out) {
  int *shared = shared_memory<int>();
  shared[threadIdx.x] = (int)threadIdx.x;
  out[threadIdx.x] = shared[blockDim.x - 1 - threadIdx.x]; /* a barrier is missing */
}

/* Runs `what` in a process of its own; returns the signal that ended it, 0 for none. */
static int signal_of(void (*what)(void)) {
  const pid_t child = fork();
  if (child == 0) {
    (void)freopen("/dev/null", "w", stderr);
    signal(SIGABRT, SIG_DFL); /* CMocka's handler would print */
    what();
    _exit(0);
  }
  int status = 0;
  assert_true(child > 0 && waitpid(child, &status, 0) == child);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void test_divergence_ends_the_process(void **) {
  assert_int_equal(signal_of([] { (void)launch_on(NULL, some_lanes_kernel, one_block(32, 0)); }),
                   SIGABRT);
  assert_int_equal(signal_of([] { (void)launch_on(NULL, some_threads_kernel, one_block(64, 0)); }),
                   SIGABRT);
  assert_int_equal(signal_of([] { (void)launch_on(NULL, some_lanes_kernel, one_block(33, 0)); }),
                   SIGABRT);
}

static void test_orders_show_races(void **) {
  int forward[32], reverse[32];
  setenv("EDGEFW_EMULATOR_ORDER", "forward", 1);
  assert_int_equal(launch_on(NULL, race_kernel, one_block(32, sizeof forward), forward), 0);
  setenv("EDGEFW_EMULATOR_ORDER", "reverse", 1);
  assert_int_equal(launch_on(NULL, race_kernel, one_block(32, sizeof reverse), reverse), 0);
  unsetenv("EDGEFW_EMULATOR_ORDER");
  assert_memory_not_equal(forward, reverse, sizeof forward);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_reductions),
      cmocka_unit_test(test_grids),
      cmocka_unit_test(test_products),
      cmocka_unit_test(test_copies_arrive_when_waited_for),
      cmocka_unit_test(test_memory_begins_as_nan),
      cmocka_unit_test(test_memory_is_limited),
      cmocka_unit_test(test_divergence_ends_the_process),
      cmocka_unit_test(test_orders_show_races),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
