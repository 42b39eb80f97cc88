/* JSON of routing services: tables of OSRM, OpenRouteService and Valhalla, problems of VROOM, and a
 * plain array of arrays. */
#ifndef EDGEFW__SERVICE_JSON_H
#define EDGEFW__SERVICE_JSON_H

#include "files/stop_table.h"

/* Which of a file's tables is meant; a file that has only one needs no word. */
typedef enum edgefw__table_choice {
  EDGEFW__TABLE_ANY = 0,   /* durations, or distances where there are no durations */
  EDGEFW__TABLE_DURATIONS, /* "durations" */
  EDGEFW__TABLE_DISTANCES  /* "distances" */
} edgefw__table_choice;

/* Read `path`, of any of the forms above, into *out, whose numbers and texts are in `arena`. IO,
 * FORMAT (with the place, such as durations[3][4]), MISMATCH (sources and destinations are
 * different places), UNSUPPORTED (what makes another problem of the file, naming it),
 * OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__service_json_read(edgefw_context *ctx, edgefw_arena *arena,
                                                         const char *path,
                                                         edgefw__table_choice choice,
                                                         edgefw__stop_table *out);

#endif
