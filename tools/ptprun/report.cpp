// Prints problems or the error of the engine, and returns the exit code for them.
#include "report.hpp"

#include "host/prepare.hpp"
#include "show_error.hpp"

#include <fmt/core.h>

namespace ptp::ptprun {

int report(const Diagnostics& problems, const plugin::Catalog& catalog,
           const std::vector<std::string>& overrides) {
    show(problems, overrides);
    return host::exit_code_for(problems, catalog);
}

int report(const engine::RunResult& result, const std::vector<std::string>& overrides,
           const distributed::FirstErrorStream* errors) {
    if (!result.error.empty()) {
        show_error(result.error, overrides);
        if (errors != nullptr) {
            errors->show_elsewhere(fmt::format("{}: error: {}\n", kProgram, result.error));
        }
    }
    return result.exit_code;
}

}  // namespace ptp::ptprun
