/* SIGINT and SIGTERM: the first one asks the work to stop, a second one ends the program. */
#ifndef EDGEFW__SIGNALS_H
#define EDGEFW__SIGNALS_H

/* Catch both from now on; the flag that is returned becomes 1 when one arrives (see
 * edgefw_set_interrupt). A second signal of the same kind has its default effect. */
const volatile int *edgefw__signals_catch(void);

#endif
