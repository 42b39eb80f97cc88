/* VROOM's problems: jobs, one kind of vehicles, and the matrices between their locations. */
#ifndef EDGEFW__VROOM_H
#define EDGEFW__VROOM_H

#include "files/json_file.h"
#include "files/service_json.h"

/* Read the problem `root`. Stop 0 is where the vehicles start and end, the jobs follow in their
 * order and are called by their ids. With amounts and a capacity they are demands; one vehicle
 * without a capacity makes a tour. What makes another problem of it is refused (UNSUPPORTED, with
 * the place): time windows, skills, priorities, shipments, breaks, vehicles that differ, open
 * routes, limits of routes, amounts of several kinds. That the number of vehicles is not limited is
 * said in the log. FORMAT, OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__vroom_read(const edgefw__json_place *place,
                                                  edgefw_arena *arena, json_t *root,
                                                  edgefw__table_choice choice,
                                                  edgefw__stop_table *out);

#endif
