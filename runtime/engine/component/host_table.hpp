// The C functions of ptp_host, for a Host.

#pragma once

#include <ptp/abi.h>

namespace ptp::engine {

class Host;

// Returns the table with `host` as its context. Keeps only the address.
ptp_host host_table(Host& host);

}  // namespace ptp::engine
