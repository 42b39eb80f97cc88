/* What all commands share. A command prints results on stdout and everything else on stderr, and
 * returns a status; main turns that into the exit status and prints the message. */
#ifndef EDGEFW__CLI_H
#define EDGEFW__CLI_H

#include <stdio.h>

#include "base/text.h"
#include "cli/arguments.h"
#include "cli/progress.h"
#include "policy/model.h"

/* Exit statuses. */
enum {
  EDGEFW__EXIT_DONE = 0,
  EDGEFW__EXIT_FAILED = 1,       /* at run time */
  EDGEFW__EXIT_USAGE = 2,        /* arguments or configuration */
  EDGEFW__EXIT_INTERRUPTED = 130 /* the work done so far is saved */
};

typedef struct edgefw__command edgefw__command;

typedef struct edgefw__cli {
  edgefw_context *ctx;
  edgefw_arena *arena; /* growable; lives as long as the program */
  edgefw__live live;
  edgefw__registry *registry; /* NULL until edgefw__cli_open */
  edgefw__group *group;       /* ranks of one run; NULL: this process alone */
  const edgefw__command *command;
  const edgefw__command *const *commands; /* all, ended by NULL */
  bool resumable;                         /* interrupted, and the same command would go on */
  int argc; /* as main got them: for messages that repeat the command */
  char *const *argv;
} edgefw__cli;

struct edgefw__command {
  const char *name;    /* "run", "data generate" */
  const char *summary; /* one line */
  const char *usage;   /* what follows the name */
  const char *details; /* more for `help`, lines; may be "" */
  bool shares;         /* several ranks may do it together */
  const edgefw__argument *options;
  edgefw_status (*run)(edgefw__cli *cli, const edgefw__arguments *arguments);
};

extern const edgefw__command edgefw__command_run;
extern const edgefw__command edgefw__command_solve;
extern const edgefw__command edgefw__command_serve;
extern const edgefw__command edgefw__command_eval;
extern const edgefw__command edgefw__command_check;
extern const edgefw__command edgefw__command_plot_tour;
extern const edgefw__command edgefw__command_report;
extern const edgefw__command edgefw__command_report_merge;
extern const edgefw__command edgefw__command_bench;
extern const edgefw__command edgefw__command_data_generate;
extern const edgefw__command edgefw__command_data_import;
extern const edgefw__command edgefw__command_data_info;
extern const edgefw__command edgefw__command_data_reference;
extern const edgefw__command edgefw__command_data_label;
extern const edgefw__command edgefw__command_plugins_list;
extern const edgefw__command edgefw__command_plugins_info;
extern const edgefw__command edgefw__command_plugins_check;
extern const edgefw__command edgefw__command_plugins_matrix;
extern const edgefw__command edgefw__command_model_info;
extern const edgefw__command edgefw__command_model_import;
extern const edgefw__command edgefw__command_model_export;
extern const edgefw__command edgefw__command_help;
extern const edgefw__command edgefw__command_version;

/* Options that every command has. */
extern const edgefw__argument edgefw__cli_global[];

/* Run the program and return its exit status. */
int edgefw__cli_main(const edgefw__command *const *commands, int argc, char *const *argv);

/* The command called argv[0] (or argv[0] argv[1]); *used words name it. "plugins" alone is its
 * list. NULL: none (recorded, with the nearest name). */
const edgefw__command *edgefw__cli_find(edgefw__cli *cli, const char *const *words, int count,
                                        int *used);

/* The folders of an option that may be repeated, as a list separated by ':'; NULL: it was not
 * given. OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__cli_folders(edgefw__cli *cli,
                                                   const edgefw__arguments *arguments,
                                                   const char *name, const char **out);

/* Find the plugins: cli->registry is there afterwards. */
EDGEFW_NODISCARD edgefw_status edgefw__cli_open(edgefw__cli *cli,
                                                const edgefw__arguments *arguments);

/* A failure of the user's input: what was recorded counts as a usage error, whatever its code
 * (except out of memory). Returns the status to return. */
edgefw_status edgefw__cli_blame_input(edgefw__cli *cli, edgefw_status status);

/* Print a finished text on stdout and release it. IO, or what had failed while it was written. */
EDGEFW_NODISCARD edgefw_status edgefw__cli_print(edgefw__cli *cli, edgefw__text *text);

#endif
