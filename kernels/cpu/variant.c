/* All operations, compiled once per instruction set (EDGEFW_VARIANT: v2, v3, v4 of x86-64, or
 * plain). Everything in here is static but the table. */
#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)

/* The order matters only where a file uses what another defines. */
#include "adam.c"
#include "add_norm.c"
#include "assignment.c"
#include "attention.c"
#include "copy.c"
#include "linear.c"
#include "ranks.c"
#include "shortest_paths.c"
#include "svd.c"
#include "tables.c"

#include "sinkhorn.c"

#include "mixed_attention.c"

#include "path_remaining_min.c"

#include "paths.c"

#include "rollouts.c"

#include "near.c"

#include "local_attention.c"

#include "local_attention_backward.c"

#include "decode_shared.c"

#include "decode_backward.c"

#include "decode.c"

extern const edgefw_kernels JOIN(edgefw__cpu_kernels_, EDGEFW_VARIANT);
const edgefw_kernels JOIN(edgefw__cpu_kernels_, EDGEFW_VARIANT) = {
    .size = sizeof(edgefw_kernels),
    .dtype = EDGEFW_F32,
    .linear_forward = linear_forward,
    .linear_backward = linear_backward,
    .add_norm_forward = add_norm_forward,
    .add_norm_backward = add_norm_backward,
    .mixed_attention_saved = mixed_attention_saved,
    .mixed_attention_forward = mixed_attention_forward,
    .mixed_attention_backward = mixed_attention_backward,
    .zscore = zscore,
    .transpose = transpose,
    .row_min = row_min,
    .column_min = column_min,
    .svd_features = svd_features,
    .decode = decode,
    .decode_scratch = decode_scratch,
    .adam = adam,
    .sum_squares = sum_squares,
    .shortest_paths = shortest_paths,
    .product = product,
    .attention_saved = attention_saved,
    .attention_forward = attention_forward,
    .attention_backward = attention_backward,
    .copy = copy,
    .row_rank = row_rank,
    .column_rank = column_rank,
    .assignment = assignment,
};
