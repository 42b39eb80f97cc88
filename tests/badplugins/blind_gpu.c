/* Stage member: the toy GPU has memory of its own, and here no way to bring exact doubles there. */
#define TOY_GPU_BLIND
#include "badplugins/toy_gpu.c"
