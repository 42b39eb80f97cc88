/* How much memory there is. */
#include "device/memory.h"

#include <stdio.h>
#include <unistd.h>

/* Where Linux tells a container its limit (cgroup version 2, then 1). */
static const char *const limit_files[] = {"/sys/fs/cgroup/memory.max",
                                          "/sys/fs/cgroup/memory/memory.limit_in_bytes"};

/* The number in a limit file; SIZE_MAX if there is none ("max", no such file). */
static size_t read_limit(const char *path) {
  unsigned long long limit = 0;
  FILE *file = fopen(path, "r");
  if (!file) return SIZE_MAX;
  const bool found = fscanf(file, "%llu", &limit) == 1;
  (void)fclose(file);
  return found && limit < SIZE_MAX ? (size_t)limit : SIZE_MAX;
}

size_t edgefw__physical_memory(void) {
  size_t bytes = SIZE_MAX;
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page = sysconf(_SC_PAGESIZE);
  if (pages > 0 && page > 0) bytes = (size_t)pages * (size_t)page;
  for (size_t i = 0; i < sizeof limit_files / sizeof *limit_files; ++i) {
    const size_t limit = read_limit(limit_files[i]);
    if (limit < bytes) bytes = limit;
  }
  return bytes;
}

edgefw_status edgefw__memory_budget(const edgefw__engine *engine, size_t share,
                                    edgefw__memory *out) {
  size_t free_bytes = 0, total = 0;
  const size_t neighbours = engine->group ? (size_t)engine->group->local_ranks : 1;
  *out = (edgefw__memory){.host = edgefw__physical_memory() / share / neighbours};
  if (!edgefw__engine_has_memory(engine)) return EDGEFW_OK;
  const edgefw_status status = engine->kernels->memory(engine->device, &free_bytes, &total);
  out->device = (free_bytes - free_bytes / 8) / share;
  return status;
}

bool edgefw__memory_fits(const edgefw__memory *bytes, const edgefw__memory *budget) {
  return bytes->host <= budget->host && bytes->device <= budget->device;
}

const char *edgefw__memory_shortage(const edgefw__engine *engine, const edgefw__memory *bytes,
                                    const edgefw__memory *budget, char out[EDGEFW__MEMORY_TEXT]) {
  if (bytes->device > budget->device)
    snprintf(out, EDGEFW__MEMORY_TEXT, "%zu MiB of the memory of device %s", budget->device >> 20,
             engine->name);
  else
    snprintf(out, EDGEFW__MEMORY_TEXT, "%zu MiB of memory", budget->host >> 20);
  return out;
}
