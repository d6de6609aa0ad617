#pragma once

#include "plugin/catalog.hpp"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <functional>
#include <string>

namespace ptp::test {

// The file of the hostile plugin built with HOSTILE_<NAME>.
std::filesystem::path hostile_file(const std::string& name);

std::string read_file(const std::filesystem::path& path);

// The content of a plugin's file, sealed anew: as its author would have built it.
std::string sealed(const std::string& content);

// The content with a manifest that `change` has changed, sealed anew. REQUIRES: it is not longer.
std::string with_manifest(std::string content, const std::function<void(nlohmann::json&)>& change);

// The content with `from` replaced wherever it is, sealed anew. REQUIRES: it is somewhere, and `to`
// is as long.
std::string patched(std::string content, const std::string& from, const std::string& to);

// Why a scan of a folder with only this file rejects it; "" if it does not.
std::string rejection(const std::string& content);

}  // namespace ptp::test
