/* edgefw plugins list, info and check.
 * labels: e2e */
#include "support/test.h"

#include <stdio.h>

#include "support/cli.h"
#include "support/tiny_model.h"
#include "support/toy_plugins.h"

static void plugins_are_listed(void **state) {
  const sandbox *box = *state;
  cli_expect(box, "plugins", 0, "device    reference64", NULL);
  cli_expect(box, "plugins list", 0, "device    reference64", NULL);
  cli_expect(box, "plugins --json", 0, "\"kind\": \"device\", \"name\": \"reference64\"", NULL);
  toy_plugins_link(box);
  cli_expect(box, "--plugin-path plugins plugins", 0, "a backbone for tests", NULL);
  cli_expect(box, "plugins --plugin-path plugins", 0, "a backbone for tests; also called simple\n",
             NULL);
  cli_expect(box, "plugins --json --plugin-path plugins", 0, "\"aliases\": [\"simple\"]", NULL);
  cli_expect(box, "plugins --json --plugin-path plugins", 0, "\"aliases\": []", NULL);
  cli_expect(box, "plugins lst", 2, "", "unknown command 'plugins lst'");
}

static void keys_are_shown(void **state) {
  const sandbox *box = *state;
  toy_plugins_link(box);
  cli_expect(box, "plugins info plain --plugin-path plugins", 0, "mode = fast", NULL);
  cli_expect(box, "plugins info plain --plugin-path plugins", 0, "fast|slow)", NULL);
  cli_expect(box, "plugins info simple --plugin-path plugins", 0,
             "backbone plain 1.0: a backbone for tests; also called simple\n", NULL);
  cli_expect(box, "plugins info nobody", 2, "", "'nobody'");
  cli_expect(box, "plugins info", 2, "", "NAME is missing");
}

/* The fixture's backbone is small, and the first by name: checks are quick. */
static void check(const sandbox *box, const char *fixture, int status, const char *out) {
  char arguments[512];
  snprintf(arguments, sizeof arguments, "plugins check --plugin-path small %s",
           toy_fixture(fixture));
  cli_expect(box, arguments, status, out, NULL);
}

static void plugins_are_checked(void **state) {
  const sandbox *box = *state;
  if (tiny_missing()) test_skip_missing();
  sandbox_link(box, "small/edgefw_bare.so", toy_fixture("sound_backbone"));
  check(box, "good_term", 0, "ok      features are finite on generated instances (1, from 0");
  check(box, "sound_backbone", 0, "ok      gradients equal finite differences");
  check(box, "good_backbone", 1, "FAILED  forward and backward run");
  check(box, "nan_term", 1, "FAILED  features are finite");
  check(box, "picky_term", 1, "FAILED  nothing to compose it with");
  check(box, "wrong_magic", 1, "FAILED  it loads");
  cli_expect(box, "plugins check none.so", 1, "none.so", "1 check failed");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(plugins_are_listed, sandbox_set_up, sandbox_tear_down),
      cmocka_unit_test_setup_teardown(keys_are_shown, sandbox_set_up, sandbox_tear_down),
      cmocka_unit_test_setup_teardown(plugins_are_checked, sandbox_set_up, sandbox_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
