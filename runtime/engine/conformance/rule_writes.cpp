#include "engine/conformance/rule_writes.hpp"

#include "base/text.hpp"
#include "engine/conformance/write_watch.hpp"
#include "plugin/process_state.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

namespace ptp::engine {

namespace {

namespace fs = std::filesystem;

bool is_below(const fs::path& path, const fs::path& folder) {
    return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first ==
           folder.end();
}

// Returns whether writing to the path changes no files. Named shared memory counts as a file.
bool is_of_system(const fs::path& path) {
    return !is_below(path, "/dev/shm") && !is_below(path, "/dev/mqueue") &&
           std::ranges::any_of(std::array{"/dev", "/proc", "/sys"},
                               [&](const char* folder) { return is_below(path, folder); });
}

// Lists what a component has written outside of its run folder.
std::string outside_text(const std::vector<fs::path>& outside, const fs::path& current) {
    constexpr std::size_t kMaxShown = 8;
    if (outside.size() == 1) {
        const fs::path& path = outside.front();
        return is_below(path, current) ? fmt::format("writes '{}' to the current folder",
                                                     fs::relative(path, current).string())
                                       : fmt::format("writes {}", path.string());
    }
    std::vector<std::string> shown;
    for (std::size_t i = 0; i < std::min(outside.size(), kMaxShown); ++i) {
        const fs::path& path = outside[i];
        shown.push_back(is_below(path, current) ? fmt::format("'{}' in the current folder",
                                                              fs::relative(path, current).string())
                                                : path.string());
    }
    const std::size_t more = outside.size() - shown.size();
    return fmt::format("writes {} files outside the run folder: {}{}", outside.size(),
                       join(shown, ", "), more == 0 ? "" : fmt::format(" and {} more", more));
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
    const WriteWatch::Writes writes = WriteWatch::end();
    std::vector<fs::path> outside;
    std::ranges::copy_if(writes.paths, std::back_inserter(outside), [&](const fs::path& path) {
        return !is_below(path, permitted) && !is_of_system(path);
    });
    if (!outside.empty()) {
        return rule_failed(outside_text(outside, base));
    }
    return writes.lost == 0 ? RuleResult{}
                            : rule_skipped(fmt::format(
                                  "writes so often that {} of its writes were not seen; all others "
                                  "are below the run folder",
                                  writes.lost));
}

RuleResult check_process_state(const RuleContext& context) {
    const plugin::ProcessState before;
    const auto left_by = [&](const char* what) {
        const std::string change = before.change();
        before.restore();
        return rule_failed(fmt::format("{} changes {} and does not put it back", what, change));
    };
    auto trial = context.new_trial("run");
    if (!before.change().empty()) {
        return left_by("create()");
    }
    trial->begin_set();
    static_cast<void>(trial->step(0));
    static_cast<void>(trial->evaluation(1));
    static_cast<void>(trial->save());
    if (!before.change().empty()) {
        return left_by("what it does in a step");
    }
    trial.reset();
    if (!before.change().empty()) {
        return left_by("destroy()");
    }
    return {};
}

}  // namespace ptp::engine
