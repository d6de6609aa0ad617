// The lines of a file, or those of the standard input as they come.
#pragma once

#include "commands.hpp"

#include <string>

namespace ptp::ptprun {

// The standard input, which nothing else reads. [main]
class InputLines {
public:
    // Returns the lines that are there, without blanks around them: about a thousand at most, so
    // that a fast writer gets answers, too. Waits for the first of them, and returns none at the
    // end; if it `may_return`, also now and then, and after a signal. Throws RunError.
    Strings next(bool may_return);

    [[nodiscard]] bool is_at_end() const { return is_ended_; }

private:
    void read(Strings& lines);

    std::string gathered_;  // the begin of a line
    bool is_ended_ = false;
};

// Returns the lines of a file, or for "-" of the whole standard input, without blanks around them.
// Throws RunError, also where there are none.
Strings lines_of(const std::string& file);

[[noreturn]] void refuse_without_lines(const std::string& file);

}  // namespace ptp::ptprun
