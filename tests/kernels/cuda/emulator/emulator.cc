/* Fibers, barriers, collectives and memory of the emulated device; see emulator.h. x86-64 only. */
#include "emulator.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <random>
#include <string>
#include <vector>

/* EMULATOR_ASAN: the kernels are watched by AddressSanitizer; this file itself is not. */
#ifdef EMULATOR_ASAN
#include <sanitizer/common_interface_defs.h>
#endif

/* Saves the callee's registers on the current stack, whose pointer goes to *save, and continues on
 * the other one. */
extern "C" void edgefw_emulator_switch(void **save, void *other);
asm(R"(
.text
.globl edgefw_emulator_switch
.hidden edgefw_emulator_switch
.type edgefw_emulator_switch, @function
edgefw_emulator_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size edgefw_emulator_switch, .-edgefw_emulator_switch
)");

namespace emulator {
namespace {

constexpr size_t STACK_BYTES = 256 * 1024;
constexpr unsigned LANES = 32;

enum class state { ready, at_warp, at_block, done };

struct pending_copy {
  void *to;
  const void *from;
  size_t bytes;
  int group;
};

struct fiber {
  void *stack_pointer;
  unsigned char *stack;
  void *fake_stack; /* AddressSanitizer's */
  state where;
  unsigned turn; /* collectives so far: which half of the warp's slots */
  position at;
  int group;                        /* copy groups committed */
  std::vector<pending_copy> copies; /* not arrived yet */
};

struct slots {
  alignas(64) unsigned char given[2][LANES][64];
};

struct machine {
  std::vector<fiber> fibers; /* of the largest block so far */
  std::vector<slots> warps;
  unsigned char *shared = nullptr;
  fiber *running = nullptr;
  void *scheduler = nullptr; /* its stack pointer */
  void *scheduler_fake = nullptr;
  const void *scheduler_stack = nullptr;
  size_t scheduler_bytes = 0;
  const std::function<void()> *kernel = nullptr;
  ~machine() {
    for (fiber &f : fibers) munmap(f.stack, STACK_BYTES);
  }
};

/* The calling thread's, or NULL before its first use. Nearly every statement of a kernel looks
 * here, and a look-up by __tls_get_addr, which sanitizers intercept, would cost more than the
 * statement. */
thread_local machine *mine __attribute__((tls_model("initial-exec"))) = nullptr;

machine &first_self(void) {
  static thread_local machine made;
  mine = &made;
  return made;
}

machine &self(void) {
  return mine ? *mine : first_self();
}

[[noreturn]] void fatal(const char *what) {
  const machine &m = self();
  const dim3 block = m.running ? m.running->at.block : dim3(0, 0, 0);
  fprintf(stderr, "CUDA emulator: %s (block %u, %u)\n", what, block.x, block.y);
  abort();
}

/* Back to the scheduler; returns when the fiber runs again. */
void yield(state where) {
  machine &m = self();
  fiber *f = m.running;
  f->where = where;
#ifdef EMULATOR_ASAN
  __sanitizer_start_switch_fiber(where == state::done ? nullptr : &f->fake_stack, m.scheduler_stack,
                                 m.scheduler_bytes);
#endif
  edgefw_emulator_switch(&f->stack_pointer, m.scheduler);
#ifdef EMULATOR_ASAN
  __sanitizer_finish_switch_fiber(f->fake_stack, &m.scheduler_stack, &m.scheduler_bytes);
#endif
}

void fiber_main(void) {
  machine &m = self();
#ifdef EMULATOR_ASAN
  __sanitizer_finish_switch_fiber(nullptr, &m.scheduler_stack, &m.scheduler_bytes);
#endif
  (*m.kernel)();
  yield(state::done);
}

void resume(fiber *f) {
  machine &m = self();
  m.running = f;
#ifdef EMULATOR_ASAN
  __sanitizer_start_switch_fiber(&m.scheduler_fake, f->stack, STACK_BYTES);
#endif
  edgefw_emulator_switch(&m.scheduler, f->stack_pointer);
#ifdef EMULATOR_ASAN
  __sanitizer_finish_switch_fiber(m.scheduler_fake, nullptr, nullptr);
#endif
}

/* At the start of fiber_main, with the alignment that a call would leave. */
void prepare(fiber *f) {
  void **top = (void **)(f->stack + STACK_BYTES);
  *--top = nullptr;
  *--top = (void *)fiber_main;
  for (int saved = 0; saved < 6; ++saved) *--top = nullptr;
  f->stack_pointer = top;
  f->fake_stack = nullptr;
  f->where = state::ready;
  f->turn = 0;
  f->group = 0;
  f->copies.clear();
}

/* Runs a warp until its lanes are at the block's barrier or done. */
void run_warp(fiber *lanes, const unsigned *order) {
  for (;;) {
    for (unsigned l = 0; l < LANES; ++l)
      if (lanes[order[l]].where == state::ready) resume(&lanes[order[l]]);
    unsigned waiting = 0;
    for (unsigned l = 0; l < LANES; ++l) waiting += lanes[l].where == state::at_warp;
    if (waiting == 0) return;
    if (waiting < LANES) fatal("a warp's collective or __syncwarp misses some of its lanes");
    for (unsigned l = 0; l < LANES; ++l) lanes[l].where = state::ready;
  }
}

/* In which order warps, and the lanes of each, take their turns. */
std::vector<unsigned> turns(unsigned count, unsigned salt) {
  std::vector<unsigned> order(count);
  std::iota(order.begin(), order.end(), 0u);
  const char *wanted = getenv("EDGEFW_EMULATOR_ORDER");
  if (wanted && strcmp(wanted, "reverse") == 0) std::reverse(order.begin(), order.end());
  if (wanted && strcmp(wanted, "shuffle") == 0)
    std::shuffle(order.begin(), order.end(), std::mt19937(salt + 1));
  return order;
}

void run_block(unsigned threads, dim3 block, dim3 grid) {
  machine &m = self();
  const unsigned warps = threads / LANES;
  const std::vector<unsigned> warp_order = turns(warps, block.x),
                              lane_order = turns(LANES, block.x);
  for (unsigned t = 0; t < threads; ++t) {
    m.fibers[t].at = position{dim3(t, 0, 0), block, dim3(threads), grid};
    prepare(&m.fibers[t]);
  }
  for (;;) {
    for (unsigned w = 0; w < warps; ++w)
      run_warp(&m.fibers[LANES * warp_order[w]], lane_order.data());
    unsigned at_barrier = 0, done = 0;
    for (unsigned t = 0; t < threads; ++t) {
      at_barrier += m.fibers[t].where == state::at_block;
      done += m.fibers[t].where == state::done;
    }
    if (done == threads) return;
    if (at_barrier < threads) fatal("__syncthreads is not reached by every thread of the block");
    for (unsigned t = 0; t < threads; ++t) m.fibers[t].where = state::ready;
  }
}

} // namespace

const position &here(void) {
  return self().running->at;
}

unsigned char *shared_memory(void) {
  return self().shared;
}

void synchronize_block(void) {
  yield(state::at_block);
}

void synchronize_warp(void) {
  yield(state::at_warp);
}

const unsigned char *gather(const void *given, size_t bytes) {
  machine &m = self();
  fiber *f = m.running;
  const unsigned thread = f->at.thread.x, half = f->turn++ % 2;
  slots *warp = &m.warps[thread / LANES];
  unsigned char *to = warp->given[half][thread % LANES];
  if (bytes == 4) { /* most are: without a call that a sanitizer intercepts */
    memcpy(to, given, 4);
  } else {
    memcpy(to, given, bytes);
  }
  yield(state::at_warp);
  return &warp->given[half][0][0];
}

void async_copy(void *shared, const void *global, size_t bytes) {
  if ((uintptr_t)shared % bytes != 0 || (uintptr_t)global % bytes != 0)
    fatal("an asynchronous copy is not aligned");
  fiber *f = self().running;
  f->copies.push_back(pending_copy{shared, global, bytes, f->group});
}

void async_commit(void) {
  ++self().running->group;
}

void async_wait(int groups) {
  fiber *f = self().running;
  std::vector<pending_copy> later;
  for (const pending_copy &copy : f->copies) {
    if (copy.group < f->group - groups) {
      memcpy(copy.to, copy.from, copy.bytes);
    } else {
      later.push_back(copy);
    }
  }
  f->copies = later;
}

void launch(dim3 grid, unsigned threads, size_t shared, const std::function<void()> &kernel) {
  machine &m = self();
  if (threads == 0 || threads % LANES != 0 || threads > 1024)
    fatal("a block needs whole warps, at most 1024 threads");
  if (grid.x == 0 || grid.y == 0 || grid.y > 65535 || grid.z == 0 || grid.z > 65535)
    fatal("a grid is empty or too large");
  if (shared > 227 * 1024) fatal("a block asks for more than 227 KB of shared memory");
  while (m.fibers.size() < threads) {
    fiber f{};
    f.stack = (unsigned char *)mmap(nullptr, STACK_BYTES, PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (f.stack == MAP_FAILED) fatal("no memory for a stack");
    m.fibers.push_back(f);
  }
  if (m.warps.size() < threads / LANES) m.warps.resize(threads / LANES);
  m.kernel = &kernel;
  const size_t room = (shared + 15) / 16 * 16;
  for (unsigned z = 0; z < grid.z; ++z)
    for (unsigned y = 0; y < grid.y; ++y)
      for (unsigned x = 0; x < grid.x; ++x) {
        m.shared = (unsigned char *)aligned_alloc(16, room ? room : 16);
        if (!m.shared) fatal("no memory for a block");
        memset(m.shared, 0xff, room);
        run_block(threads, dim3(x, y, z), grid);
        free(m.shared);
      }
  m.running = nullptr;
}

} // namespace emulator

/* --- Memory: each block begins with its size, on a line of its own --- */

namespace {

constexpr size_t HEADER = 256;
std::atomic<size_t> used{0};

size_t memory_limit(void) {
  const char *text = getenv("EDGEFW_EMULATOR_MEMORY");
  return text ? strtoull(text, nullptr, 10) : (size_t)8 << 30;
}

/* Does EDGEFW_EMULATOR_ALLOCATIONS let one more allocation succeed? */
bool one_more_allocation(void) {
  static thread_local std::string counted;
  static thread_local unsigned long long left;
  const char *text = getenv("EDGEFW_EMULATOR_ALLOCATIONS");
  if (!text) {
    counted.clear();
    return true;
  }
  if (counted != text) left = strtoull((counted = text).c_str(), nullptr, 10);
  return left > 0 && left-- > 0;
}

} // namespace

cudaError_t emulated_malloc(void **out, size_t bytes) {
  *out = nullptr;
  if (!one_more_allocation()) return cudaErrorMemoryAllocation;
  if (used + bytes > memory_limit() || used + bytes < used) return cudaErrorMemoryAllocation;
  unsigned char *block = nullptr;
  if (posix_memalign((void **)&block, HEADER, HEADER + bytes) != 0)
    return cudaErrorMemoryAllocation;
  memcpy(block, &bytes, sizeof bytes);
  memset(block + HEADER, 0xff, bytes);
  used += bytes;
  *out = block + HEADER;
  return cudaSuccess;
}

cudaError_t cudaFree(void *memory) {
  if (!memory) return cudaSuccess;
  unsigned char *block = (unsigned char *)memory - HEADER;
  size_t bytes;
  memcpy(&bytes, block, sizeof bytes);
  used -= bytes;
  free(block);
  return cudaSuccess;
}

cudaError_t cudaMallocHost(void **out, size_t bytes) {
  *out = malloc(bytes ? bytes : 1);
  return *out ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaFreeHost(void *memory) {
  free(memory);
  return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total) {
  *total = memory_limit();
  *free_bytes = *total - used;
  return cudaSuccess;
}

/* One line "up BYTES" or "down BYTES" for each copy between host and GPU, into the file that
 * EDGEFW_EMULATOR_COPIES names. */
static void note_copy(size_t bytes, cudaMemcpyKind kind) {
  const char *path = getenv("EDGEFW_EMULATOR_COPIES");
  if (!path || kind == cudaMemcpyDeviceToDevice) return;
  FILE *file = fopen(path, "a");
  if (!file) return;
  fprintf(file, "%s %zu\n", kind == cudaMemcpyHostToDevice ? "up" : "down", bytes);
  (void)fclose(file);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t) {
  if (bytes > 0 && (!to || !from)) return cudaErrorInvalidValue;
  if (bytes > 0) memmove(to, from, bytes);
  note_copy(bytes, kind);
  return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void *memory, int value, size_t bytes, cudaStream_t) {
  if (bytes > 0 && !memory) return cudaErrorInvalidValue;
  if (bytes > 0) memset(memory, value, bytes);
  return cudaSuccess;
}

const char *cudaGetErrorString(cudaError_t error) {
  switch (error) {
  case cudaErrorMemoryAllocation: return "out of memory";
  case cudaErrorInvalidValue: return "invalid argument";
  default: return "no error";
  }
}

/* --- Tensor cores --- */

/* What a lane gives: its words of A, of which bf16 has two, and from the fifth on those of B. */
struct mma_operands {
  uint32_t words[6];
};

/* The eight numbers of a row of A, or of a column of B, which the four lanes of a group hold: each
 * the two halves of its word `first` (bf16), or that word and the one `apart` words behind it. */
static void mma_entries(const unsigned char *all, int group, int first, int apart, bool bf16,
                        double out[8]) {
  for (int t = 0; t < 4; ++t) {
    const mma_operands *held = (const mma_operands *)(all + 64 * (4 * group + t));
    const uint32_t word = held->words[first];
    if (bf16) {
      out[2 * t] = (double)__uint_as_float(word << 16);
      out[2 * t + 1] = (double)__uint_as_float(word & 0xffff0000u);
    } else {
      out[t] = (double)__uint_as_float(word & ~0x1fffu);
      out[t + 4] = (double)__uint_as_float(held->words[first + apart] & ~0x1fffu);
    }
  }
}

static float toward_zero(double x) {
  const float nearest = (float)x;
  return fabs((double)nearest) > fabs(x) ? __uint_as_float(__float_as_uint(nearest) - 1u) : nearest;
}

static void multiply_tiles(float c[4], const uint32_t *a, const uint32_t *b, bool bf16) {
  const mma_operands mine = {{a[0], a[1], bf16 ? 0 : a[2], bf16 ? 0 : a[3], b[0], bf16 ? 0 : b[1]}};
  const unsigned char *all = emulator::gather(&mine, sizeof mine);
  const int lane = (int)(threadIdx.x % 32u);
  double rows[2][8], columns[2][8];
  for (int part = 0; part < 2; ++part) {
    mma_entries(all, lane / 4, part, 2, bf16, rows[part]);
    mma_entries(all, 2 * (lane % 4) + part, 4, 1, bf16, columns[part]);
  }
  for (int e = 0; e < 4; ++e) {
    double sum = (double)c[e];
    for (int k = 0; k < 8; ++k) sum += rows[e / 2][k] * columns[e % 2][k];
    c[e] = toward_zero(sum);
  }
}

void mma_tf32(float c[4], const uint32_t a[4], const uint32_t b[2]) {
  multiply_tiles(c, a, b, false);
}

void mma_bf16(float c[4], const uint32_t a[2], const uint32_t b[1]) {
  multiply_tiles(c, a, b, true);
}
