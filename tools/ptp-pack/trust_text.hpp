// What `ptp-pack key trust` reports. The folders of the user and of the machine count together, so
// that what is trusted need not be what was asked for.

#pragma once

#include "ptp-pack/key_limits.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ptp::pack {

// The limits of a key in the first of these folders that has some, and which one that is.
struct LimitsInFolder {
    KeyLimits limits;
    std::filesystem::path folder;
};
std::optional<LimitsInFolder> limits_in(const std::vector<std::filesystem::path>& folders,
                                        const std::string& id);

struct TrustChange {
    std::string id;
    KeyLimits asked;                             // that were written
    std::optional<LimitsInFolder> before;        // that counted until then
    std::filesystem::path folder;                // where they were written
    std::vector<std::filesystem::path> folders;  // that count; of a key in several the first
};

// Reads the folders as they are now. A line.
std::string trust_text(const TrustChange& change);

}  // namespace ptp::pack
