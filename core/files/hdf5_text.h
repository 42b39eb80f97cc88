/* Text attributes of variable length, which is how h5py writes any text. HDF5's own conversion
 * allocates what the file claims for their length, and trusts the heap that holds them; here both
 * are held against each other, the file and a bound before anything is allocated. */
#ifndef EDGEFW__HDF5_TEXT_H
#define EDGEFW__HDF5_TEXT_H

#include "files/hdf5_input.h"

/* Longest text attribute that is read, in bytes. */
#define EDGEFW__HDF5_MAX_TEXT (16 << 20)

/* Read the text of an open attribute `name` of one value, whose type (as H5Aget_type gives it) is
 * text of variable length. `input` was opened by edgefw__hdf5_open. *out is released by the caller
 * with edgefw_release. FORMAT, OUT_OF_MEMORY. */
EDGEFW_NODISCARD edgefw_status edgefw__hdf5_variable_text(const edgefw__hdf5_input *input,
                                                          hid_t attribute, hid_t type,
                                                          const char *name, char **out);

#endif
