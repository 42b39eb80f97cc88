/* The page of a run, section by section. */
#include "report/page.h"

#include <ctype.h>
#include <string.h>

#include "base/atomic_file.h"
#include "report/page_parts.h"

void edgefw__page_section(edgefw__page *page, const char *id, const char *heading) {
  edgefw__text_add(&page->links, "<a href=\"#%s\">", id);
  edgefw__html_add(&page->links, heading);
  edgefw__text_add(&page->links, "</a>\n");
  edgefw__text_add(page->html, "<section id=\"%s\">\n", id);
  edgefw__html_element(page->html, "h2", heading);
  edgefw__text_add(page->html, "\n");
}

void edgefw__page_details(edgefw__page *page, const char *summary) {
  edgefw__text_add(page->html, "<details>");
  edgefw__html_element(page->html, "summary", summary);
  edgefw__text_add(page->html, "\n");
}

/* "ATSP, 2 variants, seed 1234". */
static char *lead_of(edgefw_arena *arena, const edgefw__run_record *record) {
  const int variants = record->report.variant_count;
  char *problem = edgefw_arena_text(arena, record->report.problem);
  for (char *c = problem; c && *c; ++c) *c = (char)toupper((unsigned char)*c);
  if (!problem) return NULL;
  return edgefw_arena_format(arena, "%s, %d variant%s, seed %s", problem, variants,
                             variants == 1 ? "" : "s",
                             edgefw__run_record_value(record, "experiment", "seed"));
}

edgefw_status edgefw__page_make(edgefw_context *ctx, edgefw_arena *arena,
                                const edgefw__run_record *record, edgefw__text *html) {
  static edgefw_status (*const parts[])(edgefw__page *) = {
      edgefw__page_variants, edgefw__page_results,      edgefw__page_figures,
      edgefw__page_training, edgefw__page_diagnostics,  edgefw__page_instances,
      edgefw__page_machine,  edgefw__page_configuration};
  edgefw__text body = {.ctx = ctx};
  edgefw__page page = {
      .ctx = ctx, .arena = arena, .record = record, .html = &body, .links = {.ctx = ctx}};
  const char *lead = lead_of(arena, record);
  edgefw_status status = lead ? EDGEFW_OK : edgefw_failure(ctx);
  for (size_t p = 0; status == EDGEFW_OK && p < sizeof parts / sizeof *parts; ++p)
    status = parts[p](&page);
  if (status == EDGEFW_OK) {
    edgefw__page_head(record->report.experiment, lead, &page.links, html);
    edgefw__text_add_bytes(html, edgefw__text_get(&body), body.length);
    edgefw__page_foot(html);
    if (body.failed || page.links.failed || html->failed) status = edgefw_failure(ctx);
  }
  edgefw__text_release(&body);
  edgefw__text_release(&page.links);
  return status;
}

edgefw_status edgefw__page_write(edgefw_context *ctx, const char *folder, bool *changed) {
  edgefw_arena *arena = NULL;
  edgefw_status status = edgefw_arena_create(ctx, &arena, "page", 1 << 16, true);
  if (status != EDGEFW_OK) return status;
  edgefw__run_record record;
  edgefw__text html = {.ctx = ctx};
  status = edgefw__run_record_read(ctx, arena, folder, &record);
  if (status == EDGEFW_OK) status = edgefw__page_make(ctx, arena, &record, &html);
  if (status == EDGEFW_OK)
    status = edgefw__update_file(ctx, arena, folder, EDGEFW__PAGE_FILE, edgefw__text_get(&html),
                                 changed);
  edgefw__text_release(&html);
  edgefw_arena_destroy(arena);
  return status;
}
