// `ptp-inspect diff OLD NEW`: what a newer build of a plugin means for experiments that use the
// older one, and for its version.

#include "base/diagnostics.hpp"
#include "base/explanation.hpp"
#include "base/json.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "layout_diff.hpp"
#include "listing.hpp"
#include "options.hpp"
#include "plugin/companions.hpp"
#include "plugin/compare.hpp"
#include "plugin/note.hpp"
#include "plugin/search_path.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <optional>

namespace ptp::inspect {

namespace {

namespace fs = std::filesystem;
using plugin::Change;
using plugin::Compared;
using plugin::VersionNumber;
using tools::Given;

constexpr int kIncompatible = 1;
constexpr int kVersionTooSmall = 4;

struct BuildFile {
    fs::path path;
    plugin::Manifest manifest;
    std::string hash;
};

// Reads the note of a build, also of one for another libtorch or a newer host: no code of it runs.
BuildFile read_build_file(const fs::path& path) {
    try {
        return {path, plugin::read_note(plugin::read_library(path)), plugin::build_hash(path)};
    } catch (const std::runtime_error& error) {
        throw NotFound(fmt::format("{}: {}", path.string(), error.what()));
    }
}

// The one that a search finds.
fs::path installed_file(const std::string& name, const std::vector<fs::path>& folders) {
    const plugin::Catalog catalog =
        plugin::scan(plugin::search_folders(plugin::search_path_here(folders)));
    std::vector<std::string> known;
    for (const plugin::CatalogEntry& entry : catalog.plugins) {
        if (entry.manifest.name == name) {
            return entry.path;
        }
        known.push_back(entry.manifest.name);
    }
    throw NotFound(fmt::format("unknown plugin '{}'{}", name,
                               hint(name, known, "without a name ptp-inspect lists all")));
}

BuildFile find_build(const std::string& name, const std::vector<fs::path>& folders) {
    const bool is_file =
        fs::path(name).extension() == plugin::library_suffix() || name.find('/') != name.npos;
    return read_build_file(is_file ? fs::path(name) : installed_file(name, folders));
}

// Returns what the version of the newer build has to be.
struct VersionAdvice {
    std::optional<VersionNumber> least = {};  // nullopt: one of the two is not a version number
    bool is_sufficient = true;
    std::string text;
};

VersionAdvice advise(const BuildFile& older, const BuildFile& newer, Change change) {
    const auto before = VersionNumber::parse(older.manifest.version);
    const auto now = VersionNumber::parse(newer.manifest.version);
    if (!before || !now) {
        return {.text = fmt::format("the version '{}' is not a version number, such as 1.2.3: none "
                                    "is suggested",
                                    before ? newer.manifest.version : older.manifest.version)};
    }
    VersionAdvice advice{.least = before->after(change), .text = {}};
    advice.is_sufficient = *now >= *advice.least;
    if (!advice.is_sufficient) {
        advice.text =
            fmt::format("the version {} is too small: after {} it must be {} or more",
                        newer.manifest.version, older.manifest.version, advice.least->text());
    } else if (change == Change::kIdentical && older.hash != newer.hash && *now == *before) {
        advice.text =
            fmt::format("suggested version: {}, as the file differs",
                        VersionNumber{before->major, before->minor, before->patch + 1}.text());
    } else {
        advice.text =
            fmt::format("the version {} fits: after {} it must be {} or more",
                        newer.manifest.version, older.manifest.version, advice.least->text());
    }
    return advice;
}

// All that was compared, and what is of interest besides.
struct Result {
    std::vector<Compared> compared;
    std::vector<std::string> notes;
};

// Returns the differences on which no experiment depends, but perhaps an installation.
std::vector<std::string> notes_on(const plugin::Manifest& older, const plugin::Manifest& newer) {
    std::vector<std::string> notes;
    const auto add = [&](const char* what, const std::string& before, const std::string& now) {
        if (before != now) {
            notes.push_back(fmt::format("{} was {}, is {}", what, before.empty() ? "none" : before,
                                        now.empty() ? "none" : now));
        }
    };
    const auto abi = [](const plugin::Manifest& manifest) {
        return fmt::format("{}.{}", manifest.abi_major, manifest.abi_minor);
    };
    add("ABI", abi(older), abi(newer));
    add("libtorch", older.build.libtorch, newer.build.libtorch);
    add("standard library", older.build.standard_library, newer.build.standard_library);
    add("sanitizer", older.build.sanitizer, newer.build.sanitizer);
    add("license", older.license, newer.license);
    return notes;
}

std::string title_of(const BuildFile& build) {
    return fmt::format("{} {}  {}\n", build.manifest.name, build.manifest.version,
                       build.path.string());
}

// A line for each thing, and for each further reason.
std::string component_text(const std::string& component, const std::vector<Compared>& compared,
                           bool wants_all) {
    Table table;
    for (const Compared& one : compared) {
        if (one.component != component || (one.change == Change::kIdentical && !wants_all)) {
            continue;
        }
        std::vector<std::string> row = {std::string(to_string(one.change)), one.kind, one.name, ""};
        for (const std::string& reason : one.reasons) {
            row[3] = reason;
            table.add(row);
            row = {"", "", "", ""};
        }
        if (one.reasons.empty()) {
            table.add(row);
        }
    }
    if (table.empty()) {
        return "";
    }
    return component.empty() ? "\n" + table.text("  ")
                             : fmt::format("\n{}\n{}", component, table.text("  "));
}

std::string counts_text(const std::vector<Compared>& compared) {
    std::vector<std::string> parts;
    for (const Change change :
         {Change::kBreaking, Change::kNarrowed, Change::kWidened, Change::kIdentical}) {
        const auto count = std::ranges::count(compared, change, &Compared::change);
        if (count > 0) {
            parts.push_back(fmt::format("{} {}", count, to_string(change)));
        }
    }
    return join(parts, ", ");
}

std::string diff_text(const BuildFile& older, const BuildFile& newer, const Result& result,
                      const VersionAdvice& advice, bool wants_all) {
    const std::vector<Compared>& compared = result.compared;
    std::string out = title_of(older) + title_of(newer);
    std::vector<std::string> components;
    for (const Compared& one : compared) {
        if (std::ranges::find(components, one.component) == components.end()) {
            components.push_back(one.component);
            out += component_text(one.component, compared, wants_all);
        }
    }
    out += fmt::format("\n{}: {}\n", to_string(most(compared)), counts_text(compared));
    for (const std::string& note : result.notes) {
        out += fmt::format("note: {}\n", note);
    }
    return out + advice.text + "\n";
}

Json build_json(const BuildFile& build) {
    return {{"path", build.path.string()},
            {"name", build.manifest.name},
            {"version", build.manifest.version},
            {"sha256", build.hash}};
}

std::string diff_json(const BuildFile& older, const BuildFile& newer, const Result& result,
                      const VersionAdvice& advice) {
    const std::vector<Compared>& compared = result.compared;
    Json out = {{"old", build_json(older)},
                {"new", build_json(newer)},
                {"change", to_string(most(compared))},
                {"least_version", advice.least ? Json(advice.least->text()) : Json()},
                {"is_version_sufficient", advice.is_sufficient},
                {"declarations", Json::array()},
                {"notes", result.notes}};
    for (const Compared& one : compared) {
        out["declarations"].push_back({{"component", one.component},
                                       {"kind", one.kind},
                                       {"name", one.name},
                                       {"change", to_string(one.change)},
                                       {"reasons", one.reasons}});
    }
    return ptp::text_of(out, 2) + "\n";
}

// A component's declaration is followed by what it has.
void add_layouts(const BuildFile& older, const BuildFile& newer, std::chrono::seconds limit,
                 Result& result) {
    try {
        // Only what this host can load.
        const auto entry = [](const BuildFile& build) {
            return plugin::CatalogEntry{fs::absolute(build.path).lexically_normal(),
                                        plugin::read_manifest(build.path)};
        };
        LayoutDiff layouts = compare_layouts(entry(older), entry(newer), limit);
        std::ranges::move(layouts.compared, std::back_inserter(result.compared));
        std::ranges::move(layouts.notes, std::back_inserter(result.notes));
    } catch (const std::runtime_error& error) {
        throw NotFound(fmt::format("--run: {}", error.what()));
    }
}

int run_diff(const Given& given) {
    const tools::Strings texts = given.texts("plugins");
    const std::vector<fs::path> folders(texts.begin(), texts.end());
    const BuildFile older = find_build(given.operands()[0], folders);
    const BuildFile newer = find_build(given.operands()[1], folders);
    Result result{plugin::compare_manifests(older.manifest, newer.manifest),
                  notes_on(older.manifest, newer.manifest)};
    if (given.has("run")) {
        add_layouts(older, newer, std::chrono::seconds(*given.integer("time-limit")), result);
    }
    const Change change = most(result.compared);
    const VersionAdvice advice = advise(older, newer, change);
    print(given.has("json") ? diff_json(older, newer, result, advice)
                            : diff_text(older, newer, result, advice, given.has("all")));
    if (!advice.is_sufficient) {
        return kVersionTooSmall;
    }
    return change > Change::kWidened ? kIncompatible : 0;
}

}  // namespace

tools::Command diff_command() {
    return {
        .name = "diff",
        .summary = "compares two builds of a plugin, by what they declare",
        .details =
            "Each stream, setting, global, statistic, requirement and ability is\n"
            "  identical  declared alike\n"
            "  widened    all that was accepted is accepted and computes the same\n"
            "  narrowed   some of what was accepted is refused, before anything runs\n"
            "  breaking   what uses it is refused or computes something else\n"
            "None of their code runs without --run, which compares parameters, buffers and state too.\n"
            "OLD and NEW are files, or names of plugins that are installed.\n\n"
            "exit codes: 0 identical or widened, 1 narrowed or breaking, 4 the version of NEW is\n"
            "too small for what has changed (Semantic Versioning), 2 wrong command line, 3 a\n"
            "plugin was not found or cannot be read\n",
        .operands = {{.name = "OLD", .what = "the older build", .completions = {tools::kFiles}},
                     {.name = "NEW", .what = "the newer build", .completions = {tools::kFiles}}},
        .options = {{.name = "plugins",
                     .value = "FOLDER",
                     .help = "search this folder first; may be repeated",
                     .completions = {tools::kFolders},
                     .is_repeatable = true},
                    {.name = "run",
                     .help = "create the components of both, in processes of their own, and "
                             "compare their parameters, buffers and state too"},
                    {.name = "time-limit",
                     .value = "SECONDS",
                     .help = "for --run: how long creating one component may take",
                     .integers = tools::Integers{.min = 1, .max = 86400, .usual = 20},
                     .needs = "run"},
                    {.name = "all", .help = "print what is identical too", .excludes = {"json"}},
                    {.name = "json", .help = "print JSON"}},
        .example = "ptp-inspect diff my_plugin build/my_plugin.so",
        .run = run_diff};
}

}  // namespace ptp::inspect
