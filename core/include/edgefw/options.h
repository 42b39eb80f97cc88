/* Options: a plugin declares the keys it understands; the core parses, checks and documents them.
 * Defaults are written here and nowhere else: help, the reference page, the resolved configuration
 * and the values all come from this table. */
#ifndef EDGEFW_OPTIONS_H
#define EDGEFW_OPTIONS_H

#include "edgefw/context.h"

EDGEFW_BEGIN_DECLS

typedef enum edgefw_option_type {
  EDGEFW_OPTION_INT = 1,  /* whole number in [min, max] */
  EDGEFW_OPTION_REAL,     /* finite number in [min, max] */
  EDGEFW_OPTION_BOOL,     /* true | false | yes | no | on | off | 1 | 0 */
  EDGEFW_OPTION_TEXT,     /* any text */
  EDGEFW_OPTION_CHOICE,   /* one of `choices` ("greedy|sample") */
  EDGEFW_OPTION_PATH,     /* a file; relative to the folder of the INI file that names it */
  EDGEFW_OPTION_INT_LIST, /* comma separated whole numbers, each in [min, max]; "20..100" for all of
                             a range */
  EDGEFW_OPTION_TEXT_LIST, /* comma separated words */
  EDGEFW_OPTION_PATH_LIST  /* comma separated files */
} edgefw_option_type;

/* One key. A table of them ends with an entry whose key is NULL. A key "test.*" stands for all keys
 * with that prefix. min == max == 0 means no bounds. */
typedef struct edgefw_option {
  const char *key;
  edgefw_option_type type;
  const char *fallback; /* default, as it would be written in the INI file; NULL: no value */
  const char *choices;  /* CHOICE only */
  const char *help;     /* one line */
  double min, max;
} edgefw_option;

/* Values for one table, already checked: the getters cannot fail. Asking for a key that the table
 * does not declare, or for another type than declared, is a caller's bug (asserted). Strings and
 * lists live as long as the options. */
typedef struct edgefw_options edgefw_options;

EDGEFW_API int64_t edgefw_options_int(const edgefw_options *options, const char *key);
EDGEFW_API double edgefw_options_real(const edgefw_options *options, const char *key);
EDGEFW_API bool edgefw_options_bool(const edgefw_options *options, const char *key);
EDGEFW_API const char *edgefw_options_text(const edgefw_options *options, const char *key);

/* Position of the value in `choices`, from 0. */
EDGEFW_API int edgefw_options_choice(const edgefw_options *options, const char *key);

/* Lists: number of items, and item `index` in [0, count). */
EDGEFW_API int64_t edgefw_options_count(const edgefw_options *options, const char *key);
EDGEFW_API int64_t edgefw_options_int_at(const edgefw_options *options, const char *key,
                                         int64_t index);
EDGEFW_API const char *edgefw_options_text_at(const edgefw_options *options, const char *key,
                                              int64_t index);

EDGEFW_END_DECLS

#endif
