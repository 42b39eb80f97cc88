/* Asking the libraries for their versions. */
#include "files/library_versions.h"

#include <hdf5.h>
#include <jansson.h>
#include <zip.h>

void edgefw__library_versions(edgefw__text *text, const char *separator) {
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  edgefw__text_add(text, "HDF5 %u.%u.%u%s", major, minor, release, separator);
#ifdef EDGEFW_INIH_VERSION
  edgefw__text_add(text, "inih %s%s", EDGEFW_INIH_VERSION, separator);
#endif
  edgefw__text_add(text, "libzip %s%s", zip_libzip_version(), separator);
  edgefw__text_add(text, "jansson %s", jansson_version_str());
}
