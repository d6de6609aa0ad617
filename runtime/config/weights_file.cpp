#include "config/weights_file.hpp"

#include <system_error>

namespace ptp::config {

namespace fs = std::filesystem;

fs::path weights_file(const fs::path& named) {
    std::error_code ignored;  // what cannot be looked at is not there
    if (!fs::is_directory(named, ignored)) {
        return named;
    }
    const fs::path own = named / kWeightsFile;
    return fs::exists(own, ignored) ? own : named / "checkpoints" / "best" / kWeightsFile;
}

}  // namespace ptp::config
