// Reads the command line of ptp-inspect, finds what its words name, and prints errors.

#include "options.hpp"

#include "base/suggest.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "common/command.hpp"
#include "common/render.hpp"
#include "experiment/familiar_names.hpp"
#include "listing.hpp"
#include "pipeline/draft.hpp"
#include "plugin/library_file.hpp"
#include "plugin/note.hpp"
#include "plugin/search_path.hpp"
#include "run/read_run.hpp"

#include <fmt/core.h>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <system_error>

namespace ptp::inspect {

namespace {

constexpr std::size_t kMaxNames = 1000000;
constexpr std::int64_t kUsualSeconds = 20;
constexpr std::int64_t kMaxSeconds = 86400;
constexpr std::int64_t kUsualSeed = 1;
constexpr std::int64_t kMaxSeed = 4294967295;

// Parses "204" or "runs".
engine::RuleId rule_from(const std::string& text) {
    std::vector<std::string> known;
    for (const engine::CheckRule& rule : engine::kCheckRules) {
        if (text == rule.name || text == std::to_string(rule.number())) {
            return rule.id;
        }
        known.emplace_back(rule.name);
    }
    throw tools::UsageError(fmt::format("--only {}: unknown rule{}", text,
                                        hint(text, known, "ptp-inspect rules lists all")));
}

namespace fs = std::filesystem;

// Returns whether the name is a file's: "x.so", "/x", "./x", "../x"; not "losses/L1Loss".
bool is_file_name(const fs::path& name) {
    const fs::path first = name.empty() ? name : *name.begin();
    return name.extension() == plugin::library_suffix() || name.has_root_directory() ||
           (first != name && (first == "." || first == ".."));
}

const plugin::CatalogEntry* find_entry(const plugin::Catalog& catalog, std::string_view name) {
    const auto found = std::ranges::find_if(
        catalog.plugins, [&](const plugin::CatalogEntry& e) { return e.manifest.name == name; });
    return found != catalog.plugins.end() ? &*found : nullptr;
}

// Returns the names to suggest; those like plugin/Type only if the user has typed a '/'.
std::vector<std::string> known_names(const plugin::Catalog& catalog, bool is_qualified) {
    std::vector<std::string> known;
    for (const plugin::CatalogEntry& entry : catalog.plugins) {
        if (!is_qualified) {
            known.push_back(entry.manifest.name);
        }
        for (const plugin::Component& component : entry.manifest.components) {
            known.push_back(is_qualified ? entry.manifest.name + "/" + component.name
                                         : component.name);
        }
    }
    return known;
}

}  // namespace

const tools::Command& unnamed_command() {
    static const tools::Command all = {
        .summary =
            "prints what plugins offer, without running their code: streams, settings,\n"
            "globals and statistics of each component",
        .details =
            "Without a name: an overview of all plugins on the search path: --plugins,\n"
            "PTP_PLUGIN_PATH, those of the user, of the machine, and those that come with ptp.\n"
            "Of a bundle, NAME.ptpm, it prints what it holds and where that comes from.\n" +
            std::string(kShapes) + "\n",
        .operands = {{.name = "PLUGIN-FILE|BUNDLE|PLUGIN|TYPE",
                      .what = "a name",
                      .min = 0,
                      .max = kMaxNames}},
        .options = {{.name = "plugins",
                     .value = "FOLDER",
                     .help = "search this folder first; may be repeated",
                     .is_repeatable = true},
                    {.name = "json", .help = "print JSON", .excludes = {"markdown"}},
                    {.name = "markdown", .help = "print a reference in Markdown"},
                    {.name = "check",
                     .help = "judge plugin files by rules, each in a process of its own: read the "
                             "file, compare its manifest with its code, and run its components on "
                             "made-up values",
                     .excludes = {"markdown", "plugins"}},
                    {.name = "only",
                     .value = "RULE[,RULE]",
                     .help = "for --check: try these rules alone, by their numbers or names",
                     .is_repeatable = true,
                     .needs = "check"},
                    {.name = "seed",
                     .value = "NUMBER",
                     .help = "for --check: of the made-up values",
                     .integers = tools::Integers{.min = 0, .max = kMaxSeed, .usual = kUsualSeed},
                     .needs = "check"},
                    {.name = "with",
                     .value = "FILE.toml",
                     .help = "for --check: settings for components, in a table for each type, such "
                             "as the data of a task",
                     .needs = "check"},
                    {.name = "strict",
                     .help = "for --check: refuse plugins with warnings too",
                     .needs = "check"},
                    {.name = "time-limit",
                     .value = "SECONDS",
                     .help = "for --check: how long a rule may take, for each component",
                     .integers =
                         tools::Integers{.min = 1, .max = kMaxSeconds, .usual = kUsualSeconds},
                     .needs = "check"},
                    {.name = "version", .help = "print the version"}},
        .example = "ptp-inspect --check build/my_plugin.so"};
    return all;
}

std::vector<engine::RuleId> rules_from(const tools::Strings& lists) {
    std::vector<engine::RuleId> rules;
    for (const std::string& list : lists) {
        std::size_t begin = 0;
        while (begin <= list.size()) {
            const std::size_t end = std::min(list.find(',', begin), list.size());
            rules.push_back(rule_from(list.substr(begin, end - begin)));
            begin = end + 1;
        }
    }
    return rules;
}

std::string usage() {
    std::string others = "\nother uses, each with a --help of its own:\n";
    for (const tools::Command& other : commands()) {
        others +=
            fmt::format("  ptp-inspect {}\n      {}\n", tools::usage_of(other), other.summary);
    }
    return tools::help_of(unnamed_command(), "ptp-inspect") + others +
           "\nexit codes: 0 done, 2 wrong command line or file of --with, 3 a name was not found, "
           "or --check\nrefuses a plugin: a rule failed, crashed or timed out; 4 --check refuses none, and a "
           "rule\nor a component was not tried\n";
}

int complain(const std::string& text, int status) {
    return tools::complain("ptp-inspect", text, status);
}

void warn(const std::string& text) {
    ptp::Problem problem;
    problem.severity = ptp::Severity::kWarning;
    problem.message = text;
    const std::string shown =
        tools::rendered(problem, "ptp-inspect", {}, tools::style_for(STDERR_FILENO));
    std::fputs(shown.c_str(), stderr);
}

namespace {

// Returns where the options of an optimizer, a scheduler or a sampler are shown; "" for other
// names.
std::string part_of_training(const std::string& name) {
    struct Part {
        const char* key;
        const char* what;
    };
    for (const Part& part : {Part{"optimizer", "an optimizer"}, Part{"scheduler", "a scheduler"},
                             Part{"sampler", "a sampler"}}) {
        const std::string example = experiment::familiar_type_table(part.key, name);
        if (!example.empty()) {
            return fmt::format(
                "'{0}' is {1} of [training], and no plugin or component\n    fix: write {2} = {3} in "
                "[training]; docs/reference.md has its options, and ptprun explain EXPERIMENT.toml "
                "training.{2} shows those of an experiment",
                name, part.what, part.key, example);
        }
    }
    return "";
}

// Returns what another program does with a run, an experiment or a folder; "" for other names.
std::string other_use(const std::string& name) {
    std::error_code ignored;  // what cannot be looked at is none of them
    const fs::path path = name;
    const bool is_folder = fs::is_directory(path, ignored);
    const std::string word = shell_word(name);
    if (is_folder ? run::is_run(path) : name == "last" || path.filename() == "last") {
        return fmt::format(
            "'{0}' is a run, and no plugin or component; its network, its results and its settings "
            "can be shown\n    fix: ptprun summary {1}\n         ptprun runs {1}\n         ptprun "
            "explain {1}",
            name, word);
    }
    if (is_folder) {
        return fmt::format(
            "'{}' is a folder, whose plugins can be listed\n    fix: ptp-inspect --plugins {}",
            name, word);
    }
    struct Word {
        std::string_view names;
        const char* fix;
    };
    for (const Word& one :
         {Word{"check lint test validate verify", "ptp-inspect --check FILE.so"},
          Word{"all list ls", "ptp-inspect"}, Word{"help", "ptp-inspect --help"}}) {
        if (has_word(one.names, name)) {
            return fmt::format("'{}' is neither a plugin nor a component\n    fix: {}", name,
                               one.fix);
        }
    }
    return path.extension() == ".toml"
               ? fmt::format(
                     "'{0}' is an experiment, and no plugin or component; it can be checked, "
                     "and its network be shown\n    fix: ptprun check {1}\n         ptprun summary {1}",
                     name, word)
               : "";
}

// Returns that there is nothing of the name, with what it may mean: a name that is nearly the same,
// or the components that have the purpose of another program's.
std::string unknown_text(const std::string& name, const plugin::Catalog& catalog) {
    const bool is_qualified = name.find('/') != std::string::npos;
    std::string meant =
        hint(name, known_names(catalog, is_qualified), "without a name ptp-inspect lists all");
    const tools::Strings types = is_qualified || meant.starts_with("; did")
                                     ? tools::Strings()
                                     : pipeline::types_meant(catalog, name, std::nullopt);
    if (!types.empty()) {
        meant = fmt::format("; did you mean '{}'?\n    fix: ptp-inspect {}", join(types, "' or '"),
                            join(types, " "));
    }
    return fmt::format("unknown plugin or component '{}'{}", name, meant);
}

}  // namespace

plugin::CatalogEntry read_plugin_file(const std::string& name) {
    if (const std::string other = other_use(name); !other.empty()) {
        throw NotFound(other);
    }
    try {
        return {.path = fs::absolute(name).lexically_normal(),
                .manifest = plugin::read_manifest(name)};
    } catch (const std::runtime_error& error) {
        throw NotFound(fmt::format("{}: {}", name, error.what()));
    }
}

Plugins find_plugins(const tools::Given& given) {
    const tools::Strings folders = given.texts("plugins");
    Plugins plugins;
    plugins.catalog = plugin::scan(
        plugin::search_folders(plugin::search_path_here({folders.begin(), folders.end()})));
    for (const std::string& name : given.operands()) {
        if (is_file_name(name)) {
            plugins.files.plugins.push_back(read_plugin_file(name));
        }
    }
    return plugins;
}

Selection select(const std::vector<std::string>& names, const Plugins& plugins) {
    Selection selection;
    std::string unknown;
    std::size_t file = 0;
    for (const std::string& name : names) {
        if (is_file_name(name)) {
            selection.plugins.push_back(&plugins.files.plugins[file++]);
            continue;
        }
        if (const plugin::CatalogEntry* entry = find_entry(plugins.catalog, name)) {
            selection.plugins.push_back(entry);
            continue;
        }
        const std::vector<plugin::Found> found = plugins.catalog.find(name);
        if (found.empty()) {
            const std::string part = part_of_training(name);
            if (const std::string other = part.empty() ? other_use(name) : part; !other.empty()) {
                unknown += (unknown.empty() ? "" : "\n") + other;
                continue;
            }
            unknown += (unknown.empty() ? "" : "\n") + unknown_text(name, plugins.catalog);
        }
        std::ranges::copy(found, std::back_inserter(selection.components));
    }
    if (!unknown.empty()) {
        throw NotFound(unknown);
    }
    return selection;
}

}  // namespace ptp::inspect
