/* Which names in a run directory are a run's own. Nothing else there is ever read, written or
 * removed, and no symbolic link among them is followed. */
#ifndef EDGEFW__RUN_FILES_H
#define EDGEFW__RUN_FILES_H

#include "config/ini.h"

/* Folders of a run directory, by what they hold. */
typedef enum edgefw__run_part {
  EDGEFW__RUN_TOP,    /* the run directory itself */
  EDGEFW__RUN_PLOTS,  /* plots/ */
  EDGEFW__RUN_TABLES, /* results/: those of its variants */
  EDGEFW__RUN_VARIANT /* VARIANT/: checkpoints and metrics */
} edgefw__run_part;

/* Names of variants; {0}: none. */
typedef struct edgefw__run_names {
  const char *const *items;
  size_t count;
} edgefw__run_names;

/* Does a run of these variants write a file of this name there? Temporary ones of such names count,
 * too. */
bool edgefw__run_file_is_own(edgefw__run_part part, const char *name, edgefw__run_names variants);

/* Is it a temporary one, which a killed process has left? */
bool edgefw__run_file_is_temporary(edgefw__run_part part, const char *name,
                                   edgefw__run_names variants);

/* What to do with the files of a run. */
typedef enum edgefw__run_action {
  EDGEFW__RUN_CHECK, /* CONFIG if one of them, or its folder, is a symbolic link */
  EDGEFW__RUN_TIDY,  /* remove temporary ones */
  EDGEFW__RUN_CLEAR  /* remove all but config.ini and the lock; folders that are empty then go, too
                      */
} edgefw__run_action;

/* Do it to the files in `folder`, its plots, its tables, and the folders of the variants. What
 * is missing is passed over. IO. */
EDGEFW_NODISCARD edgefw_status edgefw__run_files_apply(edgefw_context *ctx,
                                                       edgefw__run_action action,
                                                       const char *folder,
                                                       const char *const *variants, size_t count);

#endif
