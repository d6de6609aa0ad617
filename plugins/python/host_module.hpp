// The module `_ptp`: services of the host for ptp_runtime.py.
#pragma once

#include "objects.hpp"

#include <ptp/abi.h>

namespace ptp::python {

Object make_host_module();

// Returns the object by which the services identify the instance.
Object host_object(const ptp_host& host);

// Returns whether the current exception means that the host itself has reported a failure; then
// sets its status and clears the exception.
bool take_host_failure(ptp_status& status);

}  // namespace ptp::python
