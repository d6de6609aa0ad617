// The C functions of ptp_host, for a Host.

#pragma once

#include <ptp/abi.h>

namespace ptp::engine {

class Host;

// The table with `host` as its context. Keeps the address only.
ptp_host host_table(Host& host);

}  // namespace ptp::engine
