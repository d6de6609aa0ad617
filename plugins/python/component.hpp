// An instance of a class of the script, and its calls. All may throw what guarded() accepts.
#pragma once

#include <ptp/abi.h>

#include <cstdint>

namespace ptp::python {

ptp_status create_component(std::uint32_t index, const ptp_host* host, const ptp_setup* setup,
                            void** out_instance);
void destroy_component(void* instance);
ptp_status run_component(void* instance, const ptp_step* step, const ptp_value* const* inputs,
                         ptp_value* const* outputs);

// Returns the abilities of the class of this number.
const void* extension_of(std::uint32_t index, const char* id);

}  // namespace ptp::python
