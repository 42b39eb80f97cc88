/* Solution files: TSPLIB TOUR. */
#include "io/tour.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/atomic_file.h"

const char *edgefw__number_text(double value, char *out, size_t size) {
  for (int digits = 15; digits <= 17; ++digits) {
    snprintf(out, size, "%.*g", digits, value);
    if (strtod(out, NULL) == value) break;
  }
  return out;
}

/* A line end in a name would begin a new keyword line. */
static void put_name(FILE *stream, const char *name) {
  for (; *name; ++name) fputc(iscntrl((unsigned char)*name) ? '_' : *name, stream);
}

edgefw_status edgefw__tour_write(edgefw_context *ctx, const char *path, const char *instance_name,
                                 const int32_t *tour, int64_t n, double cost) {
  edgefw__atomic_file *file = NULL;
  FILE *stream = NULL;
  const edgefw_status status = edgefw__atomic_begin(ctx, path, &file, &stream);
  if (status != EDGEFW_OK) return status;
  char number[32];
  fputs("NAME : ", stream);
  put_name(stream, instance_name);
  fprintf(stream, ".tour\nCOMMENT : cost %s\nTYPE : TOUR\nDIMENSION : %" PRId64 "\nTOUR_SECTION\n",
          edgefw__number_text(cost, number, sizeof number), n);
  for (int64_t i = 0; i < n; ++i) fprintf(stream, "%" PRId64 "\n", (int64_t)tour[i] + 1);
  fputs("-1\nEOF\n", stream);
  return edgefw__atomic_commit(file);
}
