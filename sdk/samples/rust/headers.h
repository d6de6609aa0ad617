/* What bindings.rs is made of. */
#include <ptp/abi.h>
#include <ptp/ext/statistics.h>
