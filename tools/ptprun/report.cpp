#include "report.hpp"

#include "host/prepare.hpp"
#include "show_error.hpp"

namespace ptp::ptprun {

int report(const Diagnostics& problems, const plugin::Catalog& catalog,
           const std::vector<std::string>& overrides) {
    show(problems, overrides);
    return host::exit_code_for(problems, catalog);
}

int report(const engine::RunResult& result, const std::vector<std::string>& overrides) {
    if (!result.error.empty()) {
        show_error(result.error, overrides);
    }
    return result.exit_code;
}

}  // namespace ptp::ptprun
