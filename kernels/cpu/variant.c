/* All operations, compiled once per instruction set (EDGEFW_VARIANT: v2, v3, v4 of x86-64, or
 * plain). Everything in here is static but the table. cpu_operations.h, which CMake writes,
 * includes every file of this folder that is not named here or in kernels/CMakeLists.txt. */
#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)

#include "cpu_operations.h"

/* The decode loop, in the order of use. */
#include "decode_shared.c"

#include "decode_bf16.c"

#include "decode_attention.c"

#include "decode_attention_backward.c"

#include "decode_backward.c"

#include "decode.c"

extern const edgefw_kernels JOIN(edgefw__cpu_kernels_, EDGEFW_VARIANT);
#define MEMBER(name, args) .name = name,
/* Not formatted: clang-format sees no comma at the end of a macro. */
/* clang-format off */
const edgefw_kernels JOIN(edgefw__cpu_kernels_, EDGEFW_VARIANT) = {
    .size = sizeof(edgefw_kernels),
    .dtype = EDGEFW_F32,
    .sum_squares = sum_squares,
    .product = product,
    .shortest_paths = shortest_paths,
    EDGEFW_OPERATIONS(MEMBER, MEMBER)
};
/* clang-format on */
#undef MEMBER
