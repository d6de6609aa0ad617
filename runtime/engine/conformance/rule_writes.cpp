// The rules on what a component leaves behind: files outside the run folder, and changes of the
// process. Only the folder of the trial is compared; writes to other places are not seen.

#include "engine/conformance/rule_writes.hpp"

#include "base/text.hpp"
#include "plugin/process_state.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ptp::engine {

namespace {

namespace fs = std::filesystem;

// Adds everything in the folder of the trial that is neither the run folder nor in it.
void add_stray_paths(const fs::path& folder, const fs::path& run_folder,
                     std::set<fs::path>& stray) {
    for (auto entry = fs::recursive_directory_iterator(folder);
         entry != fs::recursive_directory_iterator(); ++entry) {
        if (entry->path() == run_folder) {
            entry.disable_recursion_pending();
        } else {
            stray.insert(entry->path());
        }
    }
}

// Lists what a component has written outside of its run folder.
std::string stray_text(const std::set<fs::path>& stray, const fs::path& current) {
    constexpr std::size_t kMaxShown = 8;
    const auto named = [&](const fs::path& path, const char* preposition) {
        const fs::path name = path.lexically_relative(current);
        return *name.begin() == ".."
                   ? path.string()
                   : fmt::format("'{}' {} the current folder", name.string(), preposition);
    };
    if (stray.size() == 1) {
        return "writes " + named(*stray.begin(), "to");
    }
    std::vector<std::string> shown;
    for (const fs::path& path : stray) {
        if (shown.size() < kMaxShown) {
            shown.push_back(named(path, "in"));
        }
    }
    const std::size_t more = stray.size() - shown.size();
    return fmt::format("writes {} files outside the run folder: {}{}", stray.size(),
                       join(shown, ", "), more == 0 ? "" : fmt::format(" and {} more", more));
}

}  // namespace

RuleResult check_writes(const RuleContext& context) {
    const fs::path current = context.folder / "current";
    const fs::path run_folder = context.folder / "run";
    fs::create_directories(current);
    fs::create_directories(run_folder);
    fs::current_path(current);
    std::set<fs::path> stray;
    auto trial = context.new_trial("run");
    trial->begin_set();
    static_cast<void>(trial->step(0));
    static_cast<void>(trial->evaluation(1));
    static_cast<void>(trial->save());
    add_stray_paths(context.folder, run_folder, stray);  // it may remove them in its destructor
    trial.reset();
    add_stray_paths(context.folder, run_folder, stray);
    stray.erase(current);
    return stray.empty() ? RuleResult{} : rule_failed(stray_text(stray, current));
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
