#pragma once

#include "plugin/catalog.hpp"

#include <filesystem>
#include <string>

namespace ptp::test {

// The file of the hostile plugin built with HOSTILE_<NAME>.
std::filesystem::path hostile_file(const std::string& name);

std::string read_file(const std::filesystem::path& path);

// The content with `from` replaced wherever it is. REQUIRES: it is somewhere, and `to` is as long.
std::string patched(std::string content, const std::string& from, const std::string& to);

// Why a scan of a folder with only this file rejects it; "" if it does not.
std::string rejection(const std::string& content);

}  // namespace ptp::test
