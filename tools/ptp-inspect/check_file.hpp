// The rules for a plugin's file that do not run its code, 102 to 110.
#pragma once

#include "check.hpp"
#include "plugin/catalog.hpp"

#include <vector>

namespace ptp::inspect {

struct FileRule {
    engine::RuleId id;
    // Returns no findings if the rule passes. Throws FileError if the file cannot be read.
    Findings (*check)(const plugin::CatalogEntry& entry);
};

const std::vector<FileRule>& file_rules();

}  // namespace ptp::inspect
