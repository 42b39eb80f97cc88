/* A descriptor written by hand, to be wrong in one place. */
#ifndef EDGEFW_TESTS_DESCRIPTOR_H
#define EDGEFW_TESTS_DESCRIPTOR_H

#include <edgefw/edgefw.h>

static void descriptor_declare(edgefw_term_builder *builder, const edgefw_options *options) {
  (void)options;
  edgefw_term_state(builder, EDGEFW_STATE_PROGRESS);
}

static const edgefw_term descriptor_term = {.size = sizeof descriptor_term,
                                            .declare = descriptor_declare};

#define DESCRIPTOR(name_, major, minor, kind_)                                                     \
  DESCRIPTOR_OPTIONS(name_, major, minor, kind_, sizeof(edgefw_option), NULL)

/* With a table of options, and the size of a row that it claims. */
#define DESCRIPTOR_OPTIONS(name_, major, minor, kind_, option_size_, options_)                     \
  extern EDGEFW_EXPORT const edgefw_plugin_descriptor edgefw_plugin;                               \
  EDGEFW_EXPORT const edgefw_plugin_descriptor edgefw_plugin = {                                   \
      .magic = EDGEFW_DESCRIPTOR_MAGIC,                                                            \
      .abi_major = (major),                                                                        \
      .abi_minor = (minor),                                                                        \
      .kind = (kind_),                                                                             \
      .size = sizeof(edgefw_plugin_descriptor),                                                    \
      .option_size = (option_size_),                                                               \
      .name = (name_),                                                                             \
      .version = "1.0",                                                                            \
      .summary = "a fixture",                                                                      \
      .vtable = &descriptor_term,                                                                  \
      .options = (options_)}

#endif
