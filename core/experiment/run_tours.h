/* Figures of the best and the worst solution of each library set of a run. */
#ifndef EDGEFW__RUN_TOURS_H
#define EDGEFW__RUN_TOURS_H

#include "experiment/run_variant.h"

/* A library set is what a variant evaluates of the library files of one folder, and is called like
 * the folder. Of each set and variant the solutions with the least and the largest gap are drawn,
 * of those with equal gaps the first and the last, as
 * FOLDER/plots/tour-VARIANT-SET-{best,worst}.{csv,gp,svg,png}; files without a best known cost are
 * left out. Where no file of the set has one, the cost is compared with the sum of each node's
 * cheapest leaving arc, below which no solution costs. A set of one file has no worst solution. In
 * names of files a character of a folder's name other than a letter, a digit, '.', '_' or '-' is
 * '_', and no more than 48 are kept; folders that would then be called alike are numbered.
 * Solutions are those that the run keeps (report/solution_table.h). Without gnuplot a line in the
 * log says so. IO, FORMAT. */
EDGEFW_NODISCARD edgefw_status edgefw__run_tours_draw(edgefw__run *run, int variant_count);

/* Is `name` what a figure of this variant is called? For whoever clears a run directory. */
bool edgefw__run_tours_owns(const char *name, const char *variant);

#endif
