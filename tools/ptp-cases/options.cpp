#include "ptp-cases/options.hpp"

#include "common/color_option.hpp"
#include "common/command.hpp"
#include "schema/device.hpp"
#include "schema/pattern.hpp"

#include <algorithm>
#include <limits>

namespace ptp::cases {

namespace {

const tools::Command& command() {
    static const tools::Command all = {
        .summary = "tests components by files of cases: inputs, and what must follow from them",
        .details =
            "Creates the component that a file names, from the plugin that has it, runs each\n"
            "case, and prints a line for each difference and the number of failures. The\n"
            "format of a file is described in docs/testing-components.md.\n",
        .operands = {{.name = "FILE",
                      .what = "a file with cases",
                      .max = std::numeric_limits<std::size_t>::max(),
                      .completions = {tools::kFiles}}},
        .options = {{.name = "plugin",
                     .value = "FILE",
                     .help = "a plugin that may have the component; may be given several times",
                     .completions = {tools::kFiles},
                     .is_repeatable = true},
                    {.name = "plugins",
                     .value = "DIR",
                     .help = "a folder with such plugins; may be given several times",
                     .completions = {tools::kFolders},
                     .is_repeatable = true},
                    {.name = "device",
                     .value = "NAME",
                     .help = "where components compute: cpu, the default, or cuda or cuda:N",
                     .completions = {"cpu", "cuda"}},
                    {.name = "version", .help = "print the version"}},
        .example = "ptp-cases --plugin build/lib/ptp/plugins/my_loss.so tests/my_loss.toml"};
    return all;
}

std::vector<std::filesystem::path> absolute(const tools::Strings& names) {
    std::vector<std::filesystem::path> paths;
    for (const std::string& name : names) {
        paths.push_back(std::filesystem::absolute(name));
    }
    return paths;
}

// Returns the name with a device number, as components receive it.
std::string read_device(const std::string& name) {
    if (!schema::matches(name, schema::kDevicePattern)) {
        throw tools::UsageError("--device " + name + ": must be cpu, cuda or cuda:N");
    }
    return name == "cuda" ? "cuda:0" : name;
}

}  // namespace

Options parse_options(int argc, char** argv) {
    tools::Strings words(argv + 1, argv + argc);
    tools::take_color_option(words);
    Options options;
    options.wants_version = std::ranges::find(words, "--version") != words.end();
    if (options.wants_version) {  // needs no operands
        return options;
    }
    const tools::Given given = tools::parse(command(), words);
    options.wants_help = given.has("help");
    if (!options.wants_help) {
        options.plugins = absolute(given.texts("plugin"));
        options.plugin_folders = absolute(given.texts("plugins"));
        options.files = given.operands();
        if (given.has("device")) {
            options.device = read_device(given.text("device"));
        }
    }
    return options;
}

std::string usage() {
    return tools::help_of(command(), "ptp-cases") +
           "\nexit codes: 0 all as expected, 1 not, 2 wrong command line, file of cases or plugin\n";
}

}  // namespace ptp::cases
