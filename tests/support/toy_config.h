/* A context, a registry of the toy plugins and a folder to write configurations into. */
#ifndef EDGEFW_TESTS_SUPPORT_TOY_CONFIG_H
#define EDGEFW_TESTS_SUPPORT_TOY_CONFIG_H

#include "config/compose.h"
#include "support/sandbox.h"

typedef struct toy_config {
  edgefw_context *ctx;
  edgefw__registry *registry;
  sandbox box;
  char log[4096]; /* all lines of the log */
} toy_config;

/* CMocka's set-up and tear-down; the state is a toy_config. */
int toy_config_set_up(void **state);
int toy_config_tear_down(void **state);

/* Write `text` to x.ini and load it with at most one --set (NULL: none). */
edgefw_status toy_config_try(toy_config *t, const char *text, const char *set,
                             edgefw__config **out);

/* The same for a configuration that must be good. */
edgefw__config *toy_config_load(toy_config *t, const char *text);

/* The configuration is refused as `status`, with these words. */
#define toy_config_refuse(t, text, status, ...)                                                    \
  do {                                                                                             \
    edgefw__config *config_;                                                                       \
    expect_failure((t)->ctx, toy_config_try((t), (text), NULL, &config_), (status), __VA_ARGS__);  \
    assert_null(config_);                                                                          \
  } while (0)

/* The sections that every configuration needs. */
#define TOY_SECTIONS "[problem]\nname = toy\n[backbone]\nname = plain\n"

#endif
