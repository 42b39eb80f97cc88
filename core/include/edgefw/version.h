/* Version of edgefw. CMakeLists.txt reads it from here. */
#ifndef EDGEFW_VERSION_H
#define EDGEFW_VERSION_H

#define EDGEFW_VERSION "0.1.0"

#endif
