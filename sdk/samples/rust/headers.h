/* The headers from which bindings.rs is generated. */
#include <ptp/abi.h>
#include <ptp/ext/statistics.h>
