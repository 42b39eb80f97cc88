/* Refused: it claims options of 1 TiB each, so the second one would lie far outside of memory. */
#include "descriptor.h"

static const edgefw_option options[] = {
    {.key = "a", .type = EDGEFW_OPTION_INT, .fallback = "1", .help = "a key"}, {0}};

extern EDGEFW_EXPORT const edgefw_plugin_descriptor edgefw_plugin;
EDGEFW_EXPORT const edgefw_plugin_descriptor edgefw_plugin = {.magic = EDGEFW_DESCRIPTOR_MAGIC,
                                                              .abi_major = EDGEFW_ABI_MAJOR,
                                                              .abi_minor = EDGEFW_ABI_MINOR,
                                                              .kind = EDGEFW_KIND_TERM,
                                                              .size =
                                                                  sizeof(edgefw_plugin_descriptor),
                                                              .option_size = (size_t)1 << 40,
                                                              .name = "huge_option",
                                                              .version = "1.0",
                                                              .summary = "a fixture",
                                                              .vtable = &descriptor_term,
                                                              .options = options};
