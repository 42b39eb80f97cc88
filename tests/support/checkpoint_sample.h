/* A small checkpoint that the tests of its writer, its reader and its finder share. */
#ifndef EDGEFW_TESTS_CHECKPOINT_SAMPLE_H
#define EDGEFW_TESTS_CHECKPOINT_SAMPLE_H

#include "files/checkpoint.h"

enum { SAMPLE_TENSORS = 3 };

/* Parameters "a.weight" (2,3), "encoder.layers.0.Wq.bias" (4) and "mix" (2,3,2), the last without
 * moments, all with means; two metrics; two scalars. Static storage. */
const edgefw__checkpoint_content *checkpoint_sample(void);

/* Write the sample as `epoch` finished epochs. */
edgefw_status checkpoint_sample_write(edgefw_context *ctx, const char *path, int64_t epoch);

#endif
