/* CRC-32C (Castagnoli), the checksum of TFRecord files. */
#ifndef EDGEFW__CRC32C_H
#define EDGEFW__CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Checksum of `length` bytes: reflected polynomial 0x82f63b78, all bits set at the beginning and
 * inverted at the end, as RFC 3720 (appendix B.4) has it. */
uint32_t edgefw__crc32c(const void *bytes, size_t length);

#endif
