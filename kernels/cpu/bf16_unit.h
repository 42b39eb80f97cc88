/* What multiplies bfloat16 on this processor: AMX (TDPBF16PS on tiles), AVX512-BF16 (VDPBF16PS on
 * registers), or float arithmetic, which every processor has. */
#ifndef EDGEFW__CPU_BF16_UNIT_H
#define EDGEFW__CPU_BF16_UNIT_H

#include <stdbool.h>

/* What follows AVX-512 into newer processors is there where the compiler knows it. */
#if defined(__x86_64__) && defined(__linux__)
#if defined(__clang__) ? __clang_major__ >= 12 : __GNUC__ >= 11
#define EDGEFW_HAVE_BF16_UNITS 1
#endif
#endif

typedef enum bf16_unit {
  BF16_OFF = 0, /* factors stay float */
  BF16_PLAIN,
  BF16_AVX512,
  BF16_AMX,
  BF16_UNITS
} bf16_unit;

/* "plain", "avx512", "amx"; static. */
const char *edgefw__cpu_bf16_unit_name(bf16_unit unit);

/* The unit of that name, or BF16_UNITS: none has it. */
bf16_unit edgefw__cpu_bf16_unit_named(const char *name);

/* Has this build code for the unit and this processor the unit, and may the process use it? The
 * first question about AMX asks the kernel for leave. */
bool edgefw__cpu_bf16_unit_runs(bf16_unit unit);

#endif
