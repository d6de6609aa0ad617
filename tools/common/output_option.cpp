#include "common/output_option.hpp"

#include "base/error.hpp"
#include "base/output_file.hpp"
#include "base/system_file.hpp"
#include "common/command.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <string_view>
#include <system_error>

namespace ptp::tools {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void refuse_output(const fs::path& named, std::string_view why) {
    throw UsageError(fmt::format("-o {}: {}", named.string(), why));
}

}  // namespace

fs::path output_file(const fs::path& named) {
    std::error_code ignored;
    if (named.empty()) {
        throw UsageError("-o needs the name of a file");
    }
    if (fs::is_directory(named, ignored)) {
        refuse_output(named, "is a folder; name a file");
    }
    if (is_special_file(named)) {
        refuse_output(named, "is not a regular file; name another one");
    }
    fs::path output;
    try {
        output = written_path(named);
    } catch (const RunError& error) {  // a cycle of links
        refuse_output(named, error.what());
    }
    const fs::path folder = fs::absolute(output).parent_path();
    if (!fs::is_directory(folder, ignored)) {
        refuse_output(named, fmt::format("no such folder: {}", folder.string()));
    }
    if (!system::may_write_into(folder)) {
        refuse_output(named, fmt::format("cannot write into the folder {}: {}", folder.string(),
                                         std::generic_category().message(errno)));
    }
    return output;
}

}  // namespace ptp::tools
