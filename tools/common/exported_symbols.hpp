// Which symbols a shared library offers to others, as `nm` of binutils lists them.

#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace ptp::tools {

struct ExportedSymbols {
    std::vector<std::string> names;
    std::size_t unique_count = 0;  // of those that make it impossible to unload the library
};

// Throws FileError where nm is not installed or cannot read the file.
ExportedSymbols exported_symbols(const std::filesystem::path& library);

struct ListedSymbol {
    std::string name;  // without its version
    char type = '?';   // nm's letter
};

// What nm lists with these options besides. Throws as exported_symbols() does.
std::vector<ListedSymbol> list_symbols(const std::filesystem::path& library,
                                       const std::vector<std::string>& options);

}  // namespace ptp::tools
