/* Fuzz drivers: fuzz_NAME.c gives changed files to one reader, and fuzz.c watches over it. What
 * makes the inputs is libFuzzer in a tree that is built with it (EDGEFW_FUZZER, clang), and
 * otherwise main.c, by plain mutation of the files in tests/fuzz/NAME.
 *
 * A fault is a crash, a report of a sanitizer, an input that takes more than ten seconds, a request
 * for far more memory than the input can need, memory that is not given back, and a failure without
 * a message of one line. */
#ifndef EDGEFW_TESTS_FUZZ_H
#define EDGEFW_TESTS_FUZZ_H

#include <stdint.h>

#include "edgefw/context.h"

/* --- What a driver provides --- */

/* Name of the file that it reads, such as "input.vrp". */
extern const char fuzz_file_name[];

/* Once, before the first input: what all inputs share. */
void fuzz_set_up(edgefw_context *ctx);

/* Read the file; its bytes are anything. Gives back what it takes from the context. */
edgefw_status fuzz_read(edgefw_context *ctx, const char *path);

/* --- What fuzz.c provides --- */

/* Try one input: 0. Its file stays until the next one. Ends the process at a fault. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Once, before the first input; LLVMFuzzerTestOneInput does it where nobody has. Processes that are
 * forked afterwards share what was set up, and have each a file of its own. The folder of the files
 * is removed when the process that began ends. */
void fuzz_begin(void);

/* Was the last input refused? */
bool fuzz_was_refused(void);

/* Plugins of the build tree, opened on the first call. */
struct edgefw__registry;
const struct edgefw__registry *fuzz_registry(edgefw_context *ctx);

/* End the process: "fuzz: WHAT". */
_Noreturn void fuzz_fault(const char *format, ...) EDGEFW_PRINTF(1, 2);

#endif
