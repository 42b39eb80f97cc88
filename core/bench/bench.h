/* `edgefw bench`: how fast this machine runs a composition, beside the fastest matrix product that
 * it is capable of. Measured are single operations, evaluation and training; the result is a list
 * of groups of rows that bench_table.h and bench_json.h write. */
#ifndef EDGEFW__BENCH_H
#define EDGEFW__BENCH_H

#include "bench/timing.h"
#include "policy/model.h"

#define EDGEFW__BENCH_MAX_SIZES 32

/* Sections; bits of edgefw__bench_settings.sections. */
enum { EDGEFW__BENCH_OPS = 1, EDGEFW__BENCH_EVAL = 2, EDGEFW__BENCH_TRAIN = 4 };

/* What to measure. NULL and 0 stand for what is said. */
typedef struct edgefw__bench_settings {
  const char *problem;     /* the first one */
  const char *backbone;    /* the first one that fits */
  const char *terms;       /* separated by commas, or "none"; NULL: all that fit */
  const char *const *sets; /* "section.key=value" */
  int set_count;
  int64_t width;         /* backbone's default */
  const char *device;    /* that of the configuration: auto */
  const char *precision; /* the same */
  uint32_t sections;     /* all */
  int64_t sizes[EDGEFW__BENCH_MAX_SIZES];
  int size_count;       /* 0: 20 to 1000, training 20 and 100, operations 100 */
  int64_t batch;        /* 0: by size, see edgefw__bench_batch */
  edgefw__group *group; /* ranks that share a training, of which each calls edgefw__bench; sections
                           are TRAIN then. NULL: this process alone */
  int repeat;           /* 0: as often as a time limit for each measurement allows */
} edgefw__bench_settings;

/* One thing that was measured. Work and times are of one sample: `instances` instances, and for an
 * operation one of its `calls` per step. */
typedef struct edgefw__bench_row {
  const char *name;    /* "decode", "linear 256->256" */
  const char *pass;    /* operations: "forward", "backward", ...; else "" */
  const char *terms;   /* evaluation: "a+b", "none"; else "" */
  const char *changed; /* evaluation: a term's key that is not as configured: "a.mode=x"; else "" */
  int calls;
  int64_t instances;
  edgefw__timing timing;
  double flops, bytes; /* 0: not counted */
  bool is_integer;     /* its operations are no floating-point ones: not compared with the peak */
  double ratio;        /* evaluation: to the decode loop without terms; training: share of the step;
                          0: does not apply */
} edgefw__bench_row;

/* What was measured on instances of one size. */
typedef struct edgefw__bench_group {
  uint32_t section; /* one of the bits */
  int64_t n, batch, rollouts;
  edgefw__bench_row *rows;
  int row_count, row_capacity;
  double peak;   /* the product, the better of just before and just after it; 0: there is none */
  size_t memory; /* most bytes in use by this process during it; see high_water.h */
  double sent;   /* bytes that rank 0 of several sends in a step; 0: it is alone */
  size_t
      device_memory; /* bytes in use on a device with memory of its own, by all; 0: it has none */
} edgefw__bench_group;

typedef struct edgefw__bench_report {
  edgefw_arena *arena; /* everything lives here */
  const char *device, *precision, *description, *problem, *backbone, *terms;
  const char *config; /* the composition, resolved */
  int threads;
  int ranks; /* processes */
  int64_t width, heads, parameters;
  int node_count;               /* of the graph, inputs included */
  double peak_first, peak_last; /* operations per second of the product, before and after all */
  edgefw__bench_group *groups;
  int group_count;
} edgefw__bench_report;

/* Measure. What is being measured is logged (EDGEFW_LOG_INFO). CONFIG for settings that cannot be,
 * OUT_OF_MEMORY if a size does not fit; INTERRUPTED. */
EDGEFW_NODISCARD edgefw_status edgefw__bench(edgefw_context *ctx, const edgefw__registry *registry,
                                             const edgefw__bench_settings *settings,
                                             edgefw__bench_report **out);
void edgefw__bench_report_destroy(edgefw__bench_report *report); /* NULL is allowed */

/* Name of a section: "ops", "eval", "train"; NULL for 0 and other numbers. Static. */
const char *edgefw__bench_section_name(uint32_t section);

/* The largest of all peaks: of the product before, between and after the groups; 0 for a device
 * without a product. */
double edgefw__bench_peak(const edgefw__bench_report *report);

/* What follows from a row's median; 0 where it does not apply. */
typedef struct edgefw__bench_rates {
  double seconds;             /* median of a sample */
  double per_instance;        /* seconds */
  double instances;           /* per second */
  double instances_per_gflop; /* instances per second for each GF/s of the peak */
  double flops;               /* per second */
  double peak_share;
  double bytes; /* per second */
} edgefw__bench_rates;
edgefw__bench_rates edgefw__bench_rates_of(const edgefw__bench_report *report,
                                           const edgefw__bench_row *row);

#endif
