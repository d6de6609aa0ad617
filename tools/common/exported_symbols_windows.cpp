// Lists the symbols of a library on Windows.

#include "common/exported_symbols.hpp"

#include "plugin/library_file.hpp"

namespace ptp::tools {

ExportedSymbols exported_symbols(const std::filesystem::path& library) {
    return {.names = plugin::exported_names(library)};
}

}  // namespace ptp::tools
