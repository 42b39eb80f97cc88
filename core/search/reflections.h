/* The square's symmetries: instances with coordinates are solved once more in each of them. */
#ifndef EDGEFW__REFLECTIONS_H
#define EDGEFW__REFLECTIONS_H

#include "search/rollouts.h"

/* Roll out the batch in the seven other symmetries of the unit square (the problem declares
 * `coordinates`) and keep what is better than `best`. `scratch` has room for the coordinates of the
 * batch (B,n,2), which are as before afterwards. */
EDGEFW_NODISCARD edgefw_status edgefw__search_reflections(edgefw__policy *policy,
                                                          const edgefw__batch *batch,
                                                          const edgefw__search *search,
                                                          double *scratch,
                                                          edgefw__incumbents *best);

#endif
