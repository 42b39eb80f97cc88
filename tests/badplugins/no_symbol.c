/* Stage symbol: a shared object without a descriptor. */
extern int edgefw_other;
int edgefw_other = 1;
