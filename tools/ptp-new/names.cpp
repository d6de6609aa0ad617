#include "names.hpp"

#include "base/suggest.hpp"
#include "base/text.hpp"
#include "common/command.hpp"
#include "plugin/enum_names.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace ptp::newplugin {

namespace {

constexpr std::size_t kMaxName = 64;

// Common names for the kinds.
constexpr std::array kSynonyms =
    std::to_array<std::pair<std::string_view, std::string_view>>({{"criterion", "loss"},
                                                                  {"data", "task"},
                                                                  {"dataset", "task"},
                                                                  {"exporter", "publisher"},
                                                                  {"layer", "model"},
                                                                  {"metric", "statistic"},
                                                                  {"module", "model"},
                                                                  {"network", "model"}});

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
    throw tools::UsageError(fix.empty() ? text : text + "\n    fix: " + fix);
}

}  // namespace

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

void require_kind(const std::string& kind) {
    const auto& words = plugin::kWords<plugin::Kind>;
    if (std::ranges::find(words, kind) != words.end()) {
        return;
    }
    const std::string meant = folded(kind);
    for (const auto& [synonym, word] : kSynonyms) {
        if (synonym == meant || std::string(synonym) + "s" == meant) {
            refuse(fmt::format("unknown kind '{}'; did you mean '{}'?", kind, word));
        }
    }
    refuse(fmt::format("unknown kind '{}'{}", kind,
                       hint(kind, std::vector<std::string>(words.begin(), words.end()))));
}

void require_plugin_name(const std::string& name) {
    if (!is_snake_case(name)) {
        refuse(fmt::format("'{}' cannot be the name of a plugin: it must be a lower-case letter, "
                           "then lower-case letters, digits and '_'",
                           name),
               snake_case_of(name));
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
               "my_" + name);
    }
}

void require_type_name(const std::string& name) {
    if (!is_type_name(name) || !is_upper(name.front())) {
        refuse(
            fmt::format("'{}' cannot be the name of a component: it must be an upper-case "
                        "letter, then letters, digits and '_'",
                        name));
    }
    if (std::ranges::find(kInnerNames, name) != kInnerNames.end()) {
        refuse(fmt::format("'{0}' cannot be the name of a component: a part of its class has this "
                           "name",
                           name),
               "My" + name);
    }
}

}  // namespace ptp::newplugin
