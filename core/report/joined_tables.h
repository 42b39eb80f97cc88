/* Joined runs as tables: what each variant reaches over the seeds, and whether variants differ. */
#ifndef EDGEFW__JOINED_TABLES_H
#define EDGEFW__JOINED_TABLES_H

#include "report/joined.h"

/* Append them to `text`, for a terminal or as a part of a page (PLAIN, HTML). */
EDGEFW_NODISCARD edgefw_status edgefw__joined_tables(const edgefw__joined *joined,
                                                     edgefw__report_style style,
                                                     edgefw__text *text);

/* Append a whole page of them, which needs no other file. */
EDGEFW_NODISCARD edgefw_status edgefw__joined_page(const edgefw__joined *joined,
                                                   edgefw__text *html);

#endif
