/* What a file asks beyond demand and capacity is refused with its keyword and line. */
#include "support/test.h"

#include <stdio.h>
#include <string.h>

#include "files/tsplib_restrictions.h"
#include "support/io_support.h"
#include "support/workspace.h"

static edgefw_status look_at(workspace *f, const char *text, const char *type) {
  edgefw__tsplib_document document;
  const edgefw_status status = edgefw__tsplib_scan(f->ctx, "x.vrp", text, &document);
  if (status != EDGEFW_OK) return status;
  return edgefw__tsplib_refuse_restrictions(&document, type);
}

static void every_restriction_is_refused(void **state) {
  workspace *f = *state;
  static const char *const restricting[] = {
      "DISTANCE : 200",
      "SERVICE_TIME : 10.0",
      "SERVICE_TIME : ten",
      "SERVICE_TIME_SECTION\n1 0\n2 5",
      "TIME_WINDOW_SECTION\n1 0 100\n-1",
      "PICKUP_AND_DELIVERY_SECTION\n1 0 0 1000 0 0 2",
      "BACKHAUL_SECTION\n5 6\n-1",
      "DRAFT_LIMIT_SECTION\n1 4",
      "CAPACITY_VOL : 12",
      "FIXED_EDGES_SECTION\n1 2\n-1",
      "EDGE_DATA_SECTION\n1 2\n-1",
      "REQUIRED_NODES_SECTION\n3 -1",
      "CTSP_SET_SECTION\n1 2 -1",
      "GVRP_SET_SECTION\n1 2 -1",
      "VEHICLES_MAX_DISTANCE: 45",
      "VEHICLES_MAX_DURATION : 1e3",
      "VEHICLES_MAX_DISTANCE_SECTION\n1 45\n2 50",
      "VEHICLES_MAX_DURATION_SECTION\n1 45",
      "VEHICLES_MAX_RELOADS_SECTION\n1 2",
      "VEHICLES_FIXED_COST_SECTION\n1 10",
      "VEHICLES_UNIT_DISTANCE_COST_SECTION\n1 2",
      "VEHICLES_UNIT_DISTANCE_COST : 2",
      "VEHICLES_ALLOWED_CLIENTS_SECTION\n1 2 3",
      "VEHICLES_DEPOT_SECTION\n1 1",
      "CAPACITY_SECTION\n1 10\n2 20",
      "DEMAND_DIMENSION : 2",
      "PRIZE_SECTION\n1 0\n2 5",
      "RELEASE_TIME_SECTION\n1 0\n2 5",
      "TIME_WINDOW : 0 100",
      "MUTUALLY_EXCLUSIVE_GROUP_SECTION\n1 2 3",
      "LINEHAUL_SECTION\n1 0\n2 5",
      "PICKUP_SECTION\n2 5",
      "GTSP_SET_SECTION\n1 2 -1",
      "ROUTE_LIMIT 7",
      "MAX_DURATION : 7",
      "RISK_THRESHOLD : 10",
      "SCALE : 100",
      "anything_new_section\n1 7",
      "ANYTHING-NEW-SECTION : 7",
  };
  for (size_t i = 0; i < sizeof restricting / sizeof *restricting; ++i) {
    char text[256], expected[256];
    snprintf(text, sizeof text, "NAME : x\n\n%s\nDIMENSION : 6\n", restricting[i]);
    snprintf(expected, sizeof expected, "'x.vrp' line 3: %.*s (",
             (int)strcspn(restricting[i], ": \n"), restricting[i]);
    assert_fails(f->ctx, look_at(f, text, "CVRP"), EDGEFW_UNSUPPORTED, expected);
  }
}

static void empty_restrictions_are_none(void **state) {
  workspace *f = *state;
  io_log log = {0};
  edgefw_set_log(f->ctx, io_collect, &log);
  assert_ok(f->ctx, look_at(f,
                            "SERVICE_TIME : 0\nFIXED_EDGES_SECTION\n-1\nTIME_WINDOW_SECTION\n"
                            "BACKHAUL_SECTION : -1\nDISTANCE : 0.0\nCAPACITY : 7\n",
                            "CVRP"));
  assert_int_equal(log.warnings, 0);
  assert_ok(f->ctx, look_at(f,
                            "VEHICLES_MAX_DISTANCE : 0\nNEW_SECTION\n-1\nPRIZE_SECTION\n"
                            "VEHICLES_UNIT_DISTANCE_COST : 1\nDEMAND_DIMENSION : 1\nSCALE : 1\n"
                            "COLOUR : red\n",
                            "CVRP"));
  assert_int_equal(log.warnings, 1); /* which names them all */
  assert_non_null(strstr(log.text, "'COLOUR' in line 8"));
  edgefw_set_log(f->ctx, NULL, NULL);
}

static void files_that_are_no_instance_are_refused(void **state) {
  workspace *f = *state;
  static const char *const types[] = {"HCP", "SOP", "TOUR"};
  for (size_t i = 0; i < sizeof types / sizeof *types; ++i) {
    char text[64], expected[64];
    snprintf(text, sizeof text, "NAME : x\nTYPE : %s remark\n", types[i]);
    snprintf(expected, sizeof expected, "line 2: TYPE is %s, expected an instance", types[i]);
    assert_fails(f->ctx, look_at(f, text, types[i]), EDGEFW_UNSUPPORTED, expected);
  }
  assert_ok(f->ctx, look_at(f, "TYPE : TSP\n", "TSP"));
  assert_ok(f->ctx, look_at(f, "", "")); /* the problem decides */
}

static void a_number_of_vehicles_gives_one_warning(void **state) {
  workspace *f = *state;
  static const char *const keywords[] = {"VEHICLES", "SALESMEN"};
  for (size_t i = 0; i < 2; ++i) {
    io_log log = {0};
    edgefw_set_log(f->ctx, io_collect, &log);
    char text[64], expected[64];
    snprintf(text, sizeof text, "NAME : x\n%s : 2\nCAPACITY 3\n", keywords[i]);
    snprintf(expected, sizeof expected, "'x.vrp' line 2: %s is passed over", keywords[i]);
    assert_ok(f->ctx, look_at(f, text, "CVRP"));
    assert_int_equal(log.warnings, 1);
    assert_non_null(strstr(log.text, expected));
    edgefw_set_log(f->ctx, NULL, NULL);
  }
}

#define restrictions_test(name)                                                                    \
  cmocka_unit_test_setup_teardown(name, workspace_set_up, workspace_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      restrictions_test(every_restriction_is_refused),
      restrictions_test(empty_restrictions_are_none),
      restrictions_test(files_that_are_no_instance_are_refused),
      restrictions_test(a_number_of_vehicles_gives_one_warning),
  };
  return test_run(tests, NULL, NULL);
}
