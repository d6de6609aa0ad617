// Creates, calls and destroys instances of the classes of the user's Python script, for the C ABI.
// Errors become a ptp_status and a message for the host; nothing is thrown.
#pragma once

#include <ptp/abi.h>

#include <cstdint>

namespace ptp::python {

ptp_status create_component(std::uint32_t index, const ptp_host* host, const ptp_setup* setup,
                            void** out_instance);
void destroy_component(void* instance);
ptp_status run_component(void* instance, const ptp_step* step, const ptp_value* const* inputs,
                         ptp_value* const* outputs);

// Returns the function table of the extension `id` for the class with this index; nullptr if it
// lacks it.
const void* extension_of(std::uint32_t index, const char* id) noexcept;

}  // namespace ptp::python
