/* Rows of machine.csv. */
#include "experiment/run_machine.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/csv.h"
#include "base/path.h"
#include "base/text_file.h"
#include "edgefw/version.h"
#include "files/library_versions.h"
#include "report/run_record.h"

static const char header[] =
    "processor,cores,system,device,kernels,precision,threads,program,libraries\n";

/* The processor's name as Linux has it; the machine's kind where it says none. */
static void processor_name(const char *fallback, char *out, size_t size) {
  static const char key[] = "model name";
  char line[512];
  snprintf(out, size, "%s", fallback);
  FILE *file = fopen("/proc/cpuinfo", "r");
  while (file && fgets(line, sizeof line, file)) {
    const char *colon = strchr(line, ':');
    if (strncmp(line, key, sizeof key - 1) != 0 || !colon) continue;
    const char *name = colon + 1 + strspn(colon + 1, " \t");
    snprintf(out, size, "%.*s", (int)strcspn(name, "\n"), name);
    break;
  }
  if (file) (void)fclose(file);
}

/* This process's row, with its line end. */
static void add_row(const edgefw__engine *engine, edgefw__text *text) {
  struct utsname system;
  char name[256], cores[32], threads[32], kernel[160];
  if (uname(&system) != 0) system = (struct utsname){.sysname = "unknown", .machine = "unknown"};
  processor_name(system.machine, name, sizeof name);
  snprintf(cores, sizeof cores, "%ld", sysconf(_SC_NPROCESSORS_ONLN));
  snprintf(threads, sizeof threads, "%d", edgefw_threads(engine->ctx));
  snprintf(kernel, sizeof kernel, "%.60s %.80s", system.sysname, system.machine);
  edgefw__text libraries = {.ctx = engine->ctx};
  edgefw__library_versions(&libraries, ", ");
  static const char program[] = "edgefw " EDGEFW_VERSION;
  const char *const cells[] = {name,
                               cores,
                               kernel,
                               engine->name,
                               engine->kernels->describe(engine->device),
                               edgefw__engine_precision_name(engine),
                               threads,
                               program,
                               edgefw__text_get(&libraries)};
  for (size_t c = 0; c < sizeof cells / sizeof *cells; ++c) {
    if (c > 0) edgefw__text_add(text, ",");
    edgefw__csv_add(text, cells[c]);
  }
  edgefw__text_add(text, "\n");
  if (libraries.failed) text->failed = true;
  edgefw__text_release(&libraries);
}

/* What the file holds, with its head; a new head where there is none. */
static edgefw_status read_rows(edgefw_context *ctx, edgefw_arena *scratch, const char *folder,
                               edgefw__text *rows) {
  const char *path = edgefw__path_join(scratch, folder, EDGEFW__MACHINE_FILE);
  struct stat information;
  char *text = NULL;
  size_t length = 0;
  if (!path) return edgefw_failure(ctx);
  if (stat(path, &information) == 0) {
    const edgefw_status status = edgefw__text_read(ctx, path, &text, &length);
    if (status != EDGEFW_OK && status != EDGEFW_FORMAT) return status;
    if (status == EDGEFW_FORMAT) edgefw_clear(ctx);
  }
  const bool known = text && strncmp(text, header, sizeof header - 1) == 0;
  edgefw__text_add(rows, "%s", known ? text : header);
  edgefw_release(ctx, text);
  return EDGEFW_OK;
}

edgefw_status edgefw__run_machine_note(const edgefw__engine *engine, edgefw_arena *scratch,
                                       const char *folder, bool *changed) {
  edgefw_context *ctx = engine->ctx;
  edgefw__text rows = {.ctx = ctx}, row = {.ctx = ctx};
  add_row(engine, &row);
  edgefw_status status = read_rows(ctx, scratch, folder, &rows);
  if (status == EDGEFW_OK && (rows.failed || row.failed)) status = edgefw_failure(ctx);
  if (status == EDGEFW_OK && !strstr(edgefw__text_get(&rows), edgefw__text_get(&row))) {
    edgefw__text_add_bytes(&rows, row.data, row.length);
    status = rows.failed ? edgefw_failure(ctx)
                         : edgefw__update_file(ctx, scratch, folder, EDGEFW__MACHINE_FILE,
                                               rows.data, changed);
  }
  edgefw__text_release(&rows);
  edgefw__text_release(&row);
  return status;
}

edgefw_status edgefw__run_machine_join(edgefw_context *ctx, edgefw_arena *scratch, const char *from,
                                       const char *folder, bool *changed) {
  edgefw__text rows = {.ctx = ctx}, others = {.ctx = ctx};
  edgefw_status status = read_rows(ctx, scratch, folder, &rows);
  if (status == EDGEFW_OK) status = read_rows(ctx, scratch, from, &others);
  const char *line = edgefw__text_get(&others);
  line += strcspn(line, "\n") + (*line != '\0'); /* its head */
  for (size_t length; status == EDGEFW_OK && *line; line += length) {
    length = strcspn(line, "\n");
    length += line[length] == '\n';
    const char *row = edgefw_arena_format(scratch, "%.*s", (int)length, line);
    if (!row) status = edgefw_failure(ctx);
    if (row && !strstr(edgefw__text_get(&rows), row)) edgefw__text_add(&rows, "%s", row);
  }
  if (status == EDGEFW_OK && (rows.failed || others.failed)) status = edgefw_failure(ctx);
  if (status == EDGEFW_OK)
    status = edgefw__update_file(ctx, scratch, folder, EDGEFW__MACHINE_FILE,
                                 edgefw__text_get(&rows), changed);
  edgefw__text_release(&rows);
  edgefw__text_release(&others);
  return status;
}
