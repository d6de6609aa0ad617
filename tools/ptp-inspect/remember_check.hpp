// Remembers crashes and hangs of checked plugins for other commands.
#pragma once

#include "check.hpp"

#include <filesystem>
#include <string>

namespace ptp::inspect {

// The facts about a file before it is checked.
struct CheckedFile {
    std::string hash;  // "": it cannot be read
    int time_limit_s = 0;
};

CheckedFile before_check(const std::filesystem::path& file, const CheckOptions& options);

// Remembers the worst crash or hang of the report, or that loading the plugin succeeded; nothing if
// the file has changed since. A crash counts only if it is caused by the plugin, and a hang of
// loading only after the time that other programs wait. Returns why it cannot be written, or "".
std::string remember_check(const PluginReport& report, const CheckedFile& checked);

}  // namespace ptp::inspect
