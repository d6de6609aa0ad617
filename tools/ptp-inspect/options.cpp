#include "options.hpp"

#include "base/suggest.hpp"
#include "commands.hpp"
#include "common/color_option.hpp"
#include "common/command.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace ptp::inspect {

namespace {

using tools::Given;

constexpr std::size_t kMaxNames = 1000000;
constexpr std::int64_t kUsualSeconds = 20;
constexpr std::int64_t kMaxSeconds = 86400;
constexpr std::int64_t kUsualSeed = 1;
constexpr std::int64_t kMaxSeed = 4294967295;

const tools::Command& command() {
    static const tools::Command all = {
        .summary =
            "prints what plugins offer, without running their code: streams, settings,\n"
            "globals and statistics of each component",
        .details =
            "Without a name: an overview of all plugins on the search path: --plugins,\n"
            "PTP_PLUGIN_PATH, those of the user, of the machine, and those that come with ptp.\n",
        .operands =
            {{.name = "PLUGIN-FILE|PLUGIN|TYPE", .what = "a name", .min = 0, .max = kMaxNames}},
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

Given read(int argc, char** argv) {
    try {
        tools::Strings arguments(argv + 1, argv + argc);
        tools::take_color_option(arguments);
        return tools::parse(command(), arguments);
    } catch (const tools::UsageError& error) {
        throw UsageError(error.what());
    }
}

// Parses "204" or "runs".
engine::RuleId rule_from(const std::string& text) {
    std::vector<std::string> known;
    for (const engine::CheckRule& rule : engine::kCheckRules) {
        if (text == rule.name || text == std::to_string(rule.number())) {
            return rule.id;
        }
        known.emplace_back(rule.name);
    }
    throw UsageError(fmt::format("--only {}: unknown rule{}", text,
                                 hint(text, known, "ptp-inspect rules lists all")));
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

}  // namespace

Options parse_options(int argc, char** argv) {
    const Given given = read(argc, argv);
    Options options;
    options.wants_help = given.has("help");
    options.wants_version = given.has("version");
    if (options.wants_help || options.wants_version) {
        return options;
    }
    options.names = given.operands();
    options.checks = given.has("check");
    if (options.checks && options.names.empty()) {
        throw UsageError("--check needs the files of plugins");
    }
    for (const std::string& folder : given.texts("plugins")) {
        options.plugin_folders.emplace_back(folder);
    }
    options.format = given.has("json")       ? Format::kJson
                     : given.has("markdown") ? Format::kMarkdown
                                             : Format::kText;
    options.time_limit_s = static_cast<int>(*given.integer("time-limit"));
    if (given.has("with")) {
        options.given = given.text("with");
    }
    options.is_strict = given.has("strict");
    options.rules = rules_from(given.texts("only"));
    options.seed = static_cast<std::uint64_t>(*given.integer("seed"));
    return options;
}

std::string usage() {
    std::string others = "\nother uses, each with a --help of its own:\n";
    for (const tools::Command& other : commands()) {
        others +=
            fmt::format("  ptp-inspect {}\n      {}\n", tools::usage_of(other), other.summary);
    }
    return tools::help_of(command(), "ptp-inspect") + others +
           "\nexit codes: 0 done, 2 wrong command line or file of --with, 3 a name was not found, "
           "or --check\nrefuses a plugin: a rule failed, crashed or timed out; 4 --check refuses none, and a "
           "rule\nor a component was not tried\n";
}

}  // namespace ptp::inspect
