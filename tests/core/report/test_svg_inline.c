/* Drawings in a page: they draw, and do nothing else. */
#include "support/test.h"

#include <stdio.h>
#include <string.h>

#include "report/svg_inline.h"
#include "support/html_check.h"
#include "support/io_support.h"
#include "support/workspace.h"

#define HEAD                                                                                       \
  "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<!-- a -->\n<svg width=\"90\" height=\"52\" "       \
  "viewBox='0 0 90 52' xmlns=\"http://www.w3.org/2000/svg\" "                                      \
  "xmlns:xlink=\"http://www.w3.org/1999/xlink\">\n"

/* The drawing of `inside` is `expected`, between the outermost tags. */
static void expect(const workspace *w, const char *inside, const char *expected) {
  edgefw__text svg = {.ctx = w->ctx}, html = {.ctx = w->ctx};
  edgefw__text_add(&svg, HEAD "%s</svg>\n", inside);
  assert_true(edgefw__svg_inline(&html, edgefw__text_get(&svg), "p-", "a \"b\""));
  assert_true(html_is_fine(edgefw__text_get(&html)));
  const char *begin = strchr(edgefw__text_get(&html), '\n');
  assert_non_null(begin);
  assert_int_equal(strncmp(begin + 1, expected, strlen(expected)), 0);
  assert_int_equal(strncmp(begin + 1 + strlen(expected), "</svg>", 6), 0);
  edgefw__text_release(&svg);
  edgefw__text_release(&html);
}

static void drawings_are_kept(void **state) {
  const workspace *w = *state;
  edgefw__text html = {.ctx = w->ctx};
  assert_true(edgefw__svg_inline(&html, HEAD "<title>Gnuplot</title></svg>", "p-", "a \"b\""));
  assert_string_equal(edgefw__text_get(&html), "<svg role=\"img\" aria-label=\"a &quot;b&quot;\" "
                                               "viewBox=\"0 0 90 52\">\n</svg>");
  edgefw__text_release(&html);
  expect(w, "<path stroke='rgb(1, 2, 3)'  d='M1,2 L3,4  '/>",
         "<path stroke=\"rgb(1, 2, 3)\" d=\"M1,2 L3,4  \"></path>");
  expect(w, "<g id=\"x\"><title>it's &lt;b&gt; &amp; c</title></g>",
         "<g id=\"p-x\"><title>it&#39;s &lt;b&gt; &amp; c</title></g>");
  expect(w, "<use xlink:href='#x' fill=\"url(#y)\"/>",
         "<use href=\"#p-x\" fill=\"url(#p-y)\"></use>");
  expect(w, "<text>a & b > c &nbsp;\xFF</text>",
         "<text>a &amp; b &gt; c &amp;nbsp;\xEF\xBF\xBD</text>");
}

static void harmful_parts_are_left_out(void **state) {
  static const char *const parts[] = {"<script>alert(1)</script>",
                                      "<script type='a'>x<g/>y</script>",
                                      "<style>@import 'http://x/'</style>",
                                      "<image href='http://x/y.png'/>",
                                      "<foreignObject><p>x</p></foreignObject>",
                                      "<a href='javascript:x'><text>t</text></a>",
                                      "<animate attributeName='href' to='x'/>",
                                      "<set attributeName='onload' to='x'/>",
                                      "<SCRIPT>x</SCRIPT>",
                                      "<svg:script>x</svg:script>",
                                      "<iframe src='x'></iframe>"};
  static const char *const attributes[] = {"onload='x'",
                                           "ONCLICK='x'",
                                           "style='background:url(http://x)'",
                                           "fill='url(http://x)'",
                                           "fill='url(#a) url(http://x)'",
                                           "fill='u\\72l(http://x)'",
                                           "fill='url&#40;http://x)'",
                                           "mask='image-set(\"http://x\")'",
                                           "href='http://x'",
                                           "xlink:href='data:image/svg+xml,x'",
                                           "href='java&#115;cript:x'",
                                           "class='box'",
                                           "xml:base='http://x'",
                                           "fill='javascript:x'"};
  const workspace *w = *state;
  for (size_t p = 0; p < sizeof parts / sizeof *parts; ++p) expect(w, parts[p], "");
  for (size_t a = 0; a < sizeof attributes / sizeof *attributes; ++a) {
    char part[128];
    snprintf(part, sizeof part, "<rect %s x=\"1\"/>", attributes[a]);
    expect(w, part, "<rect x=\"1\"></rect>");
  }
}

static void malformed_files_are_refused(void **state) {
  static const char *const files[] = {"",
                                      "text",
                                      "<html></html>",
                                      "<svg>",
                                      "<svg></g></svg>",
                                      "<svg><g></svg>",
                                      "<svg></svg><svg></svg>",
                                      "<svg></svg>text",
                                      "<svg><g a></g></svg>",
                                      "<svg><g a=b></g></svg>",
                                      "<svg><g a='b></g></svg>",
                                      "<svg><g a='1' a='2'></g></svg>",
                                      "<svg><g a='<'></g></svg>",
                                      "<svg><![CDATA[x]]></svg>",
                                      "<svg><!-- </svg>",
                                      "<!DOCTYPE svg [<!ENTITY x \"y\">]><svg></svg>",
                                      "<svg><g /x></g></svg>",
                                      "<svg><",
                                      "<svg></"};
  const workspace *w = *state;
  edgefw__text html = {.ctx = w->ctx};
  edgefw__text_add(&html, "before");
  for (size_t f = 0; f < sizeof files / sizeof *files; ++f) {
    if (edgefw__svg_inline(&html, files[f], "p-", "x")) fail_msg("%s", files[f]);
    assert_string_equal(edgefw__text_get(&html), "before");
  }
  edgefw__text deep = {.ctx = w->ctx};
  edgefw__text_add(&deep, "<svg>");
  for (int i = 0; i < 100000; ++i) edgefw__text_add(&deep, "<g>");
  assert_false(edgefw__svg_inline(&html, edgefw__text_get(&deep), "p-", "x"));
  edgefw__text_release(&deep);
  edgefw__text_release(&html);
}

/* Whatever a file holds, what comes of it is a well-formed part of a page. */
static void damaged_files_do_no_harm(void **state) {
  static const char file[] =
      HEAD "<defs><g id=\"a\"/><script>x</script></defs><use xlink:href='#a' fill=\"url(#a)\" "
           "onload='x' style=\"y\"/><text x='1'>a &lt; &amp; \xC3\xA9 &#65;</text>"
           "<g id='b'><title>t</title><!-- c --><path d=\"M1,2\"/></g></svg>\n";
  const workspace *w = *state;
  char damaged[sizeof file];
  edgefw__text html = {.ctx = w->ctx};
  int shown = 0;
  for (uint64_t trial = 0; trial < 20000; ++trial) {
    io_damage(file, sizeof file - 1, trial, damaged);
    damaged[sizeof file - 1] = '\0';
    html.length = 0;
    if (!edgefw__svg_inline(&html, damaged, "p-", "x")) continue;
    ++shown;
    if (!html_is_fine(edgefw__text_get(&html))) fail_msg("trial %d", (int)trial);
  }
  assert_true(shown > 1000);
  edgefw__text_release(&html);
}

int main(void) {
#define SVG_TEST(name) cmocka_unit_test_setup_teardown(name, workspace_set_up, workspace_tear_down)
  const struct CMUnitTest tests[] = {
      SVG_TEST(drawings_are_kept),
      SVG_TEST(harmful_parts_are_left_out),
      SVG_TEST(malformed_files_are_refused),
      SVG_TEST(damaged_files_do_no_harm),
  };
  return test_run(tests, NULL, NULL);
}
