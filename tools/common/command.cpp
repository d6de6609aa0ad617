// Implements what is given on a command line, and the texts for one.

#include "common/command.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace ptp::tools {

bool Given::has(std::string_view option) const {
    return values_.contains(option);
}

Strings Given::texts(std::string_view option) const {
    const auto found = values_.find(option);
    return found == values_.end() ? Strings() : found->second;
}

std::string Given::text(std::string_view option) const {
    const auto found = values_.find(option);
    return found == values_.end() || found->second.empty() ? "" : found->second.front();
}

std::optional<std::int64_t> Given::integer(std::string_view option) const {
    const auto found = integers_.find(option);
    return found == integers_.end() ? std::nullopt : std::optional(found->second);
}

Strings Given::options_without(const Strings& names) const {
    Strings words;
    for (const auto& [name, typed] : typed_) {
        if (std::ranges::find(names, name) == names.end()) {
            words.insert(words.end(), typed.begin(), typed.end());
        }
    }
    return words;
}

std::vector<Option> concat(const std::vector<std::vector<Option>>& groups) {
    std::vector<Option> all;
    for (const std::vector<Option>& group : groups) {
        all.insert(all.end(), group.begin(), group.end());
    }
    return all;
}

std::vector<Option> all_options(const Command& command) {
    return concat({command.options,
                   {{.name = "color",
                     .value = "WHEN",
                     .help = "auto (the default: on a terminal, unless NO_COLOR is set), always or "
                             "never",
                     .completions = {"auto", "always", "never"}},
                    {.name = "help,h", .help = "show this help"}}});
}

std::string usage_of(const Command& command) {
    std::string usage = command.name;
    const auto add = [&usage](const std::string& word) {
        usage += (usage.empty() ? "" : " ") + word;
    };
    for (const Operand& operand : command.operands) {
        for (std::size_t i = 0; i < operand.min; ++i) {
            add(operand.name);
        }
        const std::string dots = operand.max > std::max<std::size_t>(operand.min, 1) ? "..." : "";
        if (operand.min == 0) {
            add(fmt::format("[{}]", operand.name));
        }
        usage += dots;
    }
    for (const Option& option : command.options) {
        if (option.is_required) {
            add(fmt::format("--{} {}", option.long_name(), option.value));
        }
    }
    return usage;
}

}  // namespace ptp::tools
