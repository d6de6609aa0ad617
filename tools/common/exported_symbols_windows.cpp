// Lists the exported symbols of a library on Windows. list_symbols() is not here: ptp-inspect
// --check, which alone uses it, is not built on Windows.

#include "common/exported_symbols.hpp"

#include "plugin/library_file.hpp"

namespace ptp::tools {

ExportedSymbols exported_symbols(const std::filesystem::path& library) {
    return {.names = plugin::exported_names(library)};
}

}  // namespace ptp::tools
