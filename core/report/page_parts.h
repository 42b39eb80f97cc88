/* The parts of a run's page. Each appends a section to the page, or nothing when there is nothing
 * to show. */
#ifndef EDGEFW__PAGE_PARTS_H
#define EDGEFW__PAGE_PARTS_H

#include "report/html.h"
#include "report/run_record.h"

/* What the parts share. */
typedef struct edgefw__page {
  edgefw_context *ctx;
  edgefw_arena *arena;
  const edgefw__run_record *record;
  edgefw__text *html;
  edgefw__text links; /* list of the sections that are there */
} edgefw__page;

/* Begin a section with its heading, and name it among the links; ended by "</section>". */
void edgefw__page_section(edgefw__page *page, const char *id, const char *heading);

/* A part of the page that is shown when it is asked for; ended by "</details>". */
void edgefw__page_details(edgefw__page *page, const char *summary);

/* Everything before the sections, and everything behind them (page_frame.c). `title` is that of the
 * page, and `lead` a line below it; the links are of all sections. */
void edgefw__page_head(const char *title, const char *lead, const edgefw__text *links,
                       edgefw__text *html);
void edgefw__page_foot(edgefw__text *html);

/* Experiment, problem, variants and machine (page_facts.c). */
EDGEFW_NODISCARD edgefw_status edgefw__page_variants(edgefw__page *page);
EDGEFW_NODISCARD edgefw_status edgefw__page_machine(edgefw__page *page);

/* Configuration, and how to run it again (page_facts.c). */
EDGEFW_NODISCARD edgefw_status edgefw__page_configuration(edgefw__page *page);

/* Tables of results and of diagnostics, and the summary of training (page_tables.c). */
EDGEFW_NODISCARD edgefw_status edgefw__page_results(edgefw__page *page);
EDGEFW_NODISCARD edgefw_status edgefw__page_training(edgefw__page *page);
EDGEFW_NODISCARD edgefw_status edgefw__page_diagnostics(edgefw__page *page);

/* Every drawing in plots/ (page_figures.c). */
EDGEFW_NODISCARD edgefw_status edgefw__page_figures(edgefw__page *page);

/* Instance by instance, the variants side by side (page_instances.c). */
EDGEFW_NODISCARD edgefw_status edgefw__page_instances(edgefw__page *page);

#endif
