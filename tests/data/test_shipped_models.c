/* Every model in models/ is small, loads, is made again by a configuration, has a card, and serves
 * `solve`. What is checked of them is tried on models made here, good and bad ones, so that it says
 * something while there are none.
 * labels: e2e
 * needs plugins: atsp radar */
#include "support/test.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "eval/trained.h"
#include "support/cli.h"
#include "support/tiny_model.h"

#define LIMIT 5000000 /* bytes; tools/check_tree.sh has the same */

/* A small library file of each problem. */
static const char *const files[][2] = {{"atsp", "atsplib/br17.atsp"},
                                       {"acvrp", "acvrplib/A034-02f.vrp"},
                                       {"tsp", "tsplib/eil51.tsp"},
                                       {"cvrp", "vrplib-x/X-n101-k25.vrp"}};

/* A tree with models/NAME.h5, models/README.md and configs/NAME_best.ini. */
typedef struct model_case {
  const sandbox *box;
  const char *root, *name;
  edgefw_context *ctx;
  edgefw__registry *registry;
  char fault[4096]; /* what is wrong; "": nothing */
} model_case;

/* Note what is wrong with the model. */
static bool found(model_case *c, const char *what, const char *detail) {
  snprintf(c->fault, sizeof c->fault, "%s.h5: %s%s", c->name, what, detail);
  return false;
}

/* --- What is asked of a model --- */

static bool is_small(model_case *c, const char *path) {
  struct stat information;
  if (stat(path, &information) != 0) return found(c, "no such file", "");
  return information.st_size < LIMIT || found(c, "has 5,000,000 bytes or more", "");
}

/* Append the lines of the sections that make the model, the backbone's name left out, which may be
 * an alias. */
static void add_model_sections(const char *text, char *out, size_t size) {
  bool inside = false;
  for (const char *line = text; *line;) {
    const size_t length = strcspn(line, "\n"), used = strlen(out);
    if (*line == '[')
      inside = strncmp(line, "[backbone]", 10) == 0 || strncmp(line, "[decoder]", 9) == 0 ||
               strncmp(line, "[term.", 6) == 0;
    if (inside && length > 0 && strncmp(line, "name =", 6) != 0)
      snprintf(out + used, size - used, "%.*s\n", (int)length, line);
    line += length + (line[length] == '\n');
  }
}

static bool same_model(const edgefw__composition *a, const edgefw__composition *b) {
  char one[8192] = "", other[8192] = "";
  if (a->problem != b->problem || a->backbone != b->backbone) return false;
  add_model_sections(a->text, one, sizeof one);
  add_model_sections(b->text, other, sizeof other);
  return *one && strcmp(one, other) == 0;
}

/* Some variant of configs/NAME_best.ini is of the same problem, backbone, decoder and terms. */
static bool is_configured(model_case *c, const edgefw__composition *model) {
  char path[1024];
  edgefw__config *config = NULL;
  snprintf(path, sizeof path, "%s/configs/%s_best.ini", c->root, c->name);
  if (edgefw__config_load(c->ctx, c->registry, path, NULL, 0, &config) != EDGEFW_OK) {
    found(c, "its configuration: ", edgefw_message(c->ctx));
    edgefw_clear(c->ctx);
    return false;
  }
  bool same = false;
  for (int v = 0; v < config->variant_count; ++v) same |= same_model(model, &config->variants[v]);
  edgefw__config_destroy(config);
  return same || found(c, "no variant has its backbone and decoder in ", path);
}

static bool has_card(model_case *c) {
  char path[1024], heading[256];
  snprintf(path, sizeof path, "%s/models/README.md", c->root);
  snprintf(heading, sizeof heading, "\n## %s.h5\n", c->name);
  FILE *file = fopen(path, "rb");
  char *text = calloc(1, 1 << 16);
  assert_non_null(text);
  const bool has = file && fread(text, 1, (1 << 16) - 1, file) > 0 && strstr(text, heading) != NULL;
  if (file) fclose(file);
  free(text);
  return has || found(c, "no card in ", path);
}

/* The cost that solve prints for a library file of the problem; NaN if it does not use the model
 * that `expected` names (NULL: any or none). */
static double solve(const model_case *c, const char *file, const char *options,
                    const char *expected) {
  char arguments[2048];
  snprintf(arguments, sizeof arguments, "solve %s/data/%s --starts 5 --csv %s", EDGEFW_SOURCE_DIR,
           file, options);
  cli_result result = cli_do(c->box, arguments);
  double cost = NAN;
  const char *row = strchr(result.out, '\n');
  const bool used = !expected || strstr(result.err, expected) != NULL;
  if (result.status != 0) print_error("edgefw %s\n%s\n", arguments, result.err);
  if (result.status == 0 && row && used) (void)sscanf(row, "\n%*[^,],%*[^,],%*[^,],%lf", &cost);
  cli_free(&result);
  return cost;
}

static bool serves(model_case *c, const char *problem) {
  char options[1024], expected[1100];
  const char *file = NULL;
  for (size_t f = 0; f < sizeof files / sizeof *files; ++f)
    if (strcmp(files[f][0], problem) == 0) file = files[f][1];
  if (!file) return found(c, "this test knows no library file of its problem ", problem);
  snprintf(options, sizeof options, "--model-path %s/models", c->root);
  snprintf(expected, sizeof expected, "the model is %s/models/%s.h5", c->root, c->name);
  const double with = solve(c, file, options, expected);
  const double without = solve(c, file, "--no-model", NULL);
  if (!(with > 0.0)) return found(c, "solve does not use it on ", file);
  return with <= without || found(c, "solve does worse with it on ", file);
}

/* Its configuration names no file of the machine where it was trained. */
static bool is_nobodys(model_case *c, const char *config) {
  static const char *const beginnings[] = {"= /", ", /", "\n  /"};
  for (size_t b = 0; b < sizeof beginnings / sizeof *beginnings; ++b) {
    const char *at = strstr(config, beginnings[b]);
    if (at) return found(c, "its configuration names a path of a machine: ", strchr(at, '/'));
  }
  return true;
}

static bool check_model(model_case *c) {
  char path[1024];
  edgefw__trained trained;
  c->fault[0] = '\0';
  snprintf(path, sizeof path, "%s/models/%s.h5", c->root, c->name);
  if (!is_small(c, path)) return false;
  bool good = edgefw__trained_open(c->ctx, c->registry, path, "auto", EDGEFW__PRECISION_AUTO,
                                   &trained) == EDGEFW_OK;
  if (!good) {
    found(c, "cannot be opened: ", edgefw_message(c->ctx));
    edgefw_clear(c->ctx);
  }
  good = good && is_configured(c, trained.model->composition) && has_card(c) &&
         is_nobodys(c, trained.model->composition->text) &&
         serves(c, trained.model->composition->problem->descriptor->name);
  edgefw__trained_close(&trained);
  return good;
}

/* --- The models of the tree --- */

static sandbox box;

static void open_case(model_case *c, const char *root) {
  const char *folder = EDGEFW_BUILD_DIR "/lib/edgefw";
  *c = (model_case){.box = &box, .root = root};
  assert_int_equal(edgefw_context_create(&c->ctx, NULL), EDGEFW_OK);
  assert_int_equal(edgefw__registry_create_from(c->ctx, &folder, 1, &c->registry), EDGEFW_OK);
}

static void close_case(model_case *c) {
  edgefw__registry_destroy(c->registry);
  edgefw_context_destroy(c->ctx);
}

static void every_shipped_model_is_as_its_card_says(void **state) {
  (void)state;
  model_case c;
  int faults = 0;
  open_case(&c, EDGEFW_SOURCE_DIR);
  DIR *directory = opendir(EDGEFW_SOURCE_DIR "/models");
  assert_non_null(directory);
  for (struct dirent *entry; (entry = readdir(directory));) {
    char name[256];
    const size_t length = strlen(entry->d_name);
    if (length < 4 || strcmp(entry->d_name + length - 3, ".h5") != 0) continue;
    snprintf(name, sizeof name, "%.*s", (int)(length - 3), entry->d_name);
    c.name = name;
    if (check_model(&c)) continue;
    print_error("%s\n", c.fault);
    ++faults;
  }
  closedir(directory);
  close_case(&c);
  assert_int_equal(faults, 0);
}

/* --- Models made here --- */

static char root[256];

/* Train a tiny model, and lay out a tree around it in the box. */
static int set_up(void **state) {
  (void)state;
  sandbox_create(&box);
  cli_write_config(&box, CLI_SHORT_TRAINING);
  cli_expect(&box, "run tiny.ini --only train --variant plain", 0, NULL, NULL);
  sandbox_write(&box, "optima.csv", "set,name,n,optimum\n");
  cli_expect(
      &box,
      "run tiny.ini --only train --variant plain --out runs/told --set data.optima=optima.csv", 0,
      NULL, NULL);
  snprintf(root, sizeof root, "%s", box.folder);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  sandbox_remove(&box);
  return 0;
}

static void link_model(const char *name, const char *run, const char *config) {
  char path[128], target[128];
  snprintf(path, sizeof path, "models/%s.h5", name);
  snprintf(target, sizeof target, "../runs/%s/plain/checkpoint-1.h5", run);
  sandbox_link(&box, path, target);
  if (!config) return;
  snprintf(path, sizeof path, "configs/%s_best.ini", name);
  sandbox_write(&box, path, config);
}

static void expect_fault(model_case *c, const char *name, const char *part) {
  c->name = name;
  const bool good = check_model(c);
  if (good != !*part || !strstr(c->fault, part))
    print_error("%s: '%s', expected '%s'\n", name, c->fault, part);
  assert_true(good == !*part && strstr(c->fault, part));
}

static void what_is_wrong_with_a_model_is_seen(void **state) {
  (void)state;
  static char large[LIMIT];
  model_case c;
  char *config = cli_read(&box, "tiny.ini");
  open_case(&c, root);
  sandbox_write(&box, "models/README.md",
                "# Cards\n\n## a.h5\n\n## other.h5\n\n## b.h5\n\n## told.h5\n");
  expect_fault(&c, "none", "no such file");
  sandbox_write_bytes(&box, "models/large.h5", large, sizeof large);
  expect_fault(&c, "large", "5,000,000 bytes or more");
  assert_int_equal(unlink(sandbox_path(&box, "models/large.h5")), 0);
  sandbox_write(&box, "models/text.h5", "no model");
  expect_fault(&c, "text", "cannot be opened");
  assert_int_equal(unlink(sandbox_path(&box, "models/text.h5")), 0);
  link_model("a", "tiny", config);
  expect_fault(&c, "a", "");
  link_model("b", "tiny", config); /* which nobody would ever get */
  expect_fault(&c, "b", "solve does not use it");
  link_model("bare", "tiny", NULL);
  expect_fault(&c, "bare", "its configuration: ");
  link_model("cardless", "tiny", config);
  expect_fault(&c, "cardless", "no card");
  link_model("told", "told", config);
  expect_fault(&c, "told", "its configuration names a path of a machine: /");
  link_model("other", "tiny", "[problem]\nname = atsp\n[backbone]\nname = radar\n");
  expect_fault(&c, "other", "no variant has its backbone and decoder");
  free(config);
  close_case(&c);
}

int main(void) {
  if (tiny_missing()) return TEST_SKIPPED;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_wrong_with_a_model_is_seen),
      cmocka_unit_test(every_shipped_model_is_as_its_card_says),
  };
  return test_run(tests, set_up, tear_down);
}
