/* The six stops that the files in tests/data hold in one form each, and what is expected of every
 * reader: the same costs, and for wrong files a message with the place. */
#ifndef EDGEFW_TESTS_SUPPORT_STOPS_CASE_H
#define EDGEFW_TESTS_SUPPORT_STOPS_CASE_H

#include "files/stop_table.h"
#include "support/workspace.h"

enum { STOPS = 6 };

#define STOPS_DATA EDGEFW_TEST_DATA "/data/"

/* Names and costs, row = from; below 0: there is no way. */
extern const char *const stops_names[STOPS];
extern const double stops_cost[STOPS][STOPS];
extern const double stops_demand[STOPS];

/* The cost of the cheapest tour without a missing way, by trying all of them. */
double stops_shortest_tour(void);

/* The table is that of the stops, with `names` (NULL: none); fails the test if not. */
void stops_expect(const edgefw__stop_table *table, const char *const *names);

/* A reader of one path, as core/files has them. */
typedef edgefw_status (*stops_reader)(edgefw_context *ctx, edgefw_arena *arena, const char *path,
                                      edgefw__stop_table *out);

/* A file and the words of its refusal, up to three. A table of them ends with a NULL text. */
typedef struct stops_fault {
  const char *text;
  edgefw_status status;
  const char *words[4];
} stops_fault;

/* Write each text as `name`; the reader refuses it so, and the message has the file's name. */
void stops_expect_faults(workspace *w, const char *name, stops_reader reader,
                         const stops_fault *faults);

#endif
