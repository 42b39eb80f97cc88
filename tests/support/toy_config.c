/* Configurations for tests. */
#include "support/toy_config.h"

#include "support/test.h"

#include <string.h>

#include "support/expect.h"
#include "support/toy_plugins.h"

static void keep_line(void *user, edgefw_log_level level, const char *line) {
  toy_config *t = user;
  (void)level;
  strncat(t->log, line, sizeof t->log - strlen(t->log) - 1);
}

int toy_config_set_up(void **state) {
  static toy_config t;
  t.log[0] = '\0';
  assert_int_equal(edgefw_context_create(&t.ctx, NULL), EDGEFW_OK);
  edgefw_set_log(t.ctx, keep_line, &t);
  sandbox_create(&t.box);
  t.registry = toy_registry(t.ctx, &t.box);
  *state = &t;
  return 0;
}

int toy_config_tear_down(void **state) {
  toy_config *t = *state;
  edgefw__registry_destroy(t->registry);
  sandbox_remove(&t->box);
  edgefw_context_destroy(t->ctx);
  return 0;
}

edgefw_status toy_config_try(toy_config *t, const char *text, const char *set,
                             edgefw__config **out) {
  const char *path = sandbox_write(&t->box, "x.ini", text);
  return edgefw__config_load(t->ctx, t->registry, path, &set, set ? 1 : 0, out);
}

edgefw__config *toy_config_load(toy_config *t, const char *text) {
  edgefw__config *config;
  expect_ok(t->ctx, toy_config_try(t, text, NULL, &config));
  return config;
}
