/* VRPLIB solution files (.sol). */
#include "files/vrp_solution.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "base/text_file.h"
#include "files/library_text.h"
#include "files/tsplib_scan.h"

/* --- Reading --- */

typedef struct reader {
  edgefw_context *ctx;
  const char *path;
  int64_t customers;
  int64_t *line_of; /* (customers + 1) line that visits the customer; 0: none yet */
  edgefw__vrp_solution solution;
  int64_t unknown; /* lines passed over */
  int64_t first_unknown;
} reader;

/* What follows `name` (whatever its case) at the head of a line; NULL if it begins otherwise. */
static const char *behind_name(const char *head, const char *name) {
  const size_t length = strlen(name);
  if (strncasecmp(head, name, length) != 0 || isalpha((unsigned char)head[length])) return NULL;
  return head + length;
}

static edgefw_status add_customer(reader *in, const edgefw__tsplib_word *word) {
  int64_t customer = 0;
  if (!edgefw__parse_integer(word->text, &customer) || customer < 1 || customer > in->customers) {
    return edgefw_fail(in->ctx, EDGEFW_FORMAT,
                       "'%s' line %" PRId64
                       ": found '%s' in a route, expected a customer from 1 to %" PRId64,
                       in->path, word->line, word->text, in->customers);
  }
  if (in->line_of[customer] > 0) {
    return edgefw_fail(in->ctx, EDGEFW_FORMAT,
                       "'%s' line %" PRId64 ": customer %" PRId64
                       " comes again, it is already in line %" PRId64,
                       in->path, word->line, customer, in->line_of[customer]);
  }
  in->line_of[customer] = word->line;
  in->solution.tour[in->solution.count++] = (int32_t)customer;
  return EDGEFW_OK;
}

/* `rest` is what stands behind "Route": its number and its customers. */
static edgefw_status read_route(reader *in, edgefw__tsplib_span rest) {
  rest.begin += strspn(rest.begin, " \t#");
  rest.begin += strspn(rest.begin, "0123456789");
  rest.begin += strspn(rest.begin, " \t");
  if (*rest.begin == ':') ++rest.begin;
  edgefw__tsplib_word word;
  bool first = true;
  while (edgefw__tsplib_next_word(&rest, &word)) {
    if (first) {
      in->solution.tour[in->solution.count++] = 0;
      ++in->solution.routes;
      first = false;
    }
    const edgefw_status status = add_customer(in, &word);
    if (status != EDGEFW_OK) return status;
  }
  return EDGEFW_OK;
}

static edgefw_status read_cost(reader *in, edgefw__tsplib_span rest) {
  edgefw__tsplib_word word = {.text = "", .line = rest.line};
  rest.begin += strspn(rest.begin, " \t:");
  (void)edgefw__tsplib_next_word(&rest, &word);
  if (in->solution.has_cost) {
    return edgefw_fail(in->ctx, EDGEFW_FORMAT, "'%s' line %" PRId64 ": Cost comes again", in->path,
                       word.line);
  }
  in->solution.has_cost = edgefw__parse_number(word.text, &in->solution.cost);
  if (in->solution.has_cost && !edgefw__tsplib_next_word(&rest, &word)) return EDGEFW_OK;
  if (in->solution.has_cost)
    return edgefw_fail(in->ctx, EDGEFW_FORMAT,
                       "'%s' line %" PRId64 ": found '%s' behind the number of Cost, expected one "
                       "number without blanks in it",
                       in->path, word.line, word.text);
  return edgefw_fail(in->ctx, EDGEFW_FORMAT,
                     "'%s' line %" PRId64 ": Cost is '%s', expected a finite number", in->path,
                     word.line, word.text);
}

static edgefw_status read_line(reader *in, edgefw__tsplib_span line) {
  line.begin += strspn(line.begin, " \t\r");
  if (line.begin >= line.end || *line.begin == '#') return EDGEFW_OK;
  const edgefw__tsplib_span whole = line;
  if ((line.begin = behind_name(whole.begin, "route"))) return read_route(in, line);
  line = whole;
  if ((line.begin = behind_name(whole.begin, "cost"))) return read_cost(in, line);
  if (isalpha((unsigned char)*whole.begin)) {
    if (in->unknown++ == 0) in->first_unknown = whole.line;
    return EDGEFW_OK;
  }
  edgefw__tsplib_span rest = whole;
  edgefw__tsplib_word word;
  (void)edgefw__tsplib_next_word(&rest, &word);
  return edgefw_fail(in->ctx, EDGEFW_FORMAT,
                     "'%s' line %" PRId64 ": found '%s', expected \"Route #k: ...\" or \"Cost c\"",
                     in->path, whole.line, word.text);
}

static edgefw_status read_lines(reader *in, const char *text) {
  int64_t line = 0;
  for (const char *p = text; *p;) {
    const char *end = p + strcspn(p, "\n");
    const edgefw_status status =
        read_line(in, (edgefw__tsplib_span){.begin = p, .end = end, .line = ++line});
    if (status != EDGEFW_OK) return status;
    p = *end ? end + 1 : end;
  }
  for (int64_t customer = 1; customer <= in->customers; ++customer) {
    if (in->line_of[customer] > 0) continue;
    return edgefw_fail(in->ctx, EDGEFW_MISMATCH,
                       "'%s': no route visits customer %" PRId64
                       ", expected customers 1 to %" PRId64 " once each",
                       in->path, customer, in->customers);
  }
  if (in->unknown > 0) {
    edgefw_log(in->ctx, EDGEFW_LOG_WARNING,
               "'%s': passed over %" PRId64 " unknown line%s, the first is line %" PRId64, in->path,
               in->unknown, in->unknown > 1 ? "s" : "", in->first_unknown);
  }
  return EDGEFW_OK;
}

edgefw_status edgefw__vrp_solution_read(edgefw_context *ctx, edgefw_arena *arena, const char *path,
                                        int64_t customers, edgefw__vrp_solution *out) {
  char *text = NULL;
  size_t length = 0;
  edgefw_status status = edgefw__library_text_read(ctx, path, &text, &length);
  if (status != EDGEFW_OK) return status;
  reader in = {.ctx = ctx, .path = path, .customers = customers};
  in.line_of = edgefw_allocate(ctx, (size_t)customers + 1, sizeof *in.line_of, "a solution");
  /* A route holds at least one customer, and one that comes again is refused at once. */
  in.solution.tour = edgefw_arena_take(arena, 2 * (size_t)customers + 1, sizeof *in.solution.tour);
  status = in.line_of && in.solution.tour ? read_lines(&in, text) : EDGEFW_OUT_OF_MEMORY;
  if (status == EDGEFW_OK) *out = in.solution;
  edgefw_release(ctx, in.line_of);
  edgefw_release(ctx, text);
  return status;
}

/* --- Writing --- */

void edgefw__vrp_solution_add(edgefw__text *text, const int32_t *tour, int64_t count, double cost) {
  int64_t routes = 0;
  bool at_depot = true;
  for (int64_t t = 0; t < count; ++t) {
    if (tour[t] == 0) {
      if (!at_depot) edgefw__text_add(text, "\n");
    } else {
      if (at_depot) edgefw__text_add(text, "Route #%" PRId64 ":", ++routes);
      edgefw__text_add(text, " %" PRId32, tour[t]);
    }
    at_depot = tour[t] == 0;
  }
  char number[32];
  edgefw__text_add(text, "%sCost %s\n", at_depot ? "" : "\n",
                   edgefw__number_text(cost, number, sizeof number));
}
