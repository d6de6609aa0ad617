#include "output_option.hpp"

#include <fmt/core.h>

#include <system_error>

namespace ptp::ptprun {

namespace fs = std::filesystem;

fs::path output_file(const Given& given) {
    const fs::path output = given.text("output");
    std::error_code ignored;
    if (fs::is_directory(output, ignored)) {
        throw UsageError(fmt::format("-o {}: is a folder; name a file", output.string()));
    }
    const fs::path folder = fs::absolute(output).parent_path();
    if (!fs::is_directory(folder, ignored)) {
        throw UsageError(
            fmt::format("-o {}: no such folder: {}", output.string(), folder.string()));
    }
    return output;
}

}  // namespace ptp::ptprun
