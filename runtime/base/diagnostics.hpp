// Collects what is wrong with an experiment, so that all problems can be reported at once.

#pragma once

#include "base/explanation.hpp"
#include "base/source_location.hpp"
#include "base/value.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace ptp {

enum class Severity { kError, kWarning };

struct Problem {
    Severity severity = Severity::kError;
    SourceLocation place;
    std::string key;    // "pipeline.net.dropout"; may be empty
    std::string value;  // as TOML text, shortened; may be empty
    std::string message;
    std::string fix = {};          // "": none is known
    bool is_missing_data = false;  // nothing is wrong with the experiment but that it lacks a file

    // "xor.toml:14:11: pipeline.net.dropout = 1.5: must be in [0, 1)"; parts that are empty are
    // left out, and a warning has "warning: " before its message. The fix has a line of its own.
    [[nodiscard]] std::string text() const;
    // The same without the fix.
    [[nodiscard]] std::string reason() const;
    // The message and the fix.
    [[nodiscard]] std::string explanation() const { return Explanation{message, fix}.text(); }
};

// One thread at a time.
class Diagnostics {
public:
    // A further error about the same key at the same place is not kept: it follows from the first.
    void error(const SourceLocation& place, std::string key, std::string message);
    void error(const SourceLocation& place, std::string key, Explanation message);
    // The value's location is used, and the value is quoted.
    void error(const Value& value, std::string key, std::string message);
    void error(const Value& value, std::string key, Explanation message);
    // A file or folder that the experiment names, and that is not there.
    void missing_data(const SourceLocation& place, std::string key, std::string message);
    void warning(const SourceLocation& place, std::string key, std::string message);
    void warning(const SourceLocation& place, std::string key, Explanation message);

    // True when there are no errors; warnings do not count.
    [[nodiscard]] bool ok() const { return error_count_ == 0; }
    [[nodiscard]] std::size_t error_count() const { return error_count_; }

    // In the order in which they were reported, without the copies and the time of sorted().
    [[nodiscard]] const std::vector<Problem>& reported() const { return problems_; }

    // Sorted by file, then by position; at one position in the order in which they were reported.
    [[nodiscard]] std::vector<Problem> sorted() const;

    // All problems as sorted, one a line, without a line break at the end; "" when there are none.
    [[nodiscard]] std::string text() const;
    // The same without the fixes.
    [[nodiscard]] std::string reasons() const;

private:
    void add(Problem problem);

    std::vector<Problem> problems_;
    std::size_t error_count_ = 0;
};

}  // namespace ptp
