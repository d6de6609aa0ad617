// Completes command lines in a shell: its script calls `PROGRAM completion --words WORD...`, which
// prints the completions of the last word, one per line.
#pragma once

#include "common/command.hpp"

#include <string>
#include <string_view>

namespace ptp::tools {

// The completions of the last word after a command.
struct Completions {
    Strings values;     // choices, kFiles and kFolders for the shell, placeholders of the program
    std::string first;  // the first word before it that is neither an option nor its value, or ""
};

// `words` are those after the command; the last one is being completed, and may be "".
Completions completions_of(const Command& command, const Strings& words);

// Declares `completion`, which prints the script for a shell. With --words its operands are the
// words of a command line.
Command completion_command(std::string_view program, int (*run)(const Given&));

// Runs it: prints the script, or those of the candidates for the words that begin with the last
// one, or are for the shell.
int complete(std::string_view program, Strings (*candidates)(const Strings& words),
             const Given& given);

}  // namespace ptp::tools
