/* Stage magic: the symbol is something else. */
#include <edgefw/edgefw.h>

extern EDGEFW_EXPORT const char edgefw_plugin[256];
EDGEFW_EXPORT const char edgefw_plugin[256] = "this is no descriptor";
