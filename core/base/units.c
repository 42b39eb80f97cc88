/* Numbers with units, rounded to what a reader needs. */
#include "base/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *edgefw__duration_text(double seconds, char *out, size_t size) {
  if (!isfinite(seconds) || seconds < 0)
    snprintf(out, size, "-");
  else if (seconds < 0.0995)
    snprintf(out, size, "%.0f ms", 1e3 * seconds);
  else if (seconds < 0.995)
    snprintf(out, size, "%.2f s", seconds);
  else if (seconds < 59.95)
    snprintf(out, size, "%.1f s", seconds);
  else if (seconds < 3599.5)
    snprintf(out, size, "%d min %02d s", (int)(seconds + 0.5) / 60, (int)(seconds + 0.5) % 60);
  else if (seconds < 2 * 86400.0)
    snprintf(out, size, "%d h %02d min", (int)(seconds + 30) / 3600,
             (int)(seconds + 30) % 3600 / 60);
  else
    snprintf(out, size, "%.1f days", seconds / 86400.0);
  return out;
}

const char *edgefw__bytes_text(double bytes, char *out, size_t size) {
  static const char *const units[] = {"B", "KB", "MB", "GB", "TB"};
  size_t unit = 0;
  while (bytes >= 999.5 && unit + 1 < sizeof units / sizeof *units) {
    bytes /= 1000.0;
    ++unit;
  }
  const int decimals = unit == 0 || bytes >= 99.95 ? 0 : bytes >= 9.995 ? 1 : 2;
  snprintf(out, size, "%.*f %s", decimals, bytes, units[unit]);
  return out;
}

const char *edgefw__count_text(int64_t count, char *out, size_t size) {
  char digits[EDGEFW__UNIT_TEXT];
  snprintf(digits, sizeof digits, "%" PRId64, count);
  const size_t length = strlen(digits);
  size_t at = 0;
  for (size_t d = 0; d < length && at + 2 < size; ++d) {
    if (d > 0 && digits[d - 1] != '-' && (length - d) % 3 == 0) out[at++] = ',';
    out[at++] = digits[d];
  }
  out[at] = '\0';
  return out;
}
