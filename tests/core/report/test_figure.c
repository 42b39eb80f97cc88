/* Figures: written once, drawn where a drawing is missing, and nothing left of what failed. */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/figure.h"
#include "support/cli.h"
#include "support/expect.h"
#include "support/workspace.h"

/* Write figure f, of which gnuplot is `script`, with what it draws as `kinds`. */
static edgefw__figures draw(workspace *w, const char *script, unsigned kinds, bool *changed) {
  char *path = edgefw_arena_text(w->arena, getenv("PATH"));
  *changed = false;
  edgefw__figures figures = {.ctx = w->ctx,
                             .arena = w->arena,
                             .folder = edgefw_arena_text(w->arena, sandbox_path(&w->box, "p")),
                             .changed = changed};
  edgefw__text csv = {.ctx = w->ctx}, gp = {.ctx = w->ctx};
  edgefw__text_add(&csv, "data\n");
  edgefw__text_add(&gp, "commands\n");
  if (script) assert_int_equal(chmod(sandbox_write(&w->box, "bin/gnuplot", script), 0755), 0);
  const char *folder = sandbox_path(&w->box, script ? "bin" : "none");
  setenv("PATH", edgefw_arena_format(w->arena, script ? "%s:/usr/bin:/bin" : "%s", folder), 1);
  const edgefw_status status = edgefw__figure_write(&figures, "f", &csv, &gp, kinds);
  setenv("PATH", path, 1);
  expect_ok(w->ctx, status);
  edgefw__text_release(&csv);
  edgefw__text_release(&gp);
  return figures;
}

/* Leaves a mark beside itself. */
#define FAKE "#!/bin/sh\n: >\"${0%/*}/ran\"\n"

#define BOTH (EDGEFW__FIGURE_SVG | EDGEFW__FIGURE_PNG)

static void a_figure_is_drawn_until_it_is_there(void **state) {
  workspace *w = *state;
  bool changed = false;
  edgefw__figures figures = draw(w, NULL, BOTH, &changed);
  assert_true(changed && figures.gnuplot_missing && !figures.gnuplot_failed);
  char *csv = cli_read(&w->box, "p/f.csv"), *gp = cli_read(&w->box, "p/f.gp");
  assert_string_equal(csv, "data\n");
  assert_string_equal(gp, "commands\n");
  free(csv);
  free(gp);
  figures = draw(w, FAKE, BOTH, &changed); /* the data is not new, but there is no drawing */
  assert_false(changed || figures.gnuplot_missing);
  assert_true(cli_exists(&w->box, "bin/ran"));
  assert_int_equal(unlink(sandbox_path(&w->box, "bin/ran")), 0);
  sandbox_write(&w->box, "p/f.svg", "drawn");
  figures = draw(w, FAKE, EDGEFW__FIGURE_SVG, &changed);
  assert_false(cli_exists(&w->box, "bin/ran")); /* all that is asked for is there */
  figures = draw(w, FAKE, BOTH, &changed);
  assert_true(cli_exists(&w->box, "bin/ran"));
}

static void what_fails_is_removed(void **state) {
  workspace *w = *state;
  bool changed = false;
  sandbox_write(&w->box, "p/f.svg", "earlier");
  sandbox_write(&w->box, "p/f.png", "mine");
  edgefw__figures figures = draw(w, "#!/bin/sh\nexit 1\n", EDGEFW__FIGURE_SVG, &changed);
  assert_true(figures.gnuplot_failed && !figures.gnuplot_missing);
  assert_false(cli_exists(&w->box, "p/f.svg"));
  assert_true(cli_exists(&w->box, "p/f.png")); /* it was not asked for */
}

static void commands_name_the_drawings(void **state) {
  workspace *w = *state;
  edgefw__text gp = {.ctx = w->ctx};
  edgefw__figure_svg(&gp, "it''s", 90, 50);
  edgefw__figure_png(&gp, "it''s", 90, 50);
  assert_non_null(strstr(gp.data, "svg noenhanced size 90,50"));
  assert_non_null(strstr(gp.data, "set output 'it''s.svg'\n"));
  assert_non_null(strstr(gp.data, "pngcairo noenhanced size 180,100"));
  assert_non_null(strstr(gp.data, "set output 'it''s.png'\n"));
  edgefw__text_release(&gp);
  assert_string_equal(edgefw__figure_color(0), edgefw__figure_color(7));
  assert_string_not_equal(edgefw__figure_color(0), edgefw__figure_color(6));
}

int main(void) {
#define FIGURE_TEST(name)                                                                          \
  cmocka_unit_test_setup_teardown(name, workspace_set_up, workspace_tear_down)
  const struct CMUnitTest tests[] = {
      FIGURE_TEST(a_figure_is_drawn_until_it_is_there),
      FIGURE_TEST(what_fails_is_removed),
      FIGURE_TEST(commands_name_the_drawings),
  };
  return test_run(tests, NULL, NULL);
}
