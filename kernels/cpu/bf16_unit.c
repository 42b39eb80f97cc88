/* Which units for bfloat16 there are here. */
#if !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE /* syscall */
#endif
#include "bf16_unit.h"

#include <string.h>

#if defined(EDGEFW_HAVE_BF16_UNITS)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

static const char *const names[BF16_UNITS] = {"off", "plain", "avx512", "amx"};

const char *edgefw__cpu_bf16_unit_name(bf16_unit unit) {
  return names[unit];
}

bf16_unit edgefw__cpu_bf16_unit_named(const char *name) {
  bf16_unit unit = BF16_PLAIN;
  while (unit < BF16_UNITS && strcmp(name, names[unit]) != 0) ++unit;
  return unit;
}

#if defined(EDGEFW_HAVE_BF16_UNITS)
/* Linux keeps the tiles of a thread only for a process that has asked for it. */
static bool kernel_grants_tiles(void) {
  enum { REQUEST_PERMISSION = 0x1023, TILE_DATA = 18 }; /* arch_prctl(2): ARCH_REQ_XCOMP_PERM */
  return syscall(SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) == 0;
}

bool edgefw__cpu_bf16_unit_runs(bf16_unit unit) {
  enum { AMX_BF16 = 1 << 22, AMX_TILE = 1 << 24, AVX512_BF16 = 1 << 5 };
  unsigned first, second, third, amx = 0, avx512 = 0;
  __get_cpuid_count(7, 0, &first, &second, &third, &amx);
  __get_cpuid_count(7, 1, &avx512, &first, &second, &third);
  switch (unit) {
  case BF16_AMX: return (amx & AMX_BF16) && (amx & AMX_TILE) && kernel_grants_tiles();
  case BF16_AVX512: return avx512 & AVX512_BF16;
  default: return true;
  }
}
#else
bool edgefw__cpu_bf16_unit_runs(bf16_unit unit) {
  return unit == BF16_PLAIN;
}
#endif
