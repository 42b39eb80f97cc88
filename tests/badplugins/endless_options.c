/* Refused: the table of options has no end, and what follows it is no text. */
#include "descriptor.h"

static const struct {
  edgefw_option option;
  void *garbage[8];
} table = {
    {.key = "a", .type = EDGEFW_OPTION_INT, .fallback = "1", .help = "a key"},
    {(void *)8, (void *)8, (void *)8, (void *)8, (void *)8, (void *)8, (void *)8, (void *)8}};

extern EDGEFW_EXPORT const edgefw_plugin_descriptor edgefw_plugin;
EDGEFW_EXPORT const edgefw_plugin_descriptor edgefw_plugin = {.magic = EDGEFW_DESCRIPTOR_MAGIC,
                                                              .abi_major = EDGEFW_ABI_MAJOR,
                                                              .abi_minor = EDGEFW_ABI_MINOR,
                                                              .kind = EDGEFW_KIND_TERM,
                                                              .size =
                                                                  sizeof(edgefw_plugin_descriptor),
                                                              .option_size = sizeof(edgefw_option),
                                                              .name = "endless_options",
                                                              .version = "1.0",
                                                              .summary = "a fixture",
                                                              .vtable = &descriptor_term,
                                                              .options = &table.option};
