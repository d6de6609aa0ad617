// Tries plugins that do not come with ptp in another process, and looks up what came of it before.

#include "host/plugin_trials.hpp"

#include "base/error.hpp"
#include "base/file_error.hpp"
#include "base/text.hpp"
#include "distributed/program.hpp"
#include "host/open_engine.hpp"
#include "plugin/companions.hpp"
#include "plugin/crash_memory.hpp"
#include "plugin/load_trial.hpp"
#include "plugin/search_path.hpp"

#include <fmt/core.h>
#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <iterator>
#include <set>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace ptp::host {

namespace {

namespace fs = std::filesystem;
using plugin::CatalogEntry;
using plugin::CrashMemory;
using plugin::Tried;
using plugin::TriedWork;

#if defined(__SANITIZE_THREAD__)
constexpr std::ptrdiff_t kOwnThreads = 2;  // the sanitizer has one
#else
constexpr std::ptrdiff_t kOwnThreads = 1;
#endif

// Returns the plan's plugins that do not come with ptp, each once.
std::vector<const CatalogEntry*> plugins_from_outside(const pipeline::Plan& plan) {
    const auto installation = plugin::installation_folder(program_path());
    std::vector<const CatalogEntry*> plugins;
    std::set<std::string_view> seen;
    for (const auto* nodes : {&plan.tasks, &plan.nodes}) {
        for (const pipeline::Node& node : *nodes) {
            const CatalogEntry& entry = *node.plugin;
            if (seen.insert(entry.manifest.name).second &&
                !plugin::is_first_party(entry.manifest.name, entry.path, installation)) {
                plugins.push_back(&entry);
            }
        }
    }
    return plugins;
}

// nullopt: who loads it reports why it cannot be read.
std::optional<std::string> hash_of(const CatalogEntry& entry) {
    try {
        return plugin::build_hash(entry.path);
    } catch (const FileError&) {
        return std::nullopt;
    }
}

std::string how_to_retry(const fs::path& file) {
    return fmt::format("repair and rebuild it; to try this file again: ptp-inspect why {} --retry",
                       shell_word(file.string()));
}

void add_error(const CatalogEntry& entry, const Tried& tried, const std::string& unwritten,
               std::string& errors) {
    errors += fmt::format("{}{}: loading it {} in {}{}\n    fix: {}", errors.empty() ? "" : "\n",
                          entry.path.string(), tried.end, tried.step,
                          unwritten.empty() ? "" : ", which cannot be remembered: " + unwritten,
                          how_to_retry(entry.path));
}

// The time between two looks at a child process: loading a plugin takes as long or longer.
constexpr std::chrono::milliseconds kGlance{5};

// Whatever comes of it: it is ended when this process has no more use for it. Who embeds this code
// may wait for all children, which is an end too.
void run_quietly(const fs::path& program, const std::vector<std::string>& arguments,
                 const std::atomic<bool>& is_ending) {
    distributed::Program started{.path = program, .arguments = arguments, .output = "/dev/null"};
    sigemptyset(&started.blocked);
    try {
        const pid_t number = distributed::start(started);
        int status = 0;
        for (pid_t ended = 0; ended == 0 || (ended < 0 && errno == EINTR);) {
            ended = waitpid(number, &status, WNOHANG);
            if (ended == 0) {
                if (is_ending) {
                    kill(-number, SIGKILL);
                }
                std::this_thread::sleep_for(kGlance);
            }
        }
    } catch (const RunError&) {  // there is no process or file descriptor for it
    }
}

const std::atomic<bool> kIsNeverEnding = false;

// Returns the time limit in whole seconds, as ptp-inspect takes it.
std::int64_t limit_of(const engine::BuildTrial& trial) {
    constexpr double kMaxSeconds = 86400;
    return static_cast<std::int64_t>(std::clamp(std::ceil(trial.limit_s), 1.0, kMaxSeconds));
}

// Has a file loaded by the ptp-inspect installed with this ptp, which records the result. Returns
// the result, if there is any.
std::optional<Tried> tried_by_inspector(const fs::path& file, const std::string& hash,
                                        const std::vector<std::string>& options,
                                        const std::atomic<bool>& is_ending) {
    const fs::path program = program_path().parent_path() / "ptp-inspect";
    const fs::path memory = plugin::memory_file();
    std::error_code ignored;
    if (memory.empty() || !fs::exists(program, ignored)) {
        return std::nullopt;
    }
    std::vector<std::string> arguments = {"why", fs::absolute(file).string(), "--retry"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    run_quietly(program, arguments, is_ending);
    const CrashMemory now(memory);
    const Tried* const tried = now.find(hash);
    return tried == nullptr ? std::nullopt : std::optional(*tried);
}

// Loads a plugin in a fork of this process, which has no other threads, and records the result.
// Returns the result, if there is any; `unwritten` is why it cannot be recorded.
std::optional<Tried> tried_in_fork(const CatalogEntry& entry, const std::string& hash,
                                   CrashMemory& memory, std::string& unwritten) {
    try {
        plugin::LoadTrial trial = plugin::try_loading(entry);
        if (!trial.is_conclusive || hash_of(entry) != hash) {
            return std::nullopt;  // nothing is known of it, or not which build was loaded
        }
        trial.tried.hash = hash;
        unwritten = memory.remember(trial.tried);
        return trial.tried;
    } catch (const std::exception&) {  // there is no process or folder for it
        return std::nullopt;
    }
}

void report_crash(const CatalogEntry& entry, const Tried& tried, Diagnostics& problems) {
    const SourceLocation place(entry.path.string(), 0, 0);
    if (tried.work == TriedWork::kLoading) {
        problems.error(
            place, "",
            Explanation{tried.text() + ": it is not loaded again", how_to_retry(entry.path)});
    } else {
        problems.warning(
            place, "",
            Explanation{tried.text() + ": it may crash in this process too, as a check shows",
                        "ptp-inspect --check " + shell_word(entry.path.string())});
    }
}

}  // namespace

void report_crashes(const pipeline::Plan& plan, Diagnostics& problems) {
    const auto plugins = plugins_from_outside(plan);
    if (plugins.empty()) {
        return;
    }
    const CrashMemory memory(plugin::memory_file());
    if (!memory.problem().empty()) {
        problems.warning({}, "", memory.problem());
    }
    if (memory.empty()) {
        return;
    }
    for (const CatalogEntry* const entry : plugins) {
        const auto hash = hash_of(*entry);
        const Tried* const tried = hash ? memory.find(*hash) : nullptr;
        if (tried != nullptr && !tried->end.empty()) {
            report_crash(*entry, *tried, problems);
        }
    }
}

bool has_one_thread() {
    std::error_code error;
    const std::filesystem::directory_iterator tasks("/proc/self/task", error);
    return !error && std::distance(begin(tasks), end(tasks)) == kOwnThreads;
}

std::string try_new_plugins(const pipeline::Plan& plan, bool has_one_thread) {
    const auto plugins = plugins_from_outside(plan);
    std::string errors;
    for (const CatalogEntry* const entry : plugins) {
        CrashMemory memory(plugin::memory_file());
        const auto hash = hash_of(*entry);
        if (!hash || memory.find(*hash) != nullptr) {
            continue;
        }
        std::string unwritten;
        const auto tried = has_one_thread
                               ? tried_in_fork(*entry, *hash, memory, unwritten)
                               : tried_by_inspector(entry->path, *hash, {}, kIsNeverEnding);
        if (tried && !tried->end.empty() && tried->work == TriedWork::kLoading) {
            add_error(*entry, *tried, unwritten, errors);
        }
    }
    return errors;
}

namespace {

// Returns whether a build loads in a quick fork of this process. No other end is evidence: what
// other threads hold at that moment is held in the fork forever.
bool loads_in_fork([[maybe_unused]] const engine::BuildTrial& trial,
                   [[maybe_unused]] CrashMemory& memory) {
#if !defined(__SANITIZE_THREAD__)
    constexpr std::int64_t kPatience = 5;
    const plugin::Staged& build = trial.build;
    try {
        Tried tried = plugin::try_loading(
                          build.copy, std::chrono::seconds(std::min(kPatience, limit_of(trial))))
                          .tried;
        if (tried.end.empty()) {
            tried.hash = build.hash;
            tried.file = build.source.string();
            static_cast<void>(memory.remember(std::move(tried)));
            return true;
        }
    } catch (const std::exception&) {  // there is no process or folder for it
    }
#endif
    return false;
}

}  // namespace

std::optional<Explanation> try_build(const engine::BuildTrial& trial) {
    const plugin::Staged& build = trial.build;
    const auto installation = plugin::installation_folder(program_path());
    const fs::path file = plugin::memory_file();
    if (file.empty() ||
        plugin::is_first_party(build.copy.manifest.name, build.source, installation)) {
        return std::nullopt;
    }
    CrashMemory memory(file);
    if (const Tried* const before = memory.find(build.hash); before != nullptr) {
        if (before->end.empty() || before->work != TriedWork::kLoading) {
            return std::nullopt;
        }
        return Explanation{before->text() + ": it is not loaded again", how_to_retry(build.source)};
    }
    if (trial.is_only_remembered || loads_in_fork(trial, memory)) {
        return std::nullopt;
    }
    const auto tried =
        tried_by_inspector(trial.build.copy.path, trial.build.hash,
                           {"--time-limit", std::to_string(limit_of(trial))}, trial.is_ending);
    if (!tried || tried->end.empty()) {
        return std::nullopt;
    }
    return Explanation{fmt::format("loading it {} in {}", tried->end, tried->step),
                       how_to_retry(build.source)};
}

}  // namespace ptp::host
