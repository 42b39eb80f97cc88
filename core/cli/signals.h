/* SIGINT, SIGTERM and SIGHUP (the terminal is gone): the first one asks the work to stop, a second
 * one ends the program. SIGXFSZ makes a write beyond the limit on file sizes fail like any other.
 */
#ifndef EDGEFW__SIGNALS_H
#define EDGEFW__SIGNALS_H

/* Catch them from now on, SIGHUP unless it is ignored (as under nohup); the flag that is returned
 * becomes 1 when one of the first three arrives (see edgefw_set_interrupt). A second signal of the
 * same kind has its default effect. */
const volatile int *edgefw__signals_catch(void);

#endif
