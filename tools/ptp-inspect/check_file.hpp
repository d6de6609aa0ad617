// The rules on a plugin's file that do not run its code, 102 to 110.
#pragma once

#include "check.hpp"
#include "plugin/catalog.hpp"

#include <vector>

namespace ptp::inspect {

struct FileRule {
    engine::RuleId id;
    // No finding: it passes. Throws FileError where the file cannot be read.
    Findings (*check)(const plugin::CatalogEntry& entry);
};

const std::vector<FileRule>& file_rules();

}  // namespace ptp::inspect
