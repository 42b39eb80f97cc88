/* The figure of a solution: a row for each arc, and commands that gnuplot takes whatever names say.
 */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/tour_figure.h"
#include "support/cli.h"
#include "support/expect.h"
#include "support/workspace.h"

static const edgefw_field fields[] = {{.name = "cost", .shape = EDGEFW_FIELD_PAIR}, {.name = NULL}};
static const edgefw_problem closed = {.fields = fields,
                                      .objective = "cost",
                                      .start = EDGEFW_START_EACH_NODE},
                            depot = {.fields = fields,
                                     .objective = "cost",
                                     .start = EDGEFW_START_EACH_CUSTOMER};

/* A small square, its nodes crosswise: cost 100 i + j. */
static double cost[16], points[] = {0, 0, 10, 10, 10, 0, 0, 10};

static edgefw_instance instance(void) {
  for (int k = 0; k < 16; ++k) cost[k] = 100.0 * (k / 4) + k % 4;
  return (edgefw_instance){.n = 4, .fields = fields, .data = {cost}};
}

/* Write a figure of the box's folder p; no gnuplot is found unless `drawn`. */
static edgefw__figures draw(workspace *w, const edgefw__tour_figure *figure, unsigned kinds,
                            bool drawn) {
  static bool changed;
  char *path = edgefw_arena_text(w->arena, getenv("PATH"));
  edgefw__figures figures = {.ctx = w->ctx,
                             .arena = w->arena,
                             .folder = edgefw_arena_text(w->arena, sandbox_path(&w->box, "p")),
                             .changed = &changed};
  if (!drawn) setenv("PATH", "/none", 1);
  const edgefw_status status = edgefw__tour_figure_write(&figures, figure, kinds);
  setenv("PATH", path, 1);
  expect_ok(w->ctx, status);
  return figures;
}

static void expect_file(const workspace *w, const char *name, const char *expected) {
  char *text = cli_read(&w->box, name);
  assert_non_null(text);
  assert_string_equal(text, expected);
  free(text);
}

static void expect_words(const workspace *w, const char *name, const char *const *words,
                         const char *const *none) {
  char *text = cli_read(&w->box, name);
  assert_non_null(text);
  for (; *words; ++words)
    if (!strstr(text, *words)) fail_msg("%s lacks: %s\n%s", name, *words, text);
  for (; *none; ++none)
    if (strstr(text, *none)) fail_msg("%s has: %s\n%s", name, *none, text);
  free(text);
}

#define WORDS(...)                                                                                 \
  (const char *const[]) {                                                                          \
    __VA_ARGS__, NULL                                                                              \
  }
#define NO_WORDS                                                                                   \
  (const char *const[]) {                                                                          \
    NULL                                                                                           \
  }

static void a_closed_tour_is_one_path(void **state) {
  static const int32_t tour[] = {0, 2, 1, 3};
  workspace *w = *state;
  const edgefw_instance of = instance();
  const edgefw__tour_figure figure = {.name = "t",
                                      .title = "square",
                                      .problem = &closed,
                                      .instance = &of,
                                      .tour = tour,
                                      .count = 4,
                                      .place = {.points = points}};
  const edgefw__figures figures = draw(w, &figure, EDGEFW__FIGURE_SVG | EDGEFW__FIGURE_PNG, false);
  assert_true(figures.gnuplot_missing);
  expect_file(w, "p/t.csv",
              "route,from,to,cost,from_x,from_y,to_x,to_y\n1,0,2,2,0,0,10,0\n"
              "1,2,1,201,10,0,10,10\n1,1,3,103,10,10,0,10\n1,3,0,300,0,10,0,0\n");
  expect_words(w, "p/t.gp",
               WORDS("set title 'square' noenhanced\n", "set xrange [-0.5:10.5]\n",
                     "set yrange [-0.5:10.5]\n", "set size ratio -1\n", "'./t.svg'", "'./t.png'",
                     "nohead"),
               WORDS(" head ", "classical", "unset tics"));
}

/* Each way from the depot is a route; depots that fill up the tour are none. */
static void routes_are_numbered(void **state) {
  static const int32_t tour[] = {0, 3, 1, 0, 2, 0, 0, 0};
  workspace *w = *state;
  const edgefw_instance of = instance();
  const edgefw__tour_figure figure = {.name = "r",
                                      .title = "routes",
                                      .problem = &depot,
                                      .instance = &of,
                                      .tour = tour,
                                      .count = 8,
                                      .place = {EDGEFW__PLACEMENT_SCALED, points, true}};
  draw(w, &figure, EDGEFW__FIGURE_PNG, false);
  expect_file(w, "p/r.csv",
              "route,from,to,cost,from_x,from_y,to_x,to_y\n1,0,3,3,0,0,0,10\n"
              "1,3,1,301,0,10,10,10\n1,1,0,100,10,10,0,0\n2,0,2,2,0,0,10,0\n2,2,0,200,10,0,0,0\n");
  expect_words(w, "p/r.gp",
               WORDS("set xlabel 'positions by classical scaling of the costs'", "unset tics",
                     " head ", "hsv2rgb", "pt 5"),
               WORDS("r.svg"));
  assert_int_equal(edgefw__tour_routes(tour, 8), 2);
  assert_int_equal(edgefw__tour_routes(tour, 5), 2); /* without the depots at its end */
}

static void degrees_have_their_shape(void **state) {
  static double north[] = {10, 60, 20, 60, 10, 60, 20, 60};
  static const int32_t tour[] = {0, 1, 2, 3};
  workspace *w = *state;
  const edgefw_instance of = instance();
  const edgefw__tour_figure figure = {.name = "g",
                                      .title = "globe",
                                      .problem = &closed,
                                      .instance = &of,
                                      .tour = tour,
                                      .count = 4,
                                      .place = {EDGEFW__PLACEMENT_GLOBE, north, false}};
  draw(w, &figure, EDGEFW__FIGURE_SVG, false);
  /* At 60 degrees a degree of longitude is half as long; one latitude alone makes an axis, too. */
  expect_words(w, "p/g.gp",
               WORDS("set size ratio -2\n", "longitude", "latitude", "set yrange [30:90]\n"),
               NO_WORDS);
}

/* Is there a program of that name? */
static bool has_program(const char *name) {
  char command[64];
  snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", name);
  return system(command) == 0;
}

/* Titles and names of files in which commands, markup or line ends could hide. */
static void hostile_names_are_drawn(void **state) {
  static const char *const names[] = {
      "<touch pwned;", "|touch pwned;", "`touch pwned`", "$data",    "it's",
      "a\"b\\n",       "`id`$HOME",     "%s%d",          "@x_y^{2}", "\xc3\xa9\xe2\x82\xac",
      "a\nb\t\x1b[1m", "\xff<&>"};
  static const int32_t tour[] = {0, 2, 1, 3};
  workspace *w = *state;
  const edgefw_instance of = instance();
  const bool drawn = has_program("gnuplot");
  for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
    const bool plain = !strpbrk(names[k], "\n\xff");
    const edgefw__tour_figure figure = {.name = plain ? names[k] : "plain",
                                        .title = names[k],
                                        .problem = &closed,
                                        .instance = &of,
                                        .tour = tour,
                                        .count = 4,
                                        .place = {.points = points, .directed = k % 2 == 0}};
    const edgefw__figures figures = draw(w, &figure, EDGEFW__FIGURE_SVG, true);
    assert_false(figures.gnuplot_failed);
    if (!drawn) continue;
    const char *name = edgefw_arena_format(w->arena, "p/%s.svg", figure.name);
    expect_words(w, name, WORDS("</svg>"), WORDS("\x1b", "\xff", "<&>", "uid="));
  }
  assert_false(cli_exists(&w->box, "p/pwned"));
  if (drawn) expect_words(w, "p/plain.svg", WORDS("?&lt;&amp;"), NO_WORDS);
}

static void titles_tell_the_facts(void **state) {
  workspace *w = *state;
  edgefw__tour_facts facts = {.name = "br17", .n = 17, .cost = 39.5, .gap_percent = (double)NAN};
  assert_string_equal(edgefw__tour_title(w->arena, &facts), "br17: n = 17, cost 39.5");
  facts.gap_percent = 1.256;
  facts.routes = 1;
  facts.forbidden_arcs = 2;
  facts.name = "\xc3\xa9\n";
  assert_string_equal(edgefw__tour_title(w->arena, &facts),
                      "\xc3\xa9?: n = 17, 1 route, cost 39.5, gap 1.26 %, 2 forbidden arcs");
  /* A long name is cut between two characters. */
  facts = (edgefw__tour_facts){
      .name = "1234567890123456789012345678901234567890123456\xe2\x82\xac\xe2\x82\xac",
      .n = 2,
      .gap_percent = (double)NAN};
  assert_string_equal(edgefw__tour_title(w->arena, &facts),
                      "1234567890123456789012345678901234567890123456...: n = 2, cost 0");
}

int main(void) {
#define TOUR_TEST(name) cmocka_unit_test_setup_teardown(name, workspace_set_up, workspace_tear_down)
  const struct CMUnitTest tests[] = {
      TOUR_TEST(a_closed_tour_is_one_path), TOUR_TEST(routes_are_numbered),
      TOUR_TEST(degrees_have_their_shape),  TOUR_TEST(hostile_names_are_drawn),
      TOUR_TEST(titles_tell_the_facts),
  };
  return test_run(tests, NULL, NULL);
}
