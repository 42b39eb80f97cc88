/* Compiler marks shared by all public headers. */
#ifndef EDGEFW_EXPORT_H
#define EDGEFW_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define EDGEFW_EXPORT             __attribute__((visibility("default")))
#define EDGEFW_NODISCARD          __attribute__((warn_unused_result))
#define EDGEFW_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))
#else
#define EDGEFW_EXPORT
#define EDGEFW_NODISCARD
#define EDGEFW_PRINTF(fmt, first)
#endif

/* Every function of libedgefw that a plugin may call carries this mark. */
#define EDGEFW_API EDGEFW_EXPORT

#ifdef __cplusplus
#define EDGEFW_BEGIN_DECLS extern "C" {
#define EDGEFW_END_DECLS   }
#else
#define EDGEFW_BEGIN_DECLS
#define EDGEFW_END_DECLS
#endif

#endif
