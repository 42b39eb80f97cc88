/* What can be told of a shared object's file before the system maps it. A file that is cut short
 * would end the process inside of dlopen, which trusts what the head of the file claims. */
#ifndef EDGEFW__OBJECT_FILE_H
#define EDGEFW__OBJECT_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* May `path` be given to dlopen: is it a regular file (opening a pipe would wait for ever), and
 * does the file hold all the segments, tables and sections that its head names? A file that is no
 * ELF file of this machine's word size passes: dlopen says so itself. False: one line in `why`. */
bool edgefw__object_file_check(const char *path, char *why, size_t why_size);

#endif
