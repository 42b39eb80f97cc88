/* A small checkpoint for tests. */
#include "support/checkpoint_sample.h"

static const float weight[6] = {1.0f, -2.0f, 0.1f, 1e-38f, -0.0f, 3e38f};
static const float weight_m[6] = {1, 2, 3, 4, 5, 6}, weight_v[6] = {6, 5, 4, 3, 2, 1};
static const float bias[4] = {0.5f, 0.25f, 0.125f, 0.0625f};
static const float bias_m[4] = {-1, -2, -3, -4}, bias_v[4] = {9, 8, 7, 6};
static const float weight_ema[6] = {1.5f, -2.5f, 0.2f, 0, 0, 2e38f};
static const float bias_ema[4] = {0.75f, 0.5f, 0.25f, 0.125f};
static const float mix_ema[12] = {11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0};
static const float mix[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};

/* In the order of their names, which is that of the reader. */
static const edgefw__checkpoint_tensor tensors[SAMPLE_TENSORS] = {
    {"a.weight", 2, {2, 3}, weight, weight_m, weight_v, weight_ema},
    {"encoder.layers.0.Wq.bias", 1, {4}, bias, bias_m, bias_v, bias_ema},
    {"mix", 3, {2, 3, 2}, mix, NULL, NULL, mix_ema},
};

static const double loss[3] = {1.5, 1.0 / 3.0, -2e300}, score[3] = {3, 2, 1};

static const edgefw__checkpoint_series series[2] = {{"loss", loss, 3}, {"score", score, 3}};

static const edgefw__checkpoint_scalar scalars[2] = {{"loss_sum", 0.1}, {"score_sum", 1e17 + 16}};

static const edgefw__checkpoint_content sample = {
    .meta = {.problem = "routes",
             .backbone = "net",
             .terms = "near, far",
             .plugins = "net 1.0\nroutes 0.2\n",
             .config = "[experiment]\nname = t\xc3\xa9st\n",
             .epoch = 3,
             .step = 471,
             .instances = UINT64_C(0x8000000000000001),
             .init_digest = UINT64_C(0xf000000000000007),
             .data_digest = UINT64_C(0xe000000000000005)},
    .tensors = tensors,
    .tensor_count = SAMPLE_TENSORS,
    .series = series,
    .series_count = 2,
    .scalars = scalars,
    .scalar_count = 2,
};

const edgefw__checkpoint_content *checkpoint_sample(void) {
  return &sample;
}

edgefw_status checkpoint_sample_write(edgefw_context *ctx, const char *path, int64_t epoch) {
  edgefw__checkpoint_content content = sample;
  content.meta.epoch = epoch;
  return edgefw__checkpoint_write(ctx, path, &content);
}
