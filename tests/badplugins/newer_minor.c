/* Loads: a newer minor ABI only appends what this host does not ask for. */
#include <edgefw/edgefw.h>

/* Tables as a later version might have them. */
typedef struct later_term {
  edgefw_term term;
  void (*appended)(void);
} later_term;

typedef struct later_option {
  edgefw_option option;
  const char *appended;
} later_option;

static void declare(edgefw_term_builder *builder, const edgefw_options *options) {
  (void)options;
  edgefw_term_state(builder, EDGEFW_STATE_PROGRESS);
}

static const later_term vtable = {{.size = sizeof vtable, .declare = declare}, NULL};

static const later_option options[] = {
    {{"first", EDGEFW_OPTION_INT, "1", NULL, "a key", 0, 9}, "later"},
    {{"second", EDGEFW_OPTION_INT, "2", NULL, "a key", 0, 9}, "later"},
    {{0}, NULL}};

extern EDGEFW_EXPORT const edgefw_plugin_descriptor edgefw_plugin;
EDGEFW_EXPORT const edgefw_plugin_descriptor edgefw_plugin = {
    .magic = EDGEFW_DESCRIPTOR_MAGIC,
    .abi_major = EDGEFW_ABI_MAJOR,
    .abi_minor = EDGEFW_ABI_MINOR + 1,
    .kind = EDGEFW_KIND_TERM,
    .size = sizeof(edgefw_plugin_descriptor) + sizeof(void *),
    .option_size = sizeof(later_option),
    .name = "newer_minor",
    .version = "1.0",
    .summary = "a fixture",
    .vtable = &vtable,
    .options = &options[0].option};
