// Finds the difference between two manifests, for messages.
#pragma once

#include "plugin/manifest.hpp"

#include <optional>
#include <string>

namespace ptp::plugin {

struct Difference {
    std::string field;  // "GoodModel.settings.dropout.default_value"
    std::string left;   // as JSON, or "nothing"; shortened
    std::string right;
};

// Returns the first difference in the order of the manifest; nullopt if they are equal.
std::optional<Difference> first_difference(const Manifest& left, const Manifest& right);

}  // namespace ptp::plugin
