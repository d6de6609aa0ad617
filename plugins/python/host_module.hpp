// The module `_ptp`: services of the host for ptp_runtime.py.
#pragma once

#include "objects.hpp"

#include <ptp/abi.h>

namespace ptp::python {

Object make_host_module();

// How the services know for which instance they are asked.
Object host_object(const ptp_host& host);

// Whether the exception that is set means that the host has reported a failure itself; its status
// then, and the exception is cleared.
bool take_host_failure(ptp_status& status);

}  // namespace ptp::python
