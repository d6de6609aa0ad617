// Lists the symbols of a library by `nm`.

#include "common/exported_symbols.hpp"

#include "base/file_error.hpp"
#include "base/started_program.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

namespace ptp::tools {

namespace {

// nm's letter for a symbol of the binding STB_GNU_UNIQUE; other lowercase letters are local
// symbols.
constexpr char kUnique = 'u';

bool is_local(char type) {
    return type >= 'a' && type <= 'z' &&
           std::string_view("uvwi").find(type) == std::string_view::npos;
}

std::string output_of_nm(const std::vector<std::string>& arguments) {
    try {
        StartedProgram nm = StartedProgram::for_output("nm", arguments);
        std::string output;
        nm.read(output, std::numeric_limits<std::size_t>::max());
        if (nm.wait() == 0) {
            return output;
        }
    } catch (const std::system_error& error) {
        // The system has not the permission where a folder of PATH may not be searched.
        if (error.code() == std::errc::no_such_file_or_directory ||
            error.code() == std::errc::permission_denied) {
            throw FileError("its symbols cannot be read without the program nm: install binutils");
        }
        throw FileError(
            fmt::format("its symbols cannot be read by nm: {}", error.code().message()));
    }
    throw FileError("nm cannot read its symbols");
}

}  // namespace

std::vector<ListedSymbol> list_symbols(const std::filesystem::path& library,
                                       const std::vector<std::string>& options) {
    std::vector<std::string> arguments = options;
    arguments.insert(arguments.end(), {"--format=posix", "--", library.string()});
    std::istringstream output(output_of_nm(arguments));
    std::vector<ListedSymbol> symbols;
    for (std::string line; std::getline(output, line);) {
        std::istringstream words(
            line);  // "ptp_plugin_entry T 1130 42", "malloc@@GLIBC_2.2.5 W ..."
        ListedSymbol symbol;
        words >> symbol.name >> symbol.type;
        symbol.name.resize(std::min(symbol.name.find('@'), symbol.name.size()));
        symbols.push_back(std::move(symbol));
    }
    return symbols;
}

ExportedSymbols exported_symbols(const std::filesystem::path& library) {
    ExportedSymbols symbols;
    for (ListedSymbol& symbol : list_symbols(library, {"--dynamic", "--defined-only"})) {
        if (!is_local(symbol.type)) {
            symbols.unique_count += symbol.type == kUnique ? 1 : 0;
            symbols.names.push_back(std::move(symbol.name));
        }
    }
    return symbols;
}

}  // namespace ptp::tools
