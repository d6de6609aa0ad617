// Asks /proc for a process, to find out whether it is still the one that was recorded.

#include "run/process.hpp"

#include "base/output_file.hpp"
#include "base/temporary_folders.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <sstream>

namespace ptp::run {

namespace {

std::optional<std::uint64_t> process_began(std::int64_t pid) {
    return began_in_stat(first_line(fmt::format("/proc/{}/stat", pid)));
}

}  // namespace

std::optional<std::uint64_t> began_in_stat(const std::string& stat) {
    // The second field is the program's name in brackets, which may contain any characters.
    const std::size_t name_end = stat.rfind(')');
    if (name_end == std::string::npos) {
        return std::nullopt;
    }
    std::istringstream fields(stat.substr(name_end + 1));
    std::string skipped;
    for (int field = 3; field < 22; ++field) {
        fields >> skipped;
    }
    std::uint64_t ticks = 0;
    return fields >> ticks ? std::optional(ticks) : std::nullopt;
}

Machine this_machine() {
    std::array<char, 256> name{};
    const bool has_name = gethostname(name.data(), name.size() - 1) == 0;
    return {has_name ? name.data() : "", boot_id(), process_began};
}

ProcessNote this_process() {
    const Machine machine = this_machine();
    return {getpid(), machine.host, machine.boot, machine.began(getpid())};
}

bool may_be_alive(const ProcessNote& note, const Machine& machine) {
    if (note.host != machine.host) {
        return true;
    }
    if (!note.boot.empty() && note.boot != machine.boot) {
        return false;
    }
    const auto began = machine.began(note.pid);
    return began && (!note.began || *note.began == *began);
}

}  // namespace ptp::run
