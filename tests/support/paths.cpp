#include "support/paths.hpp"

namespace ptp::test {

std::filesystem::path source_dir() {
    return PTP_SOURCE_DIR;
}

std::filesystem::path build_dir() {
    return PTP_BUILD_DIR;
}

}  // namespace ptp::test
