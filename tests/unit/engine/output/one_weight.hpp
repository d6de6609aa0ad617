// The weight of a model that is made for a test.
#pragma once

#include <ptp/ext/parameters.h>

#include <ATen/core/Tensor.h>

#include <string_view>

namespace ptp::test {

inline at::Tensor weight;  // a functions' table cannot carry anything along

// The `extension` of a component whose only parameter is `weight`.
inline const void* only_weight(const char* id) {
    static const ptp_parameters parameters = {
        sizeof(ptp_parameters), [](void*, ptp_visit visit, void* user) -> ptp_status {
            return visit(user, "weight", PTP_PARAMETER, reinterpret_cast<ptp_value*>(&weight));
        }};
    return std::string_view(id) == PTP_EXTENSION_PARAMETERS ? &parameters : nullptr;
}

}  // namespace ptp::test
