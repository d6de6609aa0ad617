// Instantiates the functions of each possible component by its index, as C has no closures.

#include "thunks.hpp"

#include "component.hpp"
#include "room.hpp"

#include <array>
#include <cstddef>
#include <utility>

namespace ptp::python {

namespace {

struct Functions {
    ptp_status (*create)(const ptp_host* host, const ptp_setup* setup, void** out_instance);
    const void* (*extension)(const char* id);
};

template <std::uint32_t kIndex>
constexpr Functions functions_of() {
    return {[](const ptp_host* host, const ptp_setup* setup, void** out_instance) {
                return create_component(kIndex, host, setup, out_instance);
            },
            [](const char* id) { return extension_of(kIndex, id); }};
}

template <std::size_t... kIndices>
constexpr std::array<Functions, kMaxComponents> all_functions(std::index_sequence<kIndices...>) {
    return {functions_of<kIndices>()...};
}

constexpr auto kFunctions = all_functions(std::make_index_sequence<kMaxComponents>());

}  // namespace

void set_functions(std::uint32_t index, ptp_component_info& info) {
    const Functions& functions = kFunctions.at(index);
    info.create = functions.create;
    info.destroy = destroy_component;
    info.forward = info.kind == PTP_TASK ? nullptr : run_component;
    info.extension = functions.extension;
}

}  // namespace ptp::python
