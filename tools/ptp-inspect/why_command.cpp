// `ptp-inspect why NAME`: which file a name means, why another is not taken, and what is remembered
// of it.

#include "base/suggest.hpp"
#include "base/text.hpp"
#include "check.hpp"
#include "commands.hpp"
#include "listing.hpp"
#include "options.hpp"
#include "plugin/catalog.hpp"
#include "plugin/companions.hpp"
#include "plugin/crash_memory.hpp"
#include "plugin/library_file.hpp"
#include "plugin/load_trial.hpp"
#include "plugin/manifest.hpp"
#include "plugin/note.hpp"
#include "plugin/search_path.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace ptp::inspect {

namespace {

namespace fs = std::filesystem;
using plugin::CrashMemory;
using plugin::Tried;
using plugin::TriedWork;
using tools::Given;

constexpr std::int64_t kRetrySeconds = 60;
constexpr std::int64_t kMaxRetrySeconds = 86400;

// A file in a searched folder that is named like a plugin.
struct Candidate {
    fs::path path;
    std::string origin;       // of its folder: "--plugins"; "" if not in a searched folder
    std::string plugin_name;  // of its plugin; that of the file without one
    std::optional<plugin::Manifest> manifest = {};  // also of a rejected file, if readable
    std::string refusal = {};                       // "": this host can use it

    [[nodiscard]] bool is_usable() const { return refusal.empty(); }
    [[nodiscard]] bool has_type(const std::string& type) const {
        return manifest &&
               std::ranges::find(manifest->components, type, &plugin::Component::name) !=
                   manifest->components.end();
    }
};

// Returns whether the name is that of a file.
bool is_file(const std::string& name) {
    std::error_code error;
    return fs::path(name).extension() == plugin::library_suffix() ||
           (name.find('/') != std::string::npos && fs::exists(name, error));
}

bool is_same_file(const fs::path& left, const fs::path& right) {
    std::error_code error;
    return fs::weakly_canonical(left, error) == fs::weakly_canonical(right, error);
}

// Returns whether the name means the candidate: by the path of a file, the name of a plugin, a
// type, or "plugin/Type".
bool is_meant(const Candidate& candidate, const std::string& name) {
    if (is_file(name)) {
        return is_same_file(candidate.path, name);
    }
    const std::size_t slash = name.find('/');
    if (slash != std::string::npos) {
        return candidate.plugin_name == name.substr(0, slash) &&
               (candidate.has_type(name.substr(slash + 1)) || !candidate.manifest);
    }
    return candidate.plugin_name == name || candidate.has_type(name);
}

// Reads what can be read of a file that this host refuses, such as a build for another host.
void read_refused(Candidate& candidate) {
    const std::string stem = candidate.path.stem().string();
    candidate.plugin_name = stem.starts_with("lib") ? stem.substr(3) : stem;
    try {
        const plugin::LibraryFile library = plugin::read_library(candidate.path);
        if (std::string name = plugin::name_in_note(library); !name.empty()) {
            candidate.plugin_name = std::move(name);
        }
        candidate.manifest = plugin::read_note(library);
        candidate.plugin_name = candidate.manifest->name;
    } catch (const std::exception&) {  // The refusal states it.
    }
}

// Returns the candidate for a file that is named by its path.
Candidate candidate_of(const fs::path& file, const std::string& origin) {
    Candidate candidate{.path = file, .origin = origin, .plugin_name = {}};
    try {
        candidate.manifest = plugin::read_manifest(file);
        candidate.plugin_name = candidate.manifest->name;
    } catch (const std::exception& error) {
        candidate.refusal = error.what();
        read_refused(candidate);
    }
    return candidate;
}

// Returns candidates in the order of the search, each folder separately: a file that another one
// hides is not rejected for that.
std::vector<Candidate> all_candidates(const std::vector<plugin::SearchFolder>& folders) {
    std::vector<Candidate> all;
    for (const plugin::SearchFolder& folder : folders) {
        if (!folder.is_searched) {
            continue;
        }
        std::vector<fs::path> files;
        const plugin::Catalog catalog = plugin::scan({folder.path});
        for (const plugin::CatalogEntry& entry : catalog.plugins) {
            files.push_back(entry.path);
        }
        for (const plugin::RejectedFile& rejected : catalog.rejected) {
            if (rejected.path != folder.path) {
                files.push_back(rejected.path);
            }
        }
        std::ranges::sort(files);
        for (const fs::path& file : files) {
            all.push_back(candidate_of(file, std::string(to_string(folder.origin))));
        }
    }
    return all;
}

std::string where(const Candidate& candidate) {
    return candidate.origin.empty()
               ? candidate.path.string()
               : fmt::format("{}  ({})", candidate.path.string(), candidate.origin);
}

// Lines after the first one are indented further.
std::string further_lines(const std::string& text) {
    std::istringstream lines(text);
    std::string out;
    for (std::string line; std::getline(lines, line);) {
        out += "      " + line.substr(std::min(line.find_first_not_of(' '), line.size())) + "\n";
    }
    return out;
}

// The one that is taken of its plugin, or nullptr.
const Candidate* taken_of(const Candidate& one, const std::vector<Candidate>& all) {
    const auto found = std::ranges::find_if(all, [&](const Candidate& other) {
        return other.is_usable() && other.plugin_name == one.plugin_name;
    });
    return found == all.end() ? nullptr : &*found;
}

// A file that cannot be used, and that comes before the one that can.
const Candidate* refused_before(const Candidate& taken, const std::vector<Candidate>& all) {
    for (const Candidate& other : all) {
        if (other.path == taken.path) {
            return nullptr;
        }
        if (!other.is_usable() && other.plugin_name == taken.plugin_name) {
            return &other;
        }
    }
    return nullptr;
}

std::string text_of_file(const Candidate& candidate, const std::vector<Candidate>& all) {
    if (!candidate.is_usable()) {
        return fmt::format("  refused   {}\n{}", where(candidate),
                           further_lines(candidate.refusal));
    }
    if (candidate.origin.empty()) {
        return fmt::format("  elsewhere {}\n{}", where(candidate),
                           further_lines("its folder is not searched\nfix: --plugins " +
                                         candidate.path.parent_path().string()));
    }
    const Candidate& taken = *taken_of(candidate, all);
    if (taken.path != candidate.path) {
        return fmt::format("  shadowed  {}\n{}", where(candidate),
                           further_lines(fmt::format("{} comes first, and has the plugin '{}' too",
                                                     taken.path.string(), taken.plugin_name)));
    }
    std::string out = fmt::format("  taken     {}\n", where(candidate));
    if (const Candidate* const before = refused_before(candidate, all)) {
        out += further_lines(fmt::format(
            "{} comes first and cannot be used: a command that needs the plugin '{}' stops\nfix: "
            "repair or remove that file, or name this folder first: --plugins {}",
            before->path.string(), candidate.plugin_name, candidate.path.parent_path().string()));
    }
    return out;
}

// The result of loading it, so far.
struct Remembered {
    std::string text;
    bool is_crash = false;
};

Remembered remembered_of(const Candidate& candidate, const CrashMemory& memory) {
    const auto installation = plugin::installation_folder(plugin::executable_path());
    const Tried* const tried = memory.find(plugin::build_hash(candidate.path));
    const std::string retry = fmt::format(
        "fix: repair and rebuild it; to try this file again: ptp-inspect why {} --retry",
        shell_word(candidate.path.string()));
    if (tried == nullptr) {
        const bool is_own =
            plugin::is_first_party(candidate.plugin_name, candidate.path, installation);
        return {is_own ? "comes with ptp, and is loaded without an attempt before"
                       : "was not loaded yet in this host: before its first use it is loaded in a "
                         "process of its own"};
    }
    if (tried->end.empty()) {
        return {fmt::format("was loaded and returned on {}", tried->when)};
    }
    return {fmt::format("{}: it {}\n{}", tried->text(),
                        tried->work == TriedWork::kLoading ? "is not loaded again"
                                                           : "is loaded, with a warning",
                        retry),
            tried->work == TriedWork::kLoading};
}

// Returns why what came of it is not remembered, or "".
std::string retry(const Candidate& candidate, std::chrono::seconds limit, CrashMemory& memory) {
    Engine engine;
    try {
        engine.open();                 // so that its libraries are there
    } catch (const std::exception&) {  // the plugin may need none of them
    }
    const plugin::CatalogEntry entry{.path = candidate.path, .manifest = *candidate.manifest};
    const std::string hash = plugin::build_hash(candidate.path);
    auto [tried, is_conclusive] = plugin::try_loading(entry, limit);
    if (!is_conclusive) {
        return fmt::format("loading it {}, which has no cause in the plugin", tried.end);
    }
    if (plugin::build_hash(candidate.path) != hash) {
        return "its file has changed meanwhile";
    }
    tried.hash = hash;
    return memory.remember(std::move(tried));
}

std::string searched_text(const std::vector<plugin::SearchFolder>& folders) {
    Table table;
    for (const plugin::SearchFolder& folder : folders) {
        std::error_code error;
        const bool is_there = fs::is_directory(folder.path, error);
        table.add({folder.path.string(), std::string(to_string(folder.origin)),
                   is_there ? "" : "does not exist"});
    }
    return table.empty() ? "  searched no folder\n"
                         : "  searched, in this order\n" + table.text("    ");
}

// Files that cannot be read may be what is missing.
[[noreturn]] void refuse_unknown(const std::string& name, const std::vector<Candidate>& all,
                                 const std::vector<plugin::SearchFolder>& folders) {
    std::vector<std::string> known;
    std::string unreadable;
    for (const Candidate& candidate : all) {
        known.push_back(candidate.plugin_name);
        if (!candidate.manifest) {
            unreadable += fmt::format("  refused   {}\n{}", where(candidate),
                                      further_lines(candidate.refusal));
            continue;
        }
        for (const plugin::Component& component : candidate.manifest->components) {
            known.push_back(component.name);
        }
    }
    print(unreadable + searched_text(folders));
    throw NotFound(fmt::format("unknown plugin or component '{}'{}", name,
                               hint(name, known, "without a name ptp-inspect lists all")));
}

// A type in several plugins means none of them.
std::string ambiguity_of(const std::string& name, const std::vector<Candidate>& meant) {
    std::vector<std::string> plugins;
    for (const Candidate& candidate : meant) {
        const std::string plugin = candidate.plugin_name;
        if (candidate.is_usable() && candidate.has_type(name) && plugin != name &&
            std::ranges::find(plugins, plugin) == plugins.end()) {
            plugins.push_back(plugin);
        }
    }
    std::string out;
    for (const std::string& plugin : plugins) {
        out += fmt::format("{}{}/{}", out.empty() ? "" : " or ", plugin, name);
    }
    return plugins.size() < 2
               ? ""
               : fmt::format("  ambiguous in an experiment\n      fix: write {}\n", out);
}

int run_why(const Given& given) {
    const std::string& name = given.operands().front();
    const tools::Strings texts = given.texts("plugins");
    const auto folders =
        plugin::named_folders(plugin::search_path_here({texts.begin(), texts.end()}));
    const std::vector<Candidate> all = all_candidates(folders);
    std::vector<Candidate> meant;
    std::ranges::copy_if(all, std::back_inserter(meant),
                         [&](const Candidate& one) { return is_meant(one, name); });
    if (meant.empty() && is_file(name)) {
        meant.push_back(candidate_of(fs::absolute(name).lexically_normal(), ""));
    }
    if (meant.empty()) {
        refuse_unknown(name, all, folders);
    }
    CrashMemory memory(plugin::memory_file());
    if (!memory.problem().empty()) {
        warn(memory.problem());
    }
    bool is_usable = false;
    std::string out = name + "\n" + ambiguity_of(name, meant);
    for (const Candidate& candidate : meant) {
        out += text_of_file(candidate, all);
        if (!candidate.is_usable()) {
            continue;
        }
        if (!candidate.origin.empty() && taken_of(candidate, all)->path != candidate.path) {
            continue;  // shadowed
        }
        if (given.has("retry")) {
            const std::chrono::seconds limit(*given.integer("time-limit"));
            if (const std::string problem = retry(candidate, limit, memory); !problem.empty()) {
                warn("what came of it cannot be remembered: " + problem);
            }
        }
        const Remembered remembered = remembered_of(candidate, memory);
        out += further_lines(remembered.text);
        is_usable =
            is_usable || (!remembered.is_crash && refused_before(candidate, all) == nullptr);
    }
    print(out + searched_text(folders));
    return is_usable ? EXIT_SUCCESS : kPlugin;
}

}  // namespace

tools::Command why_command() {
    return {
        .name = "why",
        .summary =
            "explains which file a plugin, a type or a file name means, and why others "
            "are not taken",
        .details =
            "A plugin that does not come with ptp is loaded in a process of its own before its\n"
            "first use. If it crashes or does not return there, that is remembered by the content\n"
            "of its file, and the file is not loaded again until it or ptp changes.\n\n"
            "exit codes: 0 it can be used, 2 wrong command line, 3 it is unknown, refused, or\n"
            "remembered as crashing\n",
        .operands = {{.name = "NAME",
                      .what = "a plugin, a type or a file",
                      .completions = {tools::kFiles}}},
        .options = {{.name = "plugins",
                     .value = "FOLDER",
                     .help = "search this folder first; may be repeated",
                     .completions = {tools::kFolders},
                     .is_repeatable = true},
                    {.name = "retry",
                     .help = "forget what is remembered of the file, and load it in a process "
                             "of its own"},
                    {.name = "time-limit",
                     .value = "SECONDS",
                     .help = "for --retry: how long loading it may take",
                     .integers =
                         tools::Integers{.min = 1, .max = kMaxRetrySeconds, .usual = kRetrySeconds},
                     .needs = "retry"}},
        .example = "ptp-inspect why LeNet5",
        .run = run_why};
}

}  // namespace ptp::inspect
