// The output of `ptp-pack key trust`. The folders of the user and of the machine are combined, so
// that the effective limits may differ from the requested ones.

#pragma once

#include "ptp-pack/key_limits.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ptp::pack {

// The limits of a key in the first of these folders that has any, and that folder.
struct LimitsInFolder {
    KeyLimits limits;
    std::filesystem::path folder;
};
std::optional<LimitsInFolder> limits_in(const std::vector<std::filesystem::path>& folders,
                                        const std::string& id);

struct TrustChange {
    std::string id;
    KeyLimits asked;                             // the requested limits, which were written
    std::optional<LimitsInFolder> before;        // the previously effective limits
    std::filesystem::path folder;                // folder where they were written
    std::vector<std::filesystem::path> folders;  // effective ones; the first with the key applies
};

// Returns a line, after reading the current folders.
std::string trust_text(const TrustChange& change);

}  // namespace ptp::pack
