// Compares the libtorch of this build with the versions that features need.

#include "experiment/libtorch_version.hpp"

#include <charconv>

namespace ptp::experiment {

std::string libtorch_version() {
    const std::string_view fingerprint = PTP_LIBTORCH_FINGERPRINT;
    return std::string(fingerprint.substr(0, fingerprint.find(' ')));
}

bool is_from(std::string_view libtorch, const std::array<int, 2>& version) {
    std::array found = {0, 0};
    for (int& part : found) {
        const auto [end, error] =
            std::from_chars(libtorch.data(), libtorch.data() + libtorch.size(), part);
        libtorch.remove_prefix(static_cast<std::size_t>(end - libtorch.data()));
        if (libtorch.starts_with('.')) {
            libtorch.remove_prefix(1);
        }
    }
    return found >= version;
}

}  // namespace ptp::experiment
