/* Everything a plugin author may include. */
#ifndef EDGEFW_H
#define EDGEFW_H

#include "edgefw/arena.h"
#include "edgefw/assignment.h"
#include "edgefw/backbone.h"
#include "edgefw/communicator.h"
#include "edgefw/context.h"
#include "edgefw/cost.h"
#include "edgefw/graph.h"
#include "edgefw/heuristic.h"
#include "edgefw/instance.h"
#include "edgefw/options.h"
#include "edgefw/plugin.h"
#include "edgefw/problem.h"
#include "edgefw/rng.h"
#include "edgefw/status.h"
#include "edgefw/term.h"
#include "edgefw/tsplib.h"
#include "edgefw/version.h"

#endif
