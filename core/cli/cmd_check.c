/* edgefw check: what somebody's solution costs, or why it is none. */
#include <inttypes.h>
#include <math.h>

#include "base/json.h"
#include "cli/instance_options.h"
#include "eval/check_solution.h"
#include "eval/inputs.h"

static const edgefw__argument options[] = {
    {"--problem", NULL, "NAME", "problem plugin (default: the first that reads both files)"},
    {"--instance", NULL, "N",
     "number of the instance in a dataset or a file of several, from 0 (the default)"},
    EDGEFW__INSTANCE_ARGUMENTS,
    {"--forbidden", NULL, "VALUE", "arcs that cost so much are forbidden; none: no arc is"},
    {"--json", NULL, NULL, "print the answer as a line of JSON"},
    {0}};

static void add_plain(const edgefw__checked_solution *checked, edgefw__text *text) {
  char number[32];
  edgefw__text_add(text, "%s: n = %" PRId64 ", ", checked->name, checked->n);
  if (checked->routes > 0)
    edgefw__text_add(text, "%" PRId64 " route%s, ", checked->routes,
                     checked->routes == 1 ? "" : "s");
  edgefw__text_add(text, "cost %s%s (%s)\n",
                   edgefw__number_text(checked->cost, number, sizeof number),
                   isnan(checked->stated) ? "" : ", as it says", checked->problem);
}

static void add_json(const edgefw__checked_solution *checked, edgefw__text *text) {
  edgefw__text_add(text, "{\"name\": ");
  edgefw__json_string(text, checked->name);
  edgefw__text_add(text, ", \"problem\": ");
  edgefw__json_string(text, checked->problem);
  edgefw__text_add(text, ", \"n\": %" PRId64 ", \"routes\": ", checked->n);
  edgefw__json_number(text, checked->routes > 0 ? (double)checked->routes : (double)NAN);
  edgefw__text_add(text, ", \"cost\": ");
  edgefw__json_number(text, checked->cost);
  edgefw__text_add(text, ", \"stated\": ");
  edgefw__json_number(text, checked->stated);
  edgefw__text_add(text, "}\n");
}

static edgefw_status command(edgefw__cli *cli, const edgefw__arguments *arguments) {
  static const char *const words[] = {"FILE", "SOLUTION", NULL};
  edgefw__checked_solution checked;
  edgefw__instance_options reading;
  edgefw__check_request request = {.problem =
                                       edgefw__arguments_value(arguments, "--problem", NULL)};
  edgefw_status status = edgefw__arguments_words(arguments, words);
  if (status == EDGEFW_OK)
    status = edgefw__arguments_integer(arguments, "--instance", 0, INT64_MAX, &request.number);
  if (status == EDGEFW_OK && edgefw__arguments_has(arguments, "--instance") &&
      !edgefw__input_is_dataset(arguments->words[0]) &&
      !edgefw__instance_file_is(arguments->words[0]))
    status = edgefw_fail(cli->ctx, EDGEFW_CONFIG, "--instance needs a dataset");
  if (status == EDGEFW_OK) status = edgefw__cli_instance_options(arguments, &reading);
  if (status == EDGEFW_OK) status = edgefw__cli_instance_refuse(arguments, arguments->words, 1);
  if (status == EDGEFW_OK) status = edgefw__cli_open(cli, arguments);
  if (status != EDGEFW_OK) return status;
  request.forbidden = edgefw__arguments_value(arguments, "--forbidden", NULL);
  request.instance = arguments->words[0];
  request.reading = &reading;
  request.solution = arguments->words[1];
  status = edgefw__check_solution(cli->ctx, cli->arena, cli->registry, &request, &checked);
  if (status != EDGEFW_OK) return status;
  edgefw__text text = {.ctx = cli->ctx};
  if (edgefw__arguments_has(arguments, "--json"))
    add_json(&checked, &text);
  else
    add_plain(&checked, &text);
  return edgefw__cli_print(cli, &text);
}

const edgefw__command edgefw__command_check = {
    .name = "check",
    .summary = "price a tour or routes against an instance",
    .usage = "FILE SOLUTION [--problem NAME] [--instance N] [--forbidden VALUE] [--json]\n"
             "[--depot STOP] [--demands FILE|LIST] [--capacity NUMBER] [--use TABLE]",
    .details =
        "FILE is a TSPLIB or VRPLIB file, a dataset, or a matrix or JSON of another program, with\n"
        "the options that 'edgefw solve' had for it, SOLUTION a TOUR file or a VRPLIB .sol. The\n"
        "problem's checker prices it on the file's own numbers. What is no solution is refused\n"
        "with the node and the place: a line of the file, or the route. So is one that uses a\n"
        "forbidden arc, and one that costs something else than the file says. The exit status is 1 "
        "then.\n",
    .options = options,
    .run = command};
