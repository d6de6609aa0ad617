// Reads command lines and prints options with Boost.Program_options. Errors are sentences of ours.

#include "base/explanation.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"
#include "common/check_operands.hpp"

#include <fmt/core.h>
#include <boost/program_options/options_description.hpp>
#include <boost/program_options/parsers.hpp>
#include <boost/program_options/value_semantic.hpp>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace ptp::tools {

namespace {

namespace po = boost::program_options;

const po::value_semantic* semantic_of(const Option& option) {
    if (option.value.empty()) {
        return new po::untyped_value(true);
    }
    if (option.integers) {
        auto* value = po::value<std::int64_t>()->value_name(option.value);
        return option.integers->usual ? value->default_value(*option.integers->usual) : value;
    }
    auto* value = po::value<Strings>()->value_name(option.value);
    return option.takes_several ? value->multitoken() : value;
}

po::options_description boost_options(const std::vector<Option>& options,
                                      const std::string& title = "") {
    po::options_description all(title);
    for (const Option& option : options) {
        all.add_options()(option.name.c_str(), semantic_of(option), option.help.c_str());
    }
    return all;
}

constexpr const char* kOperands = "operands";
constexpr int kExactNames =
    po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;

std::string unknown_text(const std::string& name, const std::vector<Option>& options,
                         const Advice& advice) {
    if (name.size() > 1 && std::isdigit(static_cast<unsigned char>(name[1])) != 0) {
        return fmt::format("'{}' is read as an option: numbers here are not negative", name);
    }
    const std::string advised = advice ? advice(name) : "";
    if (!advised.empty()) {
        return fmt::format("unknown option '{}'{}", name, advised);
    }
    Strings known;
    for (const Option& option : options) {
        known.push_back("--" + option.long_name());
    }
    const auto begins = [&](const std::string& option) { return option.starts_with(name); };
    auto meant = nearest(name, known);
    if (std::ranges::count_if(known, begins) == 1) {
        meant = *std::ranges::find_if(known, begins);
    }
    return fmt::format("unknown option '{}'{}", name,
                       meant ? fmt::format("; did you mean '{}'?", *meant) : "");
}

// An empty name, of a variable of a shell that is not set, would be taken for the current folder.
bool names_file(const Option& option) {
    return std::ranges::any_of(option.completions, [](const std::string& completion) {
        return completion == kFiles || completion == kFolders;
    });
}

std::int64_t integer_of(const Option& option, const std::string& text) {
    const auto refuse = [&](const std::string& expected) -> std::int64_t {
        const bool has_several = text.find(',') != std::string::npos && !option.instead.empty();
        throw UsageError(Explanation{
            fmt::format("--{} {}: must be {}", option.long_name(), text, expected),
            has_several ? fmt::format(fmt::runtime(option.instead), shell_word(text)) : ""}
                             .text());
    };
    const Integers& allowed = *option.integers;
    std::int64_t number = 0;
    const char* const begin = text.data() + (text.starts_with('+') ? 1 : 0);
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(begin, end, number);
    if (read.ec != std::errc() || read.ptr != end) {
        return refuse("an integer");
    }
    if (number >= allowed.min && number <= allowed.max) {
        return number;
    }
    return refuse(allowed.max == Integers().max
                      ? fmt::format("{} or more", allowed.min)
                      : fmt::format("in [{}, {}]", allowed.min, allowed.max));
}

po::parsed_options split(const Strings& words, const std::vector<Option>& options,
                         const Advice& advice) {
    po::options_description all = boost_options(options);
    all.add_options()(kOperands, po::value<Strings>());
    po::positional_options_description positions;
    positions.add(kOperands, -1);
    try {
        return po::command_line_parser(words)
            .options(all)
            .positional(positions)
            .style(kExactNames)
            .run();
    } catch (const po::unknown_option& error) {
        const std::string name = error.get_option_name();  // "--epochs=5" as a whole
        throw UsageError(unknown_text(name.substr(0, name.find('=')), options, advice));
    } catch (const po::invalid_command_line_syntax& error) {
        const std::string name = error.get_option_name();
        const std::string key = name.substr(std::min(name.find_first_not_of('-'), name.size()));
        const auto named = [&](const Option& option) {
            return option.long_name() == key || option.name.ends_with("," + key);
        };
        const auto option = std::ranges::find_if(options, named);
        switch (error.kind()) {
            case po::invalid_syntax::missing_parameter:
            case po::invalid_syntax::empty_adjacent_parameter:
                throw UsageError(fmt::format(
                    "{} needs a value{}", name,
                    option == options.end()
                        ? ""
                        : fmt::format(": --{} {}", option->long_name(), option->value)));
            case po::invalid_syntax::extra_parameter:
                throw UsageError(fmt::format("{} takes no value", name));
            default:
                throw;
        }
    }
}

void check_given(const Option& option, const Given& given) {
    const std::string name = option.long_name();
    if (!option.refusal.empty()) {
        const std::string fix =
            fmt::format(fmt::runtime(option.instead), shell_word(given.text(name)));
        throw UsageError(Explanation{fmt::format("--{} {}", name, option.refusal), fix}.text());
    }
    for (const std::string& other : option.excludes) {
        if (given.has(other)) {
            throw UsageError(fmt::format("--{} and --{} exclude each other", name, other));
        }
    }
    if (!option.needs.empty() && !given.has(option.needs)) {
        throw UsageError(fmt::format("--{} is for --{}", name, option.needs));
    }
}

void check_options(const std::vector<Option>& options, const Given& given) {
    for (const Option& option : options) {
        if (given.has(option.long_name())) {
            check_given(option, given);
        } else if (option.is_required) {
            throw UsageError(fmt::format("--{} is needed: {}", option.long_name(), option.help));
        }
    }
}

}  // namespace

// Fills a Given.
class CommandLine {
public:
    CommandLine(const Command& command, const Strings& words, const Advice& advice)
        : command_(command), options_(all_options(command)), advice_(advice) {
        given_.words_ = words;
    }

    Given read() {
        if (!is_rest() && !is_help()) {
            for (const auto& typed : split(given_.words_, options_, advice_).options) {
                add(typed);
            }
            set_usual();
            check_operands(command_, given_, advice_);
            check_options(options_, given_);
        }
        return std::move(given_);
    }

private:
    bool is_rest() {
        const Strings& words = given_.words_;
        for (const Option& option : options_) {
            if (option.takes_rest && !words.empty() && words.front() == "--" + option.name) {
                given_.values_[option.name] = {};
                given_.operands_.assign(words.begin() + 1, words.end());
                return true;
            }
        }
        return false;
    }

    bool is_help() {
        const auto asks = [](const std::string& word) { return word == "--help" || word == "-h"; };
        if (std::ranges::any_of(given_.words_, asks)) {
            given_.values_["help"] = {};
        }
        return given_.has("help");
    }

    // Boost takes an option for the value of the option before it.
    void refuse_options(const Option& option, const Strings& values) const {
        for (const std::string& value : values) {
            const bool is_option = std::ranges::any_of(
                options_, [&](const Option& other) { return value == "--" + other.long_name(); });
            if (is_option) {
                throw UsageError(fmt::format("--{0} needs a value: --{0} {1}", option.long_name(),
                                             option.value));
            }
        }
    }

    void add(const po::option& typed) {
        if (typed.string_key == kOperands) {
            given_.operands_.insert(given_.operands_.end(), typed.value.begin(), typed.value.end());
            return;
        }
        const auto named = [&](const Option& option) {
            return option.long_name() == typed.string_key;
        };
        const Option& option = *std::ranges::find_if(options_, named);
        if (option.takes_rest) {
            throw UsageError(fmt::format("--{} must come first", typed.string_key));
        }
        refuse_options(option, typed.value);
        if (given_.has(typed.string_key) && !option.is_repeatable) {
            throw UsageError(fmt::format("--{} is given more than once", typed.string_key));
        }
        for (const std::string& value : typed.value) {
            if (value.empty() && names_file(option)) {
                throw UsageError(
                    fmt::format("--{} \"\": must be the name of a file or folder, not "
                                "empty; \".\" is the current folder",
                                typed.string_key));
            }
            if (const std::string why = refusal_of_choice(value, option.choices); !why.empty()) {
                throw UsageError(fmt::format("--{} {}: {}", typed.string_key, value, why));
            }
            if (option.integers) {
                given_.integers_[typed.string_key] = integer_of(option, value);
            }
        }
        Strings& values = given_.values_[typed.string_key];
        values.insert(values.end(), typed.value.begin(), typed.value.end());
        given_.typed_.emplace_back(typed.string_key, typed.original_tokens);
    }

    void set_usual() {
        for (const Option& option : options_) {
            if (option.integers && option.integers->usual) {
                given_.integers_.try_emplace(option.long_name(), *option.integers->usual);
            }
        }
    }

    const Command& command_;
    std::vector<Option> options_;
    const Advice& advice_;
    Given given_;
};

std::string help_of(const Command& command, std::string_view program) {
    std::vector<Option> shown = all_options(command);
    std::erase_if(shown, [](const Option& option) { return !option.refusal.empty(); });
    std::ostringstream options;
    options << boost_options(shown, "options");
    const std::string signals = command.keeps_results
                                    ? fmt::format(
                                          "\nBesides the exit codes of {} --help: 129 hung up "
                                          "(SIGHUP), 130 interrupted\n(SIGINT), 143 terminated "
                                          "(SIGTERM).\n",
                                          program)
                                    : "";
    return fmt::format("usage: {} {} [OPTION]...\n\n{} {}.\n{}\nexample:\n  {}\n\n{}{}", program,
                       usage_of(command), command.name.empty() ? program : "This command",
                       command.summary, command.details, command.example, options.str(), signals);
}

Given parse(const Command& command, const Strings& words, const Advice& advice) {
    return CommandLine(command, words, advice).read();
}

}  // namespace ptp::tools
