#include "host/plugin_trials.hpp"

#include "base/error.hpp"
#include "base/file_error.hpp"
#include "base/sha256.hpp"
#include "distributed/program.hpp"
#include "host/installation.hpp"
#include "plugin/crash_memory.hpp"
#include "plugin/first_party.hpp"
#include "plugin/load_trial.hpp"
#include "plugin/search_path.hpp"

#include <fmt/core.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
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

// Each of them once.
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
        return sha256_of_file(entry.path);
    } catch (const FileError&) {
        return std::nullopt;
    }
}

std::string how_to_retry(const CatalogEntry& entry) {
    return fmt::format("repair and rebuild it; ptp-inspect why {} --retry tries this file again",
                       entry.path.string());
}

void add_error(const CatalogEntry& entry, const Tried& tried, const std::string& unwritten,
               std::string& errors) {
    errors += fmt::format("{}{}: loading it {} in {}{}\n    fix: {}", errors.empty() ? "" : "\n",
                          entry.path.string(), tried.end, tried.step,
                          unwritten.empty() ? "" : ", which cannot be remembered: " + unwritten,
                          how_to_retry(entry));
}

// Whatever comes of it. Who embeds this code may wait for all children, which is an end too.
void run_quietly(const fs::path& program, const std::vector<std::string>& arguments) {
    distributed::Program started{.path = program, .arguments = arguments, .output = "/dev/null"};
    sigemptyset(&started.blocked);
    try {
        const pid_t number = distributed::start(started);
        int status = 0;
        while (waitpid(number, &status, 0) < 0 && errno == EINTR) {
        }
    } catch (const RunError&) {  // there is no process or file descriptor for it
    }
}

void report_crash(const CatalogEntry& entry, const Tried& tried, Diagnostics& problems) {
    const SourceLocation place(entry.path.string(), 0, 0);
    if (tried.work == TriedWork::kLoading) {
        problems.error(place, "",
                       Explanation{tried.text() + ": it is not loaded again", how_to_retry(entry)});
    } else {
        problems.warning(
            place, "",
            Explanation{tried.text() + ": it may crash in this process too",
                        "ptp-inspect --check " + entry.path.string() + " shows what it does"});
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

std::string try_new_plugins(const pipeline::Plan& plan) {
    const auto plugins = plugins_from_outside(plan);
    if (plugins.empty()) {
        return "";
    }
    CrashMemory memory(plugin::memory_file());
    std::string errors;
    for (const CatalogEntry* const entry : plugins) {
        const auto hash = hash_of(*entry);
        if (!hash || memory.find(*hash) != nullptr) {
            continue;
        }
        plugin::LoadTrial trial;
        try {
            trial = plugin::try_loading(*entry);
        } catch (const std::exception&) {  // there is no process or folder for it
            continue;
        }
        if (!trial.is_conclusive || hash_of(*entry) != hash) {
            continue;  // nothing is known of it, or not which build was loaded
        }
        Tried& tried = trial.tried;
        tried.hash = *hash;
        const Tried ended = tried;
        const std::string unwritten = memory.remember(std::move(tried));
        if (!ended.end.empty()) {
            add_error(*entry, ended, unwritten, errors);
        }
    }
    return errors;
}

std::string try_new_plugins_apart(const pipeline::Plan& plan) {
    const auto plugins = plugins_from_outside(plan);
    const fs::path program = program_path().parent_path() / "ptp-inspect";
    const fs::path memory = plugin::memory_file();
    std::error_code ignored;
    if (plugins.empty() || memory.empty() || !fs::exists(program, ignored)) {
        return "";
    }
    std::string errors;
    for (const CatalogEntry* const entry : plugins) {
        const auto hash = hash_of(*entry);
        if (!hash || CrashMemory(memory).find(*hash) != nullptr) {
            continue;
        }
        run_quietly(program, {"why", fs::absolute(entry->path).string(), "--retry"});
        const CrashMemory now(memory);
        const Tried* const tried = now.find(*hash);
        if (tried != nullptr && !tried->end.empty() && tried->work == TriedWork::kLoading) {
            add_error(*entry, *tried, "", errors);
        }
    }
    return errors;
}

}  // namespace ptp::host
