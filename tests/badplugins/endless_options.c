/* Refused: the table of options has no end, and what follows it is no text. */
#include "descriptor.h"

static const struct {
  edgefw_option option;
  void *garbage[8];
} table = {
    {.key = "a", .type = EDGEFW_OPTION_INT, .fallback = "1", .help = "a key"},
    {(void *)8, (void *)8, (void *)8, (void *)8, (void *)8, (void *)8, (void *)8, (void *)8}};

DESCRIPTOR_OPTIONS("endless_options", EDGEFW_ABI_MAJOR, EDGEFW_ABI_MINOR, EDGEFW_KIND_TERM,
                   sizeof(edgefw_option), &table.option);
