/* The largest batch whose policy fits. */
#include "policy/batch_size.h"

#include <inttypes.h>

edgefw_status edgefw__batch_size(edgefw__model *model, const edgefw__batch_request *request,
                                 int64_t *batch) {
  const int64_t n = request->n, rollouts = request->rollouts;
  int64_t fits = 0, fails = request->most + 1; /* the answer lies in [fits, fails) */
  int64_t next = request->most;                /* mostly all of them fit: asked first */
  edgefw__memory bytes = {0};
  while (fails - fits > 1) {
    const edgefw_status status =
        edgefw__policy_bytes(model, next, n, rollouts, request->training, &bytes);
    if (status != EDGEFW_OK) return status;
    if (edgefw__memory_fits(&bytes, &request->budget))
      fits = next;
    else
      fails = next;
    next = fits + (fails - fits) / 2;
  }
  *batch = fits;
  if (fits > 0) return EDGEFW_OK;
  /* The search ended by asking for one instance: `bytes` is what that takes. */
  char available[EDGEFW__MEMORY_TEXT];
  const size_t short_of = bytes.device > request->budget.device ? bytes.device : bytes.host;
  return edgefw_fail(model->engine->ctx, EDGEFW_OUT_OF_MEMORY,
                     "%" PRId64 " nodes with %" PRId64
                     " rollouts need %zu MiB for one instance, %s are available; lower %s",
                     n, edgefw__policy_rollouts(model, n, rollouts), (short_of >> 20) + 1,
                     edgefw__memory_shortage(model->engine, &bytes, &request->budget, available),
                     request->settings);
}
