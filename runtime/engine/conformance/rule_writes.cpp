#include "engine/conformance/rule_writes.hpp"

#include "engine/conformance/write_watch.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>

namespace ptp::engine {

namespace {

namespace fs = std::filesystem;

bool is_below(const fs::path& path, const fs::path& folder) {
    return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first ==
           folder.end();
}

// What changes no file of anyone.
bool is_of_system(const fs::path& path) {
    return std::ranges::any_of(std::array{"/dev", "/proc", "/sys"},
                               [&](const char* folder) { return is_below(path, folder); });
}

}  // namespace

RuleResult check_writes(const RuleContext& context) {
    const fs::path current = context.folder / "current";
    const fs::path run_folder = context.folder / "run";
    fs::create_directories(current);
    fs::create_directories(run_folder);
    fs::current_path(current);
    if (!WriteWatch::begin()) {
        return rule_skipped("this system does not report the writes of a process (seccomp)");
    }
    auto trial = context.new_trial("run");
    trial->begin_set();
    static_cast<void>(trial->step(0));
    static_cast<void>(trial->evaluation(1));
    static_cast<void>(trial->save());
    trial.reset();
    const fs::path permitted = fs::canonical(run_folder);
    const fs::path base = fs::canonical(current);
    for (const fs::path& path : WriteWatch::end()) {
        if (is_below(path, permitted) || is_of_system(path)) {
            continue;
        }
        return rule_failed(is_below(path, base) ? fmt::format("writes '{}' to the current folder",
                                                              fs::relative(path, base).string())
                                                : fmt::format("writes {}", path.string()));
    }
    return {};
}

}  // namespace ptp::engine
