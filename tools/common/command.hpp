// A command of a command line program, declared once: the declaration is used for parsing, the
// help, completion in the shell and docs/command-line.md. Based on Boost.Program_options.

#pragma once

#include <boost/program_options/errors.hpp>

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptp::tools {

using Strings = std::vector<std::string>;

// Thrown for an invalid command line; what() is a sentence.
using UsageError = boost::program_options::error;

// Completions for files or folders, which shells complete themselves.
inline constexpr const char* kFiles = ":files";
inline constexpr const char* kFolders = ":folders";

// The limits of an option whose value is an integer.
struct Integers {
    std::int64_t min = std::numeric_limits<std::int64_t>::min();
    std::int64_t max = std::numeric_limits<std::int64_t>::max();
    std::optional<std::int64_t> usual = {};  // if the option is not given
};

struct Option {
    std::string name;        // "output"; "output,o" with a short form
    std::string value = {};  // its value in the help: "FILE"; "": it takes no value
    std::string help;
    std::optional<Integers> integers = {};  // limits of an integer value
    Strings choices = {};                   // the only valid values; empty: any
    Strings completions = {};               // further values to complete in the shell
    bool is_repeatable = false;
    bool takes_several = false;  // several values per occurrence: `--data a b`
    bool is_required = false;
    bool takes_rest = false;   // takes all following words; it must come first
    std::string needs = {};    // an option that must be given with it
    Strings excludes = {};     // options that cannot be given with it
    std::string refusal = {};  // for an option of a similar command: "is for a single run"
    std::string instead = {};  // the fix of a refused one, "--where tags={}", with its value; of
                               // an integer, where several are given

    [[nodiscard]] std::string long_name() const { return name.substr(0, name.find(',')); }
};

// Words that are not options.
struct Operand {
    std::string name;  // in the usage: "RUN"
    std::string what;  // if it is missing: "a run folder"
    std::size_t min = 1;
    std::size_t max = 1;
    Strings choices = {};
    Strings completions = {};
};

class Given;

struct Command {
    std::string name = {};  // "": runs if no command is named
    std::string summary;    // "trains, and writes a run folder"
    std::string details = {};
    std::vector<Operand> operands = {};
    std::vector<Option> options = {};  // besides --color and --help, which all commands have
    std::string example;
    bool keeps_results = false;  // results are files, so the output may be lost
    std::string program = {};  // runs the command in place of `run`, beside this one: "ptp-search"
    // Runs the command. Prints to the standard output, and errors to the standard error. Returns
    // the exit code. Throws UsageError.
    int (*run)(const Given&) = nullptr;
};

// The parsed command line of a command.
class Given {
public:
    // Returns whether the option is on the command line.
    [[nodiscard]] bool has(std::string_view option) const;

    // Returns the option's value; "" if it is not given.
    [[nodiscard]] std::string text(std::string_view option) const;
    [[nodiscard]] Strings texts(std::string_view option) const;

    // Returns the given value, or the usual one.
    [[nodiscard]] std::optional<std::int64_t> integer(std::string_view option) const;

    [[nodiscard]] const Strings& operands() const { return operands_; }

    // Returns all words as typed.
    [[nodiscard]] const Strings& words() const { return words_; }

    // Returns the options as typed, except `names`.
    [[nodiscard]] Strings options_without(const Strings& names) const;

private:
    friend class CommandLine;

    Strings words_;
    Strings operands_;
    std::map<std::string, Strings, std::less<>> values_;
    std::map<std::string, std::int64_t, std::less<>> integers_;
    std::vector<std::pair<std::string, Strings>> typed_;  // each option, and its words
};

// Returns an addition to the message about an unknown option, "--epochs": "\n    fix: ...", or "".
using Advice = std::function<std::string(const std::string& option)>;

// Parses and checks a command line. With --help the rest is not read. Options are written in full:
// an abbreviation would change its meaning when an option is added. Throws UsageError.
Given parse(const Command& command, const Strings& words, const Advice& advice = {});

// Returns the options of all groups, in order.
std::vector<Option> concat(const std::vector<std::vector<Option>>& groups);

// Returns the options including --color and --help.
std::vector<Option> all_options(const Command& command);

// Returns "check RUN-OR-EXPERIMENT".
std::string usage_of(const Command& command);

// Returns usage, summary, an example and the options. `program` is "ptprun".
std::string help_of(const Command& command, std::string_view program);

}  // namespace ptp::tools
