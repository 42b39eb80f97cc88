/* The diagnostics of a run: after a variant's evaluation, size by size. */
#ifndef EDGEFW__RUN_DIAGNOSTICS_H
#define EDGEFW__RUN_DIAGNOSTICS_H

#include "experiment/run_variant.h"
#include "report/diagnostic_table.h"

/* Examine a trained model on all sizes that the configuration asks for, but those of which
 * run->diagnostics has rows of this model and these keys; each size that is done is added to the
 * rows on disk. */
EDGEFW_NODISCARD edgefw_status edgefw__run_diagnose(edgefw__run *run,
                                                    const edgefw__run_variant *variant,
                                                    edgefw__model *model);

/* What tables and figures show of them. */
EDGEFW_NODISCARD edgefw_status edgefw__run_diagnostic_report(const edgefw__run *run,
                                                             const edgefw__report *report,
                                                             edgefw__diagnostic_report *out);

#endif
