/* Pickles as C strings, put together of their opcodes, for tests: PICKLE("...") is a pair of bytes
 * and their number. */
#ifndef EDGEFW_TESTS_SUPPORT_PICKLE_SUPPORT_H
#define EDGEFW_TESTS_SUPPORT_PICKLE_SUPPORT_H

#define PICKLE(text) (const unsigned char *)(text), sizeof(text) - 1

#define PROTOCOL "\x80\x02"
/* A text of LENGTH (one character) bytes. */
#define TEXT(length, text) "X" length "\0\0\0" text
/* The persistent id of six numbers; TYPE as in "FloatStorage". */
#define STORAGE_OF(type, key, count)                                                               \
  "(" TEXT("\7", "storage") "ctorch\n" type "\n" TEXT("\1", key) TEXT("\3", "cpu") count "tQ"
#define STORAGE STORAGE_OF("FloatStorage", "0", "K\6")
/* A tensor of a storage; offset, sizes and strides are opcodes. */
#define TENSOR_OF(storage, offset, sizes, strides)                                                 \
  "ctorch._utils\n_rebuild_tensor_v2\n(" storage offset sizes strides "\x89"                       \
  "NtR"
#define TENSOR TENSOR_OF(STORAGE, "K\0", "K\2K\3\x86", "K\3K\1\x86")

#endif
