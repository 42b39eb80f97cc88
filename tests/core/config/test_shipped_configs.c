/* Every configuration that is shipped composes with the plugins of this tree, its resolved text
 * reads back, and everything that a run would read is there: test sets, references, reported rows.
 * One that needs a plugin whose source was removed is left out. */
#include "support/test.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "config/compose.h"
#include "experiment/preflight.h"
#include "report/report_published.h"
#include "support/expect.h"

/* What a run checks before it begins. */
static void check_inputs(edgefw_context *ctx, const edgefw__engine *engine,
                         const edgefw__config *config) {
  const char *reported = edgefw_options_text(config->variants[0].report, "reported");
  edgefw_arena *arena;
  edgefw__published published;
  expect_ok(ctx, edgefw_arena_create(ctx, &arena, "inputs", 1 << 16, true));
  for (int v = 0; v < config->variant_count; ++v) {
    edgefw__instance_set *sets;
    int count;
    expect_ok(ctx, edgefw__eval_sets(ctx, arena, &config->variants[v], &sets, &count));
    expect_ok(ctx, edgefw__preflight(engine, &config->variants[v], sets, count, true));
  }
  if (*reported) expect_ok(ctx, edgefw__published_read(ctx, arena, reported, &published));
  edgefw_arena_destroy(arena);
}

/* Files for others to include; some name no problem or backbone. */
static bool is_base(const char *name) {
  return strncmp(name, "base_", 5) == 0;
}

static void check_config(edgefw_context *ctx, const edgefw__registry *registry,
                         const edgefw__engine *engine, const char *path) {
  edgefw__config *config, *again;
  const edgefw_status status = edgefw__config_load(ctx, registry, path, NULL, 0, &config);
  if (status == EDGEFW_PLUGIN_FIND) {
    print_message("left out: %s\n", edgefw_message(ctx));
    edgefw_clear(ctx);
    return;
  }
  expect_ok(ctx, status);
  expect_ok(ctx, edgefw__compose_text(ctx, registry, config->text, path, &again));
  assert_string_equal(again->text, config->text);
  check_inputs(ctx, engine, config);
  edgefw__config_destroy(again);
  edgefw__config_destroy(config);
}

static void every_shipped_configuration_composes(void **state) {
  (void)state;
  const char *folder = EDGEFW_BUILD_DIR "/lib/edgefw";
  edgefw_context *ctx;
  edgefw__registry *registry;
  edgefw__engine engine;
  int count = 0;
  assert_int_equal(edgefw_context_create(&ctx, NULL), EDGEFW_OK);
  expect_ok(ctx, edgefw__registry_create_from(ctx, &folder, 1, &registry));
  expect_ok(ctx, edgefw__engine_open(ctx, registry, "reference", &engine));
  DIR *directory = opendir(EDGEFW_SOURCE_DIR "/configs");
  assert_non_null(directory);
  for (struct dirent *entry; (entry = readdir(directory));) {
    char path[1024];
    const size_t length = strlen(entry->d_name);
    if (length < 5 || strcmp(entry->d_name + length - 4, ".ini") != 0 || is_base(entry->d_name))
      continue;
    snprintf(path, sizeof path, "%s/configs/%s", EDGEFW_SOURCE_DIR, entry->d_name);
    check_config(ctx, registry, &engine, path);
    ++count;
  }
  closedir(directory);
  assert_true(count >= 20);
  edgefw__engine_close(&engine);
  edgefw__registry_destroy(registry);
  edgefw_context_destroy(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_shipped_configuration_composes)};
  return test_run(tests, NULL, NULL);
}
