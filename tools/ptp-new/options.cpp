#include "options.hpp"

#include "base/text.hpp"
#include "common/color_option.hpp"
#include "common/command.hpp"
#include "names.hpp"
#include "plugin/enum_names.hpp"

#include <fmt/core.h>

namespace ptp::newplugin {

namespace {

namespace fs = std::filesystem;

constexpr const char* kNoLicense = "none";

const tools::Command& command() {
    static const tools::Command all = {
        .summary = "makes a project: a plugin with one component, its test and an experiment",
        .details = fmt::format(
            "KIND is {}.\n"
            "NAME is the plugin's, such as my_loss; its component is then called MyLoss. The\n"
            "project builds and passes its tests as it is: ./test.sh in its folder.\n",
            join(plugin::kWords<plugin::Kind>, ", ")),
        .operands = {{.name = "KIND", .what = "a kind of component"},
                     {.name = "NAME", .what = "the name of the plugin"}},
        .options = {{.name = "component",
                     .value = "TYPE",
                     .help = "the component's name, if it is to be another one"},
                    {.name = "license",
                     .value = "SPDX",
                     .help = "the plugin's license; its text becomes the file LICENSE (default: "
                             "Apache-2.0)",
                     .choices = {"Apache-2.0", "BSD-3-Clause", "MIT", kNoLicense}},
                    {.name = "author",
                     .value = "TEXT",
                     .help = "who answers for it, such as 'Jane Doe <jane@example.org>'"},
                    {.name = "homepage",
                     .value = "ADDRESS",
                     .help = "where it is kept, and mistakes are reported"},
                    {.name = "into",
                     .value = "FOLDER",
                     .help = "the project's folder, which must not exist (default: NAME)",
                     .completions = {tools::kFolders}},
                    {.name = "version", .help = "print the version"}},
        .example = "ptp-new loss my_loss --author 'Jane Doe <jane@example.org>'"};
    return all;
}

// Returns a text for CMakeLists.txt and the plugin's description.
std::string line_of(const tools::Given& given, const char* option) {
    const std::string text = given.text(option);
    if (given.has(option) && (text.empty() || !is_utf8(text) || !is_one_line(text))) {
        throw tools::UsageError(fmt::format("--{}: must be one line of text", option));
    }
    return text;
}

}  // namespace

Options parse_options(int argc, char** argv) {
    tools::Strings arguments(argv + 1, argv + argc);
    tools::take_color_option(arguments);
    Options options;
    for (const std::string& word : arguments) {  // they need no operands
        options.wants_version = options.wants_version || word == "--version";
    }
    if (options.wants_version) {
        return options;
    }
    const tools::Given given = tools::parse(command(), arguments);
    if (given.has("help")) {
        options.wants_help = true;
        return options;
    }
    options.kind = given.operands()[0];
    options.name = given.operands()[1];
    require_kind(options.kind);
    if (given.has("component")) {
        options.type = given.text("component");
        require_type_name(options.type);
    }
    require_plugin_name(options.name);
    if (options.type.empty()) {
        options.type = type_name_of(options.name);
        require_type_name(options.type);
    }
    options.license = given.has("license") ? given.text("license") : "Apache-2.0";
    if (options.license == kNoLicense) {
        options.license.clear();
    }
    options.author = line_of(given, "author");
    options.homepage = line_of(given, "homepage");
    options.as_given = given.has("into") ? given.text("into") : options.name;
    options.into = fs::absolute(options.as_given).lexically_normal();
    if (!options.into.has_filename()) {  // "folder/"
        options.into = options.into.parent_path();
    }
    return options;
}

std::string usage() {
    return tools::help_of(command(), "ptp-new") +
           "\nexit codes: 0 done, 2 wrong command line, or a folder that exists, 5 cannot write\n";
}

}  // namespace ptp::newplugin
