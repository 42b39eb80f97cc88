/* The exponential mean of the parameters. */
#include "train/ema.h"

/* mean = parameters + b * mean; b = 0 makes an exact copy. */
static edgefw_status add(const edgefw__model *model, double b) {
  const edgefw__parameters *parameters = model->parameters;
  const edgefw__engine *engine = model->engine;
  const edgefw_weighted_sum_args args = {.count = parameters->total,
                                         .a = 1.0,
                                         .b = b,
                                         .x = parameters->values,
                                         .y = b == 0.0 ? parameters->values : parameters->ema,
                                         .out = parameters->ema};
  return engine->kernels->weighted_sum(engine->device, &args);
}

/* mean = decay * mean + (1 - decay) * parameters, as parameters - decay * (parameters - mean):
 * decay and 1 - decay, each rounded to a float, need not add up to 1, and a mean that falls short
 * by that at every step ends far below the parameters. */
static edgefw_status mix(const edgefw__model *model, double decay) {
  const edgefw_status status = add(model, -1.0);
  return status == EDGEFW_OK ? add(model, -decay) : status;
}

edgefw_status edgefw__ema_begin(edgefw__model *model) {
  if (edgefw_options_real(model->composition->train, "ema") <= 0.0) return EDGEFW_OK;
  const edgefw_status status = edgefw__parameters_keep_ema(model->parameters);
  return status == EDGEFW_OK ? add(model, 0.0) : status;
}

edgefw_status edgefw__ema_restart(const edgefw__model *model) {
  return model->parameters->ema ? add(model, 0.0) : EDGEFW_OK;
}

double edgefw__ema_decay(double ema, int64_t step) {
  const double early = (1.0 + (double)step) / (10.0 + (double)step);
  return early < ema ? early : ema;
}

edgefw_status edgefw__ema_update(const edgefw__model *model, int64_t step) {
  if (!model->parameters->ema) return EDGEFW_OK;
  const double ema = edgefw_options_real(model->composition->train, "ema");
  return mix(model, edgefw__ema_decay(ema, step));
}

edgefw_status edgefw__ema_finish(const edgefw__model *model) {
  const edgefw__parameters *parameters = model->parameters;
  const edgefw__engine *engine = model->engine;
  if (!parameters->ema) return EDGEFW_OK;
  const edgefw_weighted_sum_args args = {.count = parameters->total,
                                         .a = 1.0,
                                         .x = parameters->ema,
                                         .y = parameters->ema,
                                         .out = parameters->values};
  return engine->kernels->weighted_sum(engine->device, &args);
}
