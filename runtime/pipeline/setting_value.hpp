// One value against the declaration of its setting.

#pragma once

#include "base/diagnostics.hpp"
#include "base/value.hpp"
#include "plugin/manifest.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace ptp::pipeline {

// The value as the component gets it; nullopt after reporting what is wrong under `key`.
std::optional<Value> check_setting_value(const plugin::Setting& setting, const Value& value,
                                         const std::string& key, const std::filesystem::path& home,
                                         Diagnostics& problems);

}  // namespace ptp::pipeline
