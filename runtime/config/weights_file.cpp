#include "config/weights_file.hpp"

#include <system_error>

namespace ptp::config {

namespace fs = std::filesystem;

fs::path weights_file(const fs::path& named) {
    std::error_code ignored;  // what cannot be looked at is not there
    if (!fs::is_directory(named, ignored)) {
        return named;
    }
    const bool is_checkpoint = fs::exists(named / kWeightsFile, ignored);
    const fs::path folder = is_checkpoint ? named : named / "checkpoints" / "best";
    const bool is_averaged = fs::exists(folder / kAveragesFile, ignored);
    return folder / (is_averaged ? kAveragesFile : kWeightsFile);
}

}  // namespace ptp::config
