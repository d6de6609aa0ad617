// Reads the command line of ptp-new, and checks the names of the new plugin.

#include "project.hpp"

#include "base/explanation.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"
#include "plugin/enum_names.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace ptp::newplugin {

namespace {

constexpr std::size_t kMaxName = 64;

// Common names for the kinds.
constexpr std::array kSynonyms =
    std::to_array<std::pair<std::string_view, std::string_view>>({{"augmentation", "transform"},
                                                                  {"criterion", "loss"},
                                                                  {"data", "task"},
                                                                  {"dataset", "task"},
                                                                  {"encoder", "transform"},
                                                                  {"exporter", "publisher"},
                                                                  {"layer", "model"},
                                                                  {"metric", "statistic"},
                                                                  {"module", "model"},
                                                                  {"network", "model"},
                                                                  {"tokenizer", "transform"}});

// Parts that a plugin cannot have, and the keys of an experiment that choose those of ptp.
constexpr std::array kOfPtp =
    std::to_array<std::pair<std::string_view, std::string_view>>({{"optimizer", "optimizer"},
                                                                  {"sampler", "sampler"},
                                                                  {"schedule", "scheduler"},
                                                                  {"scheduler", "scheduler"}});

// Targets of CMake or the SDK that exist in every project.
constexpr std::array kTargets = std::to_array<std::string_view>(
    {"all", "clean", "edit_cache", "help", "install", "list_install_components", "package",
     "package_source", "preinstall", "rebuild_cache", "test"});

// Names that the templates use within the class of the component.
constexpr std::array kInnerNames = std::to_array<std::string_view>({"Config", "Count"});

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool is_upper(char c) {
    return c != lower(c);
}

bool is_letter_or_digit(char c) {
    return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9');
}

// Returns "my_loss" for "MyLoss", "my-loss" and "my loss"; "" if no character is left.
std::string snake_case_of(std::string_view text) {
    std::string name;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool begins_word = i > 0 && is_upper(text[i]) && !is_upper(text[i - 1]);
        if ((begins_word || !is_letter_or_digit(text[i])) && !name.empty() && name.back() != '_') {
            name += '_';
        }
        if (is_letter_or_digit(text[i])) {
            name += lower(text[i]);
        }
    }
    while (!name.empty() && name.back() == '_') {
        name.pop_back();
    }
    return is_snake_case(name) ? name : "";
}

[[noreturn]] void refuse(const std::string& text, const std::string& fix = "") {
    throw tools::UsageError(Explanation{text, fix}.text());
}

// Returns the command line with these operands: "ptp-new loss my_loss --license MIT". It lacks
// --component where another one is meant.
std::string line_with(const std::string& kind, const std::string& name, const tools::Given& given,
                      const std::string& component = "") {
    std::string line = fmt::format("ptp-new {} {}", shell_word(kind), shell_word(name));
    line += component.empty() ? "" : " --component " + component;
    const tools::Strings replaced =
        component.empty() ? tools::Strings() : tools::Strings{"component"};
    for (const std::string& word : given.options_without(replaced)) {
        line += " " + shell_word(word);
    }
    return line;
}

// Returns "MyLoss" for "my_loss".
std::string type_name_of(std::string_view plugin_name) {
    std::string name;
    bool begins_word = true;
    for (const char c : plugin_name) {
        if (c == '_') {
            begins_word = true;
            continue;
        }
        name += begins_word && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
        begins_word = false;
    }
    return name;
}

// Throws tools::UsageError for an unknown kind, with the probable one.
void require_kind(const tools::Given& given) {
    const std::string& kind = given.operands()[0];
    const auto& words = plugin::kWords<plugin::Kind>;
    if (std::ranges::find(words, kind) != words.end()) {
        return;
    }
    const std::string folded_kind = folded(kind);
    const auto is_meant = [&](const auto& one) {
        return one.first == folded_kind || std::string(one.first) + "s" == folded_kind;
    };
    const std::vector<std::string> known(words.begin(), words.end());
    if (const auto* const own = std::ranges::find_if(kOfPtp, is_meant); own != kOfPtp.end()) {
        refuse(fmt::format("'{}': a plugin cannot have one; its kinds are {}", kind,
                           join(known, ", ")),
               fmt::format("take one of ptp: [training.{}] in docs/reference.md", own->second));
    }
    const auto* const synonym = std::ranges::find_if(kSynonyms, is_meant);
    const auto near = synonym == kSynonyms.end() ? nearest(kind, known)
                                                 : std::optional(std::string(synonym->second));
    if (!near) {
        refuse(fmt::format("unknown kind '{}'{}", kind, hint(kind, known)));
    }
    refuse(fmt::format("unknown kind '{}'; did you mean '{}'?", kind, *near),
           line_with(*near, given.operands()[1], given));
}

// Throws tools::UsageError for an invalid name of a plugin, its files and its targets.
void require_plugin_name(const tools::Given& given) {
    const std::string& name = given.operands()[1];
    const auto line = [&](const std::string& other) {
        return other.empty() ? "" : line_with(given.operands()[0], other, given);
    };
    if (!is_snake_case(name)) {
        refuse(fmt::format("'{}' cannot be the name of a plugin: it must be a lower-case letter, "
                           "then lower-case letters, digits and '_'",
                           name),
               line(snake_case_of(name)));
    }
    if (name.size() > kMaxName) {
        refuse(
            fmt::format("'{}' cannot be the name of a plugin: it must have at most {} letters, "
                        "has {}",
                        name, kMaxName, name.size()));
    }
    if (std::ranges::find(kTargets, name) != kTargets.end()) {
        refuse(fmt::format("'{}' cannot be the name of a plugin: CMake has a target of this name",
                           name),
               line("my_" + name));
    }
}

// Throws tools::UsageError for an invalid name of a component and its class.
void require_type_name(const std::string& name, const tools::Given& given) {
    const auto line = [&](const std::string& other) {
        return other.empty() ? ""
                             : line_with(given.operands()[0], given.operands()[1], given, other);
    };
    if (!is_type_name(name) || !is_upper(name.front())) {
        const std::string meant = type_name_of(snake_case_of(name));
        refuse(fmt::format("'{}' cannot be the name of a component: it must be an upper-case "
                           "letter, then letters, digits and '_'",
                           name),
               line(meant));
    }
    if (std::ranges::find(kInnerNames, name) != kInnerNames.end()) {
        refuse(fmt::format("'{0}' cannot be the name of a component: a part of its class has this "
                           "name",
                           name),
               line("My" + name));
    }
}

namespace fs = std::filesystem;

constexpr const char* kNoLicense = "none";

// Returns a text for CMakeLists.txt and the plugin's description.
std::string line_of(const tools::Given& given, const char* option) {
    const std::string text = given.text(option);
    if (given.has(option) && (text.empty() || !is_utf8(text) || !is_one_line(text))) {
        throw tools::UsageError(fmt::format("--{}: must be one line of text", option));
    }
    return text;
}

}  // namespace

Options options_from(const tools::Given& given) {
    Options options;
    options.kind = given.operands()[0];
    options.name = given.operands()[1];
    require_kind(given);
    if (given.has("component")) {
        options.type = given.text("component");
        require_type_name(options.type, given);
    }
    require_plugin_name(given);
    if (options.type.empty()) {
        options.type = type_name_of(options.name);
        require_type_name(options.type, given);
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

tools::Command new_command(int (*run)(const tools::Given&)) {
    return {
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
        .example = "ptp-new loss my_loss --author 'Jane Doe <jane@example.org>'",
        .run = run};
}

}  // namespace ptp::newplugin
