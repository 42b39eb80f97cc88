/* Names and texts of the status codes, from the one list in edgefw/status.h. */
#include "edgefw/status.h"

const char *edgefw_status_text(edgefw_status status) {
  switch (status) {
#define STATUS_TEXT(name, value, text)                                                             \
  case EDGEFW_##name: return text;
    EDGEFW_STATUS_LIST(STATUS_TEXT)
#undef STATUS_TEXT
  }
  return "unknown status";
}

const char *edgefw_status_name(edgefw_status status) {
  switch (status) {
#define STATUS_NAME(name, value, text)                                                             \
  case EDGEFW_##name: return #name;
    EDGEFW_STATUS_LIST(STATUS_NAME)
#undef STATUS_NAME
  }
  return "UNKNOWN";
}
