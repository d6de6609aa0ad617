// Reads the content of a DLL, a file in Windows' format PE, on any system and without loading it.
//
// https://learn.microsoft.com/en-us/windows/win32/debug/pe-format
#pragma once

#include "plugin/library_file.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::plugin {

// The section with a plugin's notes; names have at most eight characters.
inline constexpr std::string_view kPeNoteSection = ".ptpnote";

// Returns the content of a DLL for x86-64. Throws FileError.
LibraryFile read_pe(const std::filesystem::path& path);

// Returns the names that the file exports. Throws FileError.
std::vector<std::string> exported_names(const std::filesystem::path& pe_file);

}  // namespace ptp::plugin
