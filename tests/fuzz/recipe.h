/* HDF5 files that are well formed and hostile: a good file to which bytes of the input do things
 * with HDF5's own calls. Changed bytes of a file rarely get past HDF5's checksums; this gets to
 * what is examined behind them. */
#ifndef EDGEFW_TESTS_FUZZ_RECIPE_H
#define EDGEFW_TESTS_FUZZ_RECIPE_H

/* What a format has: objects by their paths ("/" first), and attributes that objects may have; both
 * lists end with NULL. */
typedef struct recipe_format {
  const char *good; /* a file of it */
  const char *const *objects, *const *attributes;
} recipe_format;

/* If the file at `path` is a recipe (short, and not like HDF5), put the good file in its place and
 * do what it says: four bytes of it are one change. What HDF5 refuses to do is left out. Other
 * inputs stay as they are. */
void recipe_prepare(const recipe_format *format, const char *path);

#endif
