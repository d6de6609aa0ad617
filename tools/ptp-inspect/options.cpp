#include "options.hpp"

#include "common/color_option.hpp"
#include "common/command.hpp"

#include <cstdint>

namespace ptp::inspect {

namespace {

using tools::Given;

constexpr std::size_t kMaxNames = 1000000;
constexpr std::int64_t kUsualSeconds = 20;
constexpr std::int64_t kMaxSeconds = 86400;

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
                     .help = "judge plugin files: load each in a process of its own, compare its "
                             "manifest with its code, and run its components on made-up values",
                     .excludes = {"json", "markdown", "plugins"}},
                    {.name = "with",
                     .value = "FILE.toml",
                     .help = "for --check: settings for components, in a table for each type, such "
                             "as the data of a task",
                     .needs = "check"},
                    {.name = "time-limit",
                     .value = "SECONDS",
                     .help = "for --check: how long loading a plugin may take, and one component",
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
    return options;
}

std::string usage() {
    return tools::help_of(command(), "ptp-inspect") +
           "\nexit codes: 0 done, 2 wrong command line or file of --with, 3 a name was not found, "
           "or a\nplugin did not pass --check\n";
}

}  // namespace ptp::inspect
