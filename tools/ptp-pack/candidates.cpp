#include "ptp-pack/candidates.hpp"

#include <algorithm>

namespace ptp::pack {

namespace {

using tools::Command;
using tools::Option;
using tools::Strings;

const Option* value_option(const std::vector<Option>& options, const std::string& word) {
    const auto found = std::ranges::find_if(options, [&](const Option& option) {
        return !option.value.empty() &&
               (word == "--" + option.long_name() || (word.size() == 2 && word.front() == '-' &&
                                                      option.name.ends_with(',' + word.substr(1))));
    });
    return found == options.end() ? nullptr : &*found;
}

Strings both(Strings choices, const Strings& completions) {
    choices.insert(choices.end(), completions.begin(), completions.end());
    return choices;
}

Strings option_names(const std::vector<Option>& options) {
    Strings names;
    for (const Option& option : options) {
        names.push_back("--" + option.long_name());
    }
    return names;
}

// `words` are those after the command.
Strings after_command(const Command& command, const Strings& words) {
    const std::vector<Option> options = all_options(command);
    std::size_t operand_count = 0;
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        if (const Option* option = value_option(options, words[i])) {
            if (i + 2 == words.size()) {
                return both(option->choices, option->completions);
            }
            ++i;
        } else if (!words[i].starts_with('-')) {
            ++operand_count;
        }
    }
    if (words.back().starts_with('-')) {
        return option_names(options);
    }
    for (const tools::Operand& operand : command.operands) {
        if (operand_count < operand.max) {
            return both(operand.choices, operand.completions);
        }
        operand_count -= operand.max;
    }
    return {};
}

}  // namespace

Strings candidates(const Strings& words, const std::vector<Command>& commands) {
    Strings found;
    if (words.size() < 2) {
        for (const Command& command : commands) {
            found.push_back(command.name);
        }
        found.insert(found.end(), {"help", "--help", "--version"});
    } else if (words.front() == "help") {
        return candidates({words.back()}, commands);
    } else if (const auto command = std::ranges::find(commands, words.front(), &Command::name);
               command != commands.end()) {
        found = after_command(*command, Strings(words.begin() + 1, words.end()));
    }
    std::erase_if(found, [&](const std::string& one) {
        return !one.starts_with(':') && !words.empty() && !one.starts_with(words.back());
    });
    return found;
}

}  // namespace ptp::pack
