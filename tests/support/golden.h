/* Reading golden files (tests/golden/NAME.h5, written by make_golden.py). A file, dataset or
 * attribute that is not as asked for fails the test. */
#ifndef EDGEFW_TESTS_SUPPORT_GOLDEN_H
#define EDGEFW_TESTS_SUPPORT_GOLDEN_H

#include <hdf5.h>
#include <stdint.h>

/* Open golden/NAME.h5 of $EDGEFW_TEST_DATA, or else of the source tree, for reading; close it with
 * H5Fclose. */
hid_t golden_open(const char *name);

/* The dataset at `path`, which must hold exactly `count` numbers of whatever type. */
void golden_read(hid_t file, const char *path, int64_t count, double *out);

/* Numbers in the dataset at `path`. */
int64_t golden_count(hid_t file, const char *path);

/* A number among the attributes of the file. */
double golden_attribute(hid_t file, const char *name);

/* A text among them; free(). */
char *golden_text(hid_t file, const char *name);

/* The `count` numbers of a parameter in a packed array ("/parameters", "/gradients"); see
 * golden/README.md. */
void golden_read_packed(hid_t file, const char *path, const char *parameter, int64_t count,
                        double *out);

#endif
