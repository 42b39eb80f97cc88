/* test_lanes.c compiled for x86-64-v3, with compilers that can change the target within a file. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC target("arch=x86-64-v3")
#define LANES_TEST_LEVEL (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
#include "test_lanes.c"
#else
int main(void) {
  return 0;
}
#endif
