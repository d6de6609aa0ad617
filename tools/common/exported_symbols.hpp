// The symbols that a shared library exports: by `nm` of binutils, on Windows from the file itself.

#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace ptp::tools {

struct ExportedSymbols {
    std::vector<std::string> names;
    std::size_t unique_count = 0;  // number of symbols that prevent unloading the library
};

// Throws FileError if nm is not installed or cannot read the file.
ExportedSymbols exported_symbols(const std::filesystem::path& library);

struct ListedSymbol {
    std::string name;  // without the version
    char type = '?';   // nm's letter
};

// Lists symbols with additional options of nm. Throws as exported_symbols() does.
std::vector<ListedSymbol> list_symbols(const std::filesystem::path& library,
                                       const std::vector<std::string>& options);

}  // namespace ptp::tools
