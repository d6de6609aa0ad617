// The functions of a component, which the host calls without an argument for the component.
#pragma once

#include <ptp/abi.h>

#include <cstdint>

namespace ptp::python {

// Sets create, destroy, forward and extension to those of the script's class of this number.
void set_functions(std::uint32_t index, ptp_component_info& info);

}  // namespace ptp::python
