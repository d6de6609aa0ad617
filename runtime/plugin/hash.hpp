// The name of a file's content.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace ptp::plugin {

// SHA-256 in 64 hexadecimal digits.
std::string sha256(std::string_view content);

// Of a file, which is read in pieces. Throws FileError (plugin/elf.hpp).
std::string sha256_of_file(const std::filesystem::path& path);

}  // namespace ptp::plugin
