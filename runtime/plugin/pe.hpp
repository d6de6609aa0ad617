// The content of a DLL, a file in Windows' format PE, read without loading it. On any system.
//
// https://learn.microsoft.com/en-us/windows/win32/debug/pe-format
#pragma once

#include "plugin/library_file.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::plugin {

// The section that has a plugin's notes; eight characters are the longest name that there is.
inline constexpr std::string_view kPeNoteSection = ".ptpnote";

// What a DLL for x86-64 has. Throws FileError.
LibraryFile read_pe(const std::filesystem::path& path);

// The names that it exports. Throws FileError.
std::vector<std::string> exported_names(const std::filesystem::path& pe_file);

}  // namespace ptp::plugin
