/* Parts of pages. */
#include "support/page_case.h"
#include "support/test.h"

#include <string.h>

#include "support/expect.h"
#include "support/html_check.h"

const char *page_case(const workspace *w, const char *name,
                      edgefw_status (*part)(edgefw__page *page)) {
  edgefw__run_record record;
  edgefw__text html = {.ctx = w->ctx};
  expect_ok(w->ctx,
            edgefw__run_record_read(w->ctx, w->arena, sandbox_path(&w->box, name), &record));
  edgefw__page page = {
      .ctx = w->ctx, .arena = w->arena, .record = &record, .html = &html, .links = {.ctx = w->ctx}};
  expect_ok(w->ctx, part(&page));
  assert_true(html_is_fine(edgefw__text_get(&html)));
  const char *out = edgefw_arena_text(w->arena, edgefw__text_get(&html));
  edgefw__text_release(&html);
  edgefw__text_release(&page.links);
  assert_non_null(out);
  return out;
}

void page_case_has(const char *html, const char *const *texts) {
  for (; *texts; ++texts)
    if (!strstr(html, *texts)) fail_msg("'%s' is not in:\n%s", *texts, html);
}

int page_count(const char *html, const char *text) {
  int found = 0;
  for (const char *at = html; (at = strstr(at, text)) != NULL; ++at) ++found;
  return found;
}
