#include "abi_is_c.c"  // the very same source, as C++
