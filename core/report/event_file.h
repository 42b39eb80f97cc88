/* TensorBoard's event files, byte by byte: records as TFRecord frames them, each a message Event of
 * protocol buffers (tensorflow/core/util/event.proto). */
#ifndef EDGEFW__EVENT_FILE_H
#define EDGEFW__EVENT_FILE_H

#include "base/text.h"

/* What such a file is called: TensorBoard knows it by "tfevents". */
#define EDGEFW__EVENT_FILE_NAME "events.out.tfevents.edgefw"

/* Append the record that begins a file: its version, at `wall_time` (seconds since 1970). `file`
 * takes bytes, zeros too; its failure is sticky as that of a text. */
void edgefw__event_file_begin(edgefw__text *file, double wall_time);

/* Append a scalar: `value` of `tag` at `step` (at least 0). Bytes of `tag` that are no UTF-8, and
 * control characters, become '?', for protocol buffers take no others. The value is stored as
 * float32. */
void edgefw__event_file_scalar(edgefw__text *file, double wall_time, int64_t step, const char *tag,
                               double value);

/* When a file whose first bytes are these was begun: *wall_time, if the first record is whole and
 * one of edgefw__event_file_begin; false otherwise. */
bool edgefw__event_file_began(const void *bytes, size_t length, double *wall_time);

/* Bytes that edgefw__event_file_began looks at, at most. */
#define EDGEFW__EVENT_FILE_HEAD 40

#endif
