/* What was run, on what, and how to run it again. */
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "base/path.h"
#include "base/text_file.h"
#include "report/page_parts.h"

static const char *value_of(const edgefw__page *page, const char *section, const char *key) {
  return edgefw__run_record_value(page->record, section, key);
}

/* A line of a list of facts; nothing where there is no value. */
static void add_fact(edgefw__text *html, const char *name, const char *value) {
  if (!*value) return;
  edgefw__html_element(html, "dt", name);
  edgefw__html_element(html, "dd", value);
  edgefw__text_add(html, "\n");
}

/* --- Variants --- */

/* The heuristics that make a variant's solutions; "": it has a model. */
static const char *heuristics_of(const edgefw__page *page, const char *variant) {
  return edgefw__run_record_variant(page->arena, page->record, variant, "", "construct");
}

static const char *backbone_of(const edgefw__page *page, const char *variant) {
  if (*heuristics_of(page, variant)) return "none";
  return edgefw__run_record_variant(page->arena, page->record, variant, "backbone", "name");
}

/* Where a variant's parameters come from: "trained here", "as trained for X", "FILE"; of heuristics
 * "constructed by X". */
static const char *origin_of(const edgefw__page *page, const char *variant) {
  const char *heuristics = heuristics_of(page, variant);
  if (*heuristics) return edgefw_arena_format(page->arena, "constructed by %s", heuristics);
  const char *file =
      edgefw__run_record_variant(page->arena, page->record, variant, "", "checkpoint");
  const char *trainer =
      edgefw__run_record_variant(page->arena, page->record, variant, "", "trained");
  if (*file) return edgefw__path_base(file);
  return *trainer ? edgefw_arena_format(page->arena, "as trained for %s", trainer) : "trained here";
}

/* Terms in evaluation, where they are not those of training. */
static const char *terms_of(const edgefw__page *page, const char *variant) {
  const char *terms =
      edgefw__run_record_variant(page->arena, page->record, variant, "decoder", "terms");
  const char *other =
      edgefw__run_record_variant(page->arena, page->record, variant, "eval", "terms");
  if (!*terms || *heuristics_of(page, variant)) return "none";
  if (!*other || strcmp(other, "trained") == 0) return terms;
  return edgefw_arena_format(page->arena, "%s; in evaluation: %s", terms, other);
}

/* Fingerprint of the variant's parameters; "" before anything was evaluated. */
static const char *model_of(const edgefw__page *page, const char *variant) {
  const edgefw__results *results = &page->record->results;
  for (size_t r = 0; r < results->count; ++r)
    if (strcmp(results->items[r].variant, variant) == 0)
      return edgefw_arena_format(page->arena, "%016" PRIx64, results->items[r].model);
  return "";
}

/* One size, several, or a file: one of the three has a value. */
static const char *trained_on(const edgefw__page *page) {
  static const char *const keys[] = {"data", "sizes", "size"};
  const char *value = "";
  for (size_t k = 0; !*value && k < sizeof keys / sizeof *keys; ++k)
    value = value_of(page, "train", keys[k]);
  return edgefw__path_base(value);
}

edgefw_status edgefw__page_variants(edgefw__page *page) {
  static const char *const columns[] = {"variant", "backbone", "score terms", "parameters",
                                        "model"};
  edgefw__text *html = page->html;
  edgefw__page_section(page, "run", "What was run");
  edgefw__text_add(html, "<dl>\n");
  add_fact(html, "Experiment", value_of(page, "experiment", "name"));
  add_fact(html, "Problem", value_of(page, "problem", "name"));
  add_fact(html, "Instances", value_of(page, "problem", "distribution"));
  add_fact(html, "Trained on", trained_on(page));
  add_fact(html, "Training seed", value_of(page, "experiment", "seed"));
  add_fact(html, "Tested on", value_of(page, "eval", "sizes"));
  add_fact(html, "Test seed", value_of(page, "eval", "seed"));
  edgefw__text_add(html, "</dl>\n");
  edgefw__html_table_begin(html, NULL, EDGEFW__HTML_WORDS, columns, 5);
  for (int v = 0; v < page->record->report.variant_count; ++v) {
    const char *variant = page->record->report.variants[v];
    edgefw__text_add(html, "<tr>");
    edgefw__html_element(html, "th scope=\"row\"", variant);
    edgefw__html_element(html, "td", backbone_of(page, variant));
    edgefw__html_element(html, "td", terms_of(page, variant));
    edgefw__html_element(html, "td", origin_of(page, variant));
    edgefw__text_add(html, "<td><code>%s</code></td></tr>\n", model_of(page, variant));
  }
  edgefw__html_table_end(html);
  edgefw__text_add(html, "</section>\n");
  return edgefw_failure(page->ctx);
}

/* --- Machine --- */

/* Runs of programs that kept no table of machines: what the log says at the head of a session,
 * "NAME in FOLDER: 2 variants on cpu (...) in fp32, 2 threads". */
static edgefw_status add_logged(edgefw__page *page, bool *found) {
  const char *path = edgefw__path_join(page->arena, page->record->folder, "log.txt");
  struct stat information;
  *found = false;
  if (!path) return edgefw_failure(page->ctx);
  if (stat(path, &information) != 0) return EDGEFW_OK;
  char *text = NULL;
  size_t length = 0;
  const edgefw_status status = edgefw__text_read(page->ctx, path, &text, &length);
  if (status != EDGEFW_OK) return status;
  for (char *line = text; *line && !*found; line += strcspn(line, "\n"), line += *line == '\n') {
    const size_t end = strcspn(line, "\n");
    const char kept = line[end];
    line[end] = '\0';
    const char *count = strstr(line, " variant"), *on = count ? strstr(count, " on ") : NULL;
    *found = on && strstr(on, " thread") && strstr(on, " in ");
    if (*found) edgefw__html_element(page->html, "p", on + strlen(" on "));
    line[end] = kept;
  }
  edgefw_release(page->ctx, text);
  return EDGEFW_OK;
}

edgefw_status edgefw__page_machine(edgefw__page *page) {
  edgefw__text *html = page->html;
  edgefw__csv_table table;
  bool found = false;
  edgefw__page_section(page, "machine", "Machine and versions");
  edgefw_status status = edgefw__run_record_table(page->ctx, page->arena, page->record,
                                                  EDGEFW__MACHINE_FILE, &table, &found);
  if (status != EDGEFW_OK) return status;
  for (int64_t row = 0; found && row < table.rows; ++row) {
    if (table.rows > 1) edgefw__text_add(html, "<h3>Machine %" PRId64 "</h3>\n", row + 1);
    edgefw__text_add(html, "<dl>\n");
    for (int c = 0; c < table.columns; ++c)
      add_fact(html, table.header[c], edgefw__csv_table_cell(&table, row, c));
    edgefw__text_add(html, "</dl>\n");
  }
  if (!found) {
    status = add_logged(page, &found);
    edgefw__html_element(html, "p class=\"missing\"",
                         found ? "As the log tells it: the program that ran this kept no table of "
                                 "machines."
                               : "The program that ran this did not say on what.");
  } else if (table.rows > 1) {
    edgefw__html_element(html, "p class=\"note\"",
                         "The run was gone on with on another machine, or in another way.");
  }
  edgefw__text_add(html, "</section>\n");
  return status;
}

/* --- Configuration --- */

edgefw_status edgefw__page_configuration(edgefw__page *page) {
  edgefw__text *html = page->html;
  edgefw__page_section(page, "configuration", "Configuration");
  edgefw__html_element(html, "p",
                       "Every key with its value, whether it was set or left at its "
                       "default: config.ini of the run directory.");
  edgefw__page_details(page, "Show config.ini");
  edgefw__html_element(html, "pre", page->record->config);
  edgefw__text_add(html, "\n</details>\n</section>\n");
  edgefw__page_section(page, "again", "Run it again");
  edgefw__html_element(html, "p",
                       "With config.ini of the run directory, the files that it names, and the "
                       "version above. On the same device, instruction set and libraries the "
                       "results are the same, bit for bit, whatever the number of threads; a "
                       "search that a time limit ends is not.");
  edgefw__text_add(html, "<pre>edgefw run config.ini --out again\n"
                         "edgefw report again</pre>\n");
  edgefw__html_element(html, "p", "With other seeds, to see how much of a difference is chance:");
  edgefw__text_add(html, "<pre>edgefw run config.ini --set experiment.seed=1 --out seed-1\n"
                         "edgefw run config.ini --set experiment.seed=2 --out seed-2\n"
                         "edgefw report again seed-1 seed-2 -o seeds.html</pre>\n</section>\n");
  return EDGEFW_OK;
}
