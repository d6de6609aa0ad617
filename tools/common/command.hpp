// A command of a command line program, declared once: parsing, the help,
// completion in the shell and docs/command-line.md are made from the
// declaration. Over Boost.Program_options.

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

// A command line that is wrong; what() is a sentence.
using UsageError = boost::program_options::error;

// Among completions: all files or folders, which shells know better how to
// complete.
inline constexpr const char* kFiles = ":files";
inline constexpr const char* kFolders = ":folders";

// Of an option whose value is an integer.
struct Integers {
    std::int64_t min = std::numeric_limits<std::int64_t>::min();
    std::int64_t max = std::numeric_limits<std::int64_t>::max();
    std::optional<std::int64_t> usual = {};  // where the option is not given
};

struct Option {
    std::string name;        // "output"; "output,o" where it has a letter too
    std::string value = {};  // its value in the help: "FILE"; "": it takes none
    std::string help;
    std::optional<Integers> integers = {};  // of a value that is an integer
    Strings choices = {};                   // the only values; empty: any
    Strings completions = {};               // values to complete in the shell, besides the choices
    bool is_repeatable = false;
    bool takes_several = false;  // values at a time: `--data a b`
    bool is_required = false;
    bool takes_rest = false;   // all words after it; it must come first
    std::string needs = {};    // an option that it is of no use without
    Strings excludes = {};     // options that cannot be given beside it
    std::string refusal = {};  // of an option of a similar command: "is for a single run"

    [[nodiscard]] std::string long_name() const { return name.substr(0, name.find(',')); }
};

// Words that are not options.
struct Operand {
    std::string name;  // in the usage: "RUN"
    std::string what;  // where it is missing: "a run folder"
    std::size_t min = 1;
    std::size_t max = 1;
    Strings choices = {};
    Strings completions = {};
};

class Given;

struct Command {
    std::string name = {};  // "": what the program does without the name of a command
    std::string summary;    // "trains, and writes a run folder"
    std::string details = {};
    std::vector<Operand> operands = {};
    std::vector<Option> options = {};  // besides --color and --help, which all have
    std::string example;
    bool keeps_results = false;  // in files, so that what it prints may be lost
    // Prints what it has to on the standard output, and errors on the standard
    // error. Returns the exit code. Throws UsageError.
    int (*run)(const Given&) = nullptr;
};

// The parsed command line of a command.
class Given {
public:
    // Whether the option is on the command line.
    [[nodiscard]] bool has(std::string_view option) const;

    // Its value; "" if it is not given.
    [[nodiscard]] std::string text(std::string_view option) const;
    [[nodiscard]] Strings texts(std::string_view option) const;

    // Given, or usual.
    [[nodiscard]] std::optional<std::int64_t> integer(std::string_view option) const;

    [[nodiscard]] const Strings& operands() const { return operands_; }

    // All words, as they were typed.
    [[nodiscard]] const Strings& words() const { return words_; }

    // The options as they were typed, but for these.
    [[nodiscard]] Strings options_without(const Strings& names) const;

private:
    friend class CommandLine;

    Strings words_;
    Strings operands_;
    std::map<std::string, Strings, std::less<>> values_;
    std::map<std::string, std::int64_t, std::less<>> integers_;
    std::vector<std::pair<std::string, Strings>> typed_;  // each option, and its words
};

// What to add to the message about an unknown option, "--epochs": "\n    fix: ...", or
// "".
using Advice = std::function<std::string(const std::string& option)>;

// Checks all that is declared. Where --help is given nothing else is read.
// Options are written in full: an abbreviation would change its meaning when an
// option is added. Throws UsageError.
Given parse(const Command& command, const Strings& words, const Advice& advice = {});

// Those of the groups, in order.
std::vector<Option> concat(const std::vector<std::vector<Option>>& groups);

// With --color and --help.
std::vector<Option> all_options(const Command& command);

// "check RUN-OR-EXPERIMENT".
std::string usage_of(const Command& command);

// Usage, summary, an example and the options. `program` is "ptprun".
std::string help_of(const Command& command, std::string_view program);

}  // namespace ptp::tools
