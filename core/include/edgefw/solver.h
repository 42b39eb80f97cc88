/* edgefw inside other programs: open a model once, solve instances with it, train one. What plugins
 * use is in edgefw.h; a program needs this header alone.
 *
 *   edgefw_context   where messages, log lines, memory and the number of threads hang (context.h)
 *   edgefw_model     what solves: a problem with a trained model, heuristics, or both. It is never
 *                    changed, so any number of solvers in any threads may use one at once
 *   edgefw_solver    the working memory of one thread at a time, kept warm between calls
 *   edgefw_solutions what a call came to; the caller's own, until it is destroyed
 *
 * A thread that solves has a context and a solver of its own; edgefw_set_threads on that context
 * says how many cores one call uses (1 where many threads solve side by side). Two solvers never
 * wait for each other. Nothing prints, ends the process or keeps state outside of these objects.
 *
 * Every call that can fail returns a status; edgefw_message of the context says what was wrong,
 * until the next call with that context, which forgets it first.
 *
 * Structs that cross this border begin with their size: set it to the sizeof of the struct, and all
 * other members, if they are zero, mean what is usual. Later versions of the library only add
 * members at the end, and read and write as many as the size says. */
#ifndef EDGEFW_SOLVER_H
#define EDGEFW_SOLVER_H

#include "edgefw/context.h"
#include "edgefw/version.h"

EDGEFW_BEGIN_DECLS

/* EDGEFW_VERSION of the library that is loaded, which may be newer than that of the header. */
EDGEFW_API const char *edgefw_version(void);

/* --- Models ------------------------------------------------------------------------------------
 */

typedef struct edgefw_model edgefw_model;

/* What to open. All zero but the size: the model shipped for cost matrices without demands, and
 * beside it all heuristics that fit. */
typedef struct edgefw_model_request {
  size_t size;
  const char *problem;    /* "atsp", "acvrp", "tsp", "cvrp", or that of a plugin; NULL: that of the
                             checkpoint, else the first one that fits `points` and `demands` */
  bool points;            /* without `problem`: instances are points, not cost matrices */
  bool demands;           /* without `problem`: they have demands and a capacity */
  const char *model;      /* a checkpoint's file, if it has a '/' or ends in .h5; else the name of a
                             shipped model ("atsp"), or "none": heuristics alone. NULL: the model shipped
                             for the problem; where there is none, heuristics alone */
  const char *heuristics; /* names with commas between, or "none"; NULL: all that fit */
  const char *device;     /* "cpu", "cuda", ...; NULL: "auto", the fastest one here */
  const char *precision;  /* of its products: "auto" (the default), "fp32", "tf32", "bf16" */
  const char
      *plugin_path;       /* folders, ':' between, that are searched for plugins before those of
                             $EDGEFW_PLUGIN_PATH, those beside the library, and the installation's */
  const char *model_path; /* the same for shipped models, and $EDGEFW_MODEL_PATH */
} edgefw_model_request;

/* Open a model. Files are read here and never again; where HDF5 was built without thread safety, by
 * one thread at a time. The context outlives the model and does not
 * belong to it: the log gets what there is to say of plugins and files. `request` NULL: all zero.
 * CONFIG, PLUGIN_FIND for names that are unknown; IO, FORMAT, MISMATCH for the file. */
EDGEFW_API EDGEFW_NODISCARD edgefw_status edgefw_model_open(edgefw_context *ctx,
                                                            const edgefw_model_request *request,
                                                            edgefw_model **out);

/* After all its solvers. NULL is allowed. */
EDGEFW_API void edgefw_model_destroy(edgefw_model *model);

/* What was opened. Texts live as long as the model. */
typedef struct edgefw_model_info {
  size_t size;
  const char *problem;    /* "atsp" */
  const char *path;       /* the checkpoint's file; NULL: heuristics alone */
  const char *heuristics; /* names with commas between; "" without any */
  const char *device;     /* that was chosen */
  const char *precision;  /* "fp32", ... */
  bool points;            /* instances are points (tsp, cvrp), not cost matrices (atsp, acvrp) */
  bool demands;           /* instances have demands and a capacity (acvrp, cvrp) */
  int64_t min_nodes;      /* of an instance, a depot included */
  int64_t parameters;     /* numbers that were trained; 0 without a trained model */
} edgefw_model_info;

/* Fill *out as far as out->size says. */
EDGEFW_API void edgefw_model_describe(const edgefw_model *model, edgefw_model_info *out);

/* --- Instances ---------------------------------------------------------------------------------
 */

/* The type of the caller's numbers. */
typedef enum edgefw_number {
  EDGEFW_NUMBER_F64 = 0, /* double */
  EDGEFW_NUMBER_F32 = 1, /* float */
  EDGEFW_NUMBER_I32 = 2, /* int32_t */
  EDGEFW_NUMBER_I64 = 3  /* int64_t */
} edgefw_number;

/* Instances of one size, one behind the other, in the caller's memory: read during the call alone
 * and never written. Nodes have numbers from 0; a depot is one of them. Costs are in any unit and
 * at least 0; the diagonal means nothing. A cost of +INFINITY says that there is no such way. */
typedef struct edgefw_instances {
  size_t size;
  int64_t count;      /* B, at least 1 */
  int64_t nodes;      /* n of each, at most EDGEFW_MAX_NODES (instance.h) */
  const void *costs;  /* (B,n,n), row = from, column = to; for problems of cost matrices */
  const void *points; /* (B,n,2) x and y in any unit, costs are Euclidean distances; for others */
  edgefw_number type; /* of `costs` and `points` */
  const double *demands;    /* (B,n), 0 at the depot; for problems with demands */
  const double *capacities; /* (B), of each vehicle; with `demands` */
  int64_t depot;            /* where routes begin and end, or the node that tours begin at */
} edgefw_instances;

/* --- Solving -----------------------------------------------------------------------------------
 */

typedef struct edgefw_solver edgefw_solver;
typedef struct edgefw_solutions edgefw_solutions;

/* Whose tours count. */
typedef enum edgefw_makers {
  EDGEFW_MAKERS_ALL = 0,       /* those of the trained model and of heuristics: the better ones */
  EDGEFW_MAKERS_POLICY = 1,    /* those of the trained model */
  EDGEFW_MAKERS_HEURISTICS = 2 /* those of heuristics */
} edgefw_makers;

/* How a call stands. */
typedef struct edgefw_progress {
  size_t size;
  int64_t done, count; /* instances that are finished, of that many */
  double cost;         /* of the best tour so far; a single instance only, else NaN */
  double seconds;      /* since the call began */
} edgefw_progress;

/* Told several times a second, and of each better tour of a single instance, by the thread that
 * called and during that call; it must not call the solver. False stops: the call then returns the
 * best tours found so far. */
typedef bool (*edgefw_progress_callback)(void *user, const edgefw_progress *progress);

/* How to solve; NULL, or all zero but the size: the model decodes greedily, heuristics construct,
 * both from all starts, and local search improves every tour. Seeds give the same solutions with
 * any number of threads, unless there is a time limit. */
typedef struct edgefw_solve_settings {
  size_t size;
  uint64_t seed;     /* of sampling and kicks */
  double time_limit; /* seconds of each instance, for all of it: search goes on until then, or for
                        as many kicks and rounds as are asked for; 0: none */
  edgefw_makers makers;
  bool unimproved;     /* leave out local search: tours as they were decoded or constructed */
  int64_t starts;      /* nodes that tours begin with; 0: all */
  int64_t samples;     /* tours sampled from every start; 0: greedy decoding */
  int64_t augment;     /* 8: decode the symmetries of the square, too (points); 0 and 1: do not */
  int64_t beam;        /* width of a beam search beside the rollouts; 0: none */
  int64_t reconstruct; /* rounds in which the model decodes stretches of the best tour again */
  int64_t kicks;       /* exchanges of random stretches, each improved again; 0: as many as the time
                          limit allows, without one none; -1: none, the limit is one of the rest */
  int64_t batch;       /* instances at once; 0: what suits the device */
  bool bound;          /* work out a lower bound, too: it takes time that grows with n^3, of a time
                          limit the last tenth and what else is left. Where that is not enough, or
                          memory, which the log says, there is none */
  edgefw_progress_callback progress; /* NULL: nobody is told */
  void *user;                        /* given to `progress` */
} edgefw_solve_settings;

/* Make a solver of the model. `ctx` is its own: no other solver and no other thread uses it while
 * this one does, and it outlives the solver. Model and device are ready when it returns.
 * OUT_OF_MEMORY, and what the device fails with. */
EDGEFW_API EDGEFW_NODISCARD edgefw_status edgefw_solver_create(edgefw_context *ctx,
                                                               const edgefw_model *model,
                                                               edgefw_solver **out);
EDGEFW_API void edgefw_solver_destroy(edgefw_solver *solver); /* NULL is allowed */

/* Solve the instances. *out is the caller's, to be destroyed before the solver's context, and NULL
 * where there is none.
 * INVALID_ARGUMENT: settings or sizes that make no sense; UNSUPPORTED: what the problem does not
 * take or lacks; INFEASIBLE, FORMAT: numbers that are no costs or demands, with instance and place,
 * or, with *out, instances that cannot be solved without ways that are missing: the others are.
 * INTERRUPTED: stopped before there was any tour of some instance; *out has the others. After
 * OK all instances have one, also when it was stopped or the time was over. */
EDGEFW_API EDGEFW_NODISCARD edgefw_status edgefw_solver_solve(edgefw_solver *solver,
                                                              const edgefw_instances *instances,
                                                              const edgefw_solve_settings *settings,
                                                              edgefw_solutions **out);

/* Have the call in progress, or else the next one, stop as `progress` can. From any thread and from
 * signal handlers. */
EDGEFW_API void edgefw_solver_stop(edgefw_solver *solver);

/* --- Solutions ---------------------------------------------------------------------------------
 */

/* One instance's. Texts and nodes live as long as the solutions. */
typedef struct edgefw_solution {
  size_t size;
  const int32_t *nodes; /* (count) in order of visit, numbered as in the instance. A tour begins at
                           the depot member of the instances; routes begin at the depot, have it
                           between each other, and return to it after the last node */
  int64_t count;        /* 0: there is no solution */
  double cost;          /* as an independent checker priced it; NaN without a solution */
  double bound;         /* no solution costs less; NaN: not known */
  double seconds;       /* of its batch, divided by the batch's instances */
  const char *maker; /* whose tour it was in the beginning: "policy" or a heuristic; NULL: none */
} edgefw_solution;

/* Instances, in their order. */
EDGEFW_API int64_t edgefw_solutions_count(const edgefw_solutions *solutions);

/* Fill *out with solution `index`, as far as out->size says. INVALID_ARGUMENT for an index that is
 * out of range. */
EDGEFW_API EDGEFW_NODISCARD edgefw_status edgefw_solutions_get(const edgefw_solutions *solutions,
                                                               int64_t index, edgefw_solution *out);

/* All of them at once: costs (B); nodes (B,*stride), of which each row's first count entries are
 * its solution and the others -1. They live as long as the solutions. */
EDGEFW_API const double *edgefw_solutions_costs(const edgefw_solutions *solutions);
EDGEFW_API const int32_t *edgefw_solutions_nodes(const edgefw_solutions *solutions,
                                                 int64_t *stride);

/* Was the call stopped, by somebody or by the time limit, before it had done all that was asked
 * for: first tours, numbers of kicks and rounds, the bound? A search that goes on until the limit
 * is not stopped by it. */
EDGEFW_API bool edgefw_solutions_stopped(const edgefw_solutions *solutions);

/* Seconds that the call took. */
EDGEFW_API double edgefw_solutions_seconds(const edgefw_solutions *solutions);

EDGEFW_API void edgefw_solutions_destroy(edgefw_solutions *solutions); /* NULL is allowed */

/* --- Experiments -------------------------------------------------------------------------------
 */

/* Steps of a run, to be combined. */
typedef enum edgefw_steps {
  EDGEFW_STEP_TRAIN = 1 << 0,
  EDGEFW_STEP_EVAL = 1 << 1,
  EDGEFW_STEP_DIAGNOSTICS = 1 << 2 /* as far as the configuration asks for them */
} edgefw_steps;

/* How a run stands. Texts live during the call. */
typedef struct edgefw_run_progress {
  size_t size;
  const char *variant;
  const char *what;   /* "epoch 3/10", or the name of a test set */
  double done, total; /* instances, of this training or this set */
  double rate;        /* instances per second; 0: not known yet */
  double remaining;   /* seconds until `total`; negative: not known yet */
  double cost;        /* training: mean cost of the best rollouts so far; else NaN */
} edgefw_run_progress;

/* Told after every batch, by the thread that called. False stops: the state is saved. */
typedef bool (*edgefw_run_callback)(void *user, const edgefw_run_progress *progress);

typedef struct edgefw_run_request {
  size_t size;
  const char *config;      /* a configuration's file; required */
  const char *const *sets; /* (set_count) "section.key=value", for all variants */
  int64_t set_count;
  const char *folder;           /* of the run; NULL: runs/NAME in the working directory */
  unsigned steps;               /* of EDGEFW_STEP_; 0: all */
  const char *variant;          /* only this one; NULL: all */
  bool fresh;                   /* discard what an earlier run left in the folder */
  const char *plugin_path;      /* as in edgefw_model_request */
  edgefw_run_callback progress; /* NULL: nobody is told */
  void *user;
} edgefw_run_request;

/* Train and evaluate the variants of a configuration, as `edgefw run` does: the folder has
 * everything afterwards. A run that is complete changes nothing, one that was stopped goes on, with
 * the same result. As many threads as [experiment] threads says. INTERRUPTED when it was stopped;
 * as the files and the configuration otherwise. */
EDGEFW_API EDGEFW_NODISCARD edgefw_status edgefw_experiment_run(edgefw_context *ctx,
                                                                const edgefw_run_request *request);

/* The checkpoint that a variant's training has come to, into path (room for `room` bytes): best.h5
 * where validation chose one, else that of the last epoch. `folder` is the variant's, RUN/VARIANT.
 * IO: there is none; INVALID_ARGUMENT: there is no room for it. */
EDGEFW_API EDGEFW_NODISCARD edgefw_status edgefw_experiment_checkpoint(edgefw_context *ctx,
                                                                       const char *folder,
                                                                       char *path, size_t room);

EDGEFW_END_DECLS

#endif
