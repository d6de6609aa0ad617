// Lists the symbols of a library by `nm`.

#include "common/exported_symbols.hpp"

#include "base/file_error.hpp"

#include <boost/process/args.hpp>
#include <boost/process/child.hpp>
#include <boost/process/io.hpp>
#include <boost/process/pipe.hpp>
#include <boost/process/search_path.hpp>

#include <algorithm>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

namespace ptp::tools {

namespace {

namespace process = boost::process;

// nm's letter for a symbol of the binding STB_GNU_UNIQUE; other lowercase letters are local
// symbols.
constexpr char kUnique = 'u';

bool is_local(char type) {
    return type >= 'a' && type <= 'z' &&
           std::string_view("uvwi").find(type) == std::string_view::npos;
}

}  // namespace

std::vector<ListedSymbol> list_symbols(const std::filesystem::path& library,
                                       const std::vector<std::string>& options) {
    const auto program = process::search_path("nm");
    if (program.empty()) {
        throw FileError("its symbols cannot be read without the program nm: install binutils");
    }
    std::vector<std::string> arguments = options;
    arguments.insert(arguments.end(), {"--format=posix", "--", library.string()});
    process::ipstream output;
    std::error_code error;
    process::child child(program, process::args = arguments,
                         process::std_in<process::null, process::std_out> output,
                         process::std_err > process::null, error);
    std::vector<ListedSymbol> symbols;
    for (std::string line; !error && std::getline(output, line);) {
        std::istringstream words(
            line);  // "ptp_plugin_entry T 1130 42", "malloc@@GLIBC_2.2.5 W ..."
        ListedSymbol symbol;
        words >> symbol.name >> symbol.type;
        symbol.name.resize(std::min(symbol.name.find('@'), symbol.name.size()));
        symbols.push_back(std::move(symbol));
    }
    if (!error) {
        child.wait(error);
    }
    if (error || child.exit_code() != 0) {
        throw FileError("nm cannot read its symbols");
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
