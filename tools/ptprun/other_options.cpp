// Reads the words of a command line of another program.

#include "other_options.hpp"

#include "base/ranges.hpp"
#include "base/text.hpp"
#include "familiar_words.hpp"
#include "run/paths.hpp"

#include <algorithm>
#include <filesystem>
#include <sstream>

namespace ptp::ptprun {

std::string plain_name(std::string_view option) {
    std::string name(option.substr(std::min(option.find_first_not_of('-'), option.size())));
    std::ranges::replace(name, '-', '_');
    return name;
}

std::string option_value(const std::string& option, const Strings& arguments,
                         const std::string& otherwise) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i].starts_with(option + "=")) {
            return arguments[i].substr(option.size() + 1);
        }
        const bool has_next = i + 1 < arguments.size() && !arguments[i + 1].starts_with("--");
        if (arguments[i] == option && has_next) {
            return arguments[i + 1];
        }
    }
    return otherwise;
}

bool has_option(const Command& command, std::string_view typed) {
    return std::ranges::any_of(command.options,
                               [&](const Option& one) { return typed == "--" + one.long_name(); });
}

bool is_run_folder(const std::string& word) {
    std::error_code ignored;
    return std::filesystem::exists(std::filesystem::path(word) / run::kExperimentFile, ignored);
}

Strings option_values(const std::string& option, const Strings& arguments) {
    Strings values;
    bool is_value = false;
    for (const std::string& word : arguments) {
        const bool has_value = word.starts_with(option + "=");
        is_value = has_value || word == option || (is_value && !word.starts_with('-'));
        if (is_value && word != option) {
            std::istringstream list(has_value ? word.substr(option.size() + 1) : word);
            for (std::string value; std::getline(list, value, ',');) {
                values.push_back(value);
            }
        }
    }
    return values;
}

bool has_value(const std::string& option, const Strings& arguments) {
    const std::string value = option_value(option, arguments, "");
    return !value.empty() && !value.ends_with(".toml") && !is_run_folder(value);
}

Strings without(const std::string& option, const Strings& arguments, bool is_valued) {
    Strings kept;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i] != option && !arguments[i].starts_with(option + "=")) {
            kept.push_back(arguments[i]);
        }
        i += arguments[i] == option && is_valued ? 1 : 0;
    }
    return kept;
}

namespace {

// The words of a line: those that options name as experiments and as a run, and all others.
struct Words {
    Strings files;
    std::string run;
    Strings others;
};

Words words_of(const Command& command, const std::string& operand, const Strings& words) {
    Words all;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string option = words[i].substr(0, words[i].find('='));
        const std::string name = option.starts_with('-') ? plain_name(option) : "";
        const std::string value = option_value(option, words, "");
        const bool is_own = name.empty() || has_option(command, option);
        if (!is_own && !operand.empty() && has_word(kExperimentOptions, name)) {
            const Strings files = option_values(option, words);
            all.files = files.empty() ? Strings{operand} : files;
            while (i + 1 < words.size() && !words[i + 1].starts_with('-')) {
                ++i;
            }
        } else if (!name.empty() && operand.starts_with(kRun) && has_word(kRunOptions, name) &&
                   (!is_own || is_run_folder(value))) {
            all.run = value.empty() ? std::string(kRun) : value;
            i += words[i] == option && !value.empty() ? 1 : 0;
        } else {
            all.others.push_back(words[i]);
        }
    }
    return all;
}

}  // namespace

Strings with_operands(const Command& command, const Strings& words) {
    const std::string operand = command.operands.empty() ? "" : command.operands.front().name;
    auto [files, run, others] = words_of(command, operand, words);
    if (files.empty() && run.empty()) {
        return words;
    }
    const bool has_operand = !others.empty() && !others.front().starts_with('-');
    if (has_operand && others.front().ends_with(".toml")) {
        files.push_back(others.front());
        others.erase(others.begin());
    } else if (has_operand) {
        const Strings checkpoint = run.empty() ? Strings() : Strings{"--checkpoint", run};
        others.insert(others.end(), checkpoint.begin(), checkpoint.end());
        return others;
    }
    Strings line = {run};
    if (run.empty() && operand.find("EXPERIMENT") == operand.npos) {
        line = {std::string(kRun)};
    } else if (run.empty()) {
        line = {files.back()};
        for (auto over = files.rbegin() + 1; over != files.rend(); ++over) {
            line.insert(line.end(), {"--over", *over});
        }
    }
    line.insert(line.end(), others.begin(), others.end());
    return line;
}

}  // namespace ptp::ptprun
