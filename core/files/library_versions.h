/* Versions of the libraries that files are read and written with. */
#ifndef EDGEFW__LIBRARY_VERSIONS_H
#define EDGEFW__LIBRARY_VERSIONS_H

#include "base/text.h"

/* Append "HDF5 1.10.8", "inih r56" and so on, with `separator` between. */
void edgefw__library_versions(edgefw__text *text, const char *separator);

#endif
