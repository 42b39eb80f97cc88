/* test_bf16.c compiled for x86-64-v4, with compilers that can change the target within a file. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC target("arch=x86-64-v4")
#define BF16_TEST_LEVEL                                                                            \
  (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&                      \
   __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
#include "test_bf16.c"
#else
int main(void) {
  return 0;
}
#endif
