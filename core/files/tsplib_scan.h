/* The outer form of a TSPLIB file: where its keywords and their values or data are. Knows nothing
 * of their meaning, so that any order of keywords is the same. */
#ifndef EDGEFW__TSPLIB_SCAN_H
#define EDGEFW__TSPLIB_SCAN_H

#include "edgefw/context.h"

/* X(keyword): all that TSPLIB 95 and VRPLIB files use, and those of their extensions that change
 * what a solution is. EOF is apart. */
#define EDGEFW__TSPLIB_KEYWORDS(X)                                                                 \
  X(NAME)                                                                                          \
  X(TYPE)                                                                                          \
  X(COMMENT)                                                                                       \
  X(DIMENSION)                                                                                     \
  X(CAPACITY)                                                                                      \
  X(EDGE_WEIGHT_TYPE)                                                                              \
  X(EDGE_WEIGHT_FORMAT)                                                                            \
  X(EDGE_DATA_FORMAT)                                                                              \
  X(NODE_COORD_TYPE)                                                                               \
  X(DISPLAY_DATA_TYPE)                                                                             \
  X(EDGE_WEIGHT_SECTION)                                                                           \
  X(NODE_COORD_SECTION)                                                                            \
  X(DISPLAY_DATA_SECTION)                                                                          \
  X(EDGE_DATA_SECTION)                                                                             \
  X(FIXED_EDGES_SECTION)                                                                           \
  X(DEPOT_SECTION)                                                                                 \
  X(DEMAND_SECTION)                                                                                \
  X(TOUR_SECTION)                                                                                  \
  X(VEHICLES)                                                                                      \
  X(SALESMEN)                                                                                      \
  X(CAPACITY_VOL)                                                                                  \
  X(DISTANCE)                                                                                      \
  X(SERVICE_TIME)                                                                                  \
  X(SERVICE_TIME_SECTION)                                                                          \
  X(TIME_WINDOW_SECTION)                                                                           \
  X(PICKUP_AND_DELIVERY_SECTION)                                                                   \
  X(BACKHAUL_SECTION)                                                                              \
  X(DRAFT_LIMIT_SECTION)                                                                           \
  X(REQUIRED_NODES_SECTION)                                                                        \
  X(CTSP_SET_SECTION)                                                                              \
  X(GVRP_SET_SECTION)

typedef enum edgefw__tsplib_keyword {
#define EDGEFW__TSPLIB_ENUM(name) EDGEFW__TSPLIB_##name,
  EDGEFW__TSPLIB_KEYWORDS(EDGEFW__TSPLIB_ENUM)
#undef EDGEFW__TSPLIB_ENUM
      EDGEFW__TSPLIB_KEYWORD_COUNT
} edgefw__tsplib_keyword;

/* What belongs to a keyword: from behind it and its colon to the next line with a keyword. */
typedef struct edgefw__tsplib_span {
  const char *begin; /* NULL: the file has no such keyword */
  const char *end;
  int64_t line;     /* where `begin` is, from 1 */
  int64_t end_line; /* last line */
} edgefw__tsplib_span;

enum {
  EDGEFW__TSPLIB_NAME_SIZE = 64,  /* of a keyword, with its end mark */
  EDGEFW__TSPLIB_MAX_UNKNOWN = 24 /* so many fit into one warning */
};

/* A keyword that is not in the list above. */
typedef struct edgefw__tsplib_unknown {
  char name[EDGEFW__TSPLIB_NAME_SIZE]; /* as written */
  edgefw__tsplib_span span;            /* of the first one of that name that is not empty */
} edgefw__tsplib_unknown;

typedef struct edgefw__tsplib_document {
  edgefw_context *ctx;
  const char *path;
  edgefw__tsplib_span spans[EDGEFW__TSPLIB_KEYWORD_COUNT];
  edgefw__tsplib_unknown unknown[EDGEFW__TSPLIB_MAX_UNKNOWN];
  int unknown_count;
} edgefw__tsplib_document;

/* "DIMENSION" of EDGEFW__TSPLIB_DIMENSION. */
const char *edgefw__tsplib_keyword_name(edgefw__tsplib_keyword keyword);

/* Find the keywords in `text`, which outlives the document, as does `path`. Lines that are blank or
 * begin with '#' and everything behind EOF are passed over. Unknown keywords are listed, and one
 * warning names them all. FORMAT for a keyword that comes twice (COMMENT and unknown ones may), for
 * a first line that has none, and for more unknown ones than fit. */
EDGEFW_NODISCARD edgefw_status edgefw__tsplib_scan(edgefw_context *ctx, const char *path,
                                                   const char *text, edgefw__tsplib_document *out);

/* A word (what stands between blanks) of a span. */
typedef struct edgefw__tsplib_word {
  char text[64]; /* "" if it has more than 63 bytes: nothing of meaning has */
  int64_t line;
} edgefw__tsplib_word;

/* Words of a span one by one; begin with a copy of the span, which shrinks from its head. False at
 * its end. Comment lines are passed over. */
bool edgefw__tsplib_next_word(edgefw__tsplib_span *rest, edgefw__tsplib_word *out);

/* The next word as a number; a missing or other word is FORMAT, with line and `keyword`. */
EDGEFW_NODISCARD edgefw_status edgefw__tsplib_next_number(const edgefw__tsplib_document *document,
                                                          edgefw__tsplib_keyword keyword,
                                                          edgefw__tsplib_span *rest, double *out);

/* The one number of a keyword that has a value, in *out. FORMAT, with line, if it has another
 * value, none, or more behind it: "10 000" is no 10. */
EDGEFW_NODISCARD edgefw_status edgefw__tsplib_one_number(const edgefw__tsplib_document *document,
                                                         edgefw__tsplib_keyword keyword,
                                                         double *out);

/* FORMAT, with line, if there is a word behind the number of `keyword`. */
EDGEFW_NODISCARD edgefw_status edgefw__tsplib_no_more(const edgefw__tsplib_document *document,
                                                      edgefw__tsplib_keyword keyword,
                                                      edgefw__tsplib_span rest);

/* The next word as the number of a node, 1 to `n` in the file, from 0 in *out; FORMAT likewise. */
EDGEFW_NODISCARD edgefw_status edgefw__tsplib_next_node(const edgefw__tsplib_document *document,
                                                        edgefw__tsplib_keyword keyword, int64_t n,
                                                        edgefw__tsplib_span *rest, int64_t *out);

/* Is there nothing in a span but 0 and -1, which ends a list? */
bool edgefw__tsplib_is_empty(edgefw__tsplib_span span);

/* Number of words in a span. */
int64_t edgefw__tsplib_count_words(edgefw__tsplib_span span);

#endif
