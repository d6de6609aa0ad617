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
    bool is_missing_data = false;  // the experiment is valid, but a file that it names is missing

    // Returns "xor.toml:14:11: pipeline.net.dropout = 1.5: must be in [0, 1)"; empty parts are
    // omitted, and a warning has "warning: " before its message. The fix has its own line.
    [[nodiscard]] std::string text() const;
    // Returns text() without the fix.
    [[nodiscard]] std::string reason() const;
    // Returns the message and the fix.
    [[nodiscard]] std::string explanation() const { return Explanation{message, fix}.text(); }
};

// Collects problems; for one thread at a time.
class Diagnostics {
public:
    // Reports an error. A second error about the same key at the same place is dropped, because it
    // follows from the first.
    void error(const SourceLocation& place, std::string key, std::string message);
    void error(const SourceLocation& place, std::string key, Explanation message);
    // Reports an error at the value's location, and quotes the value.
    void error(const Value& value, std::string key, std::string message);
    void error(const Value& value, std::string key, Explanation message);
    // Reports that a file or folder that the experiment names does not exist.
    void missing_data(const SourceLocation& place, std::string key, std::string message,
                      std::string fix = {});
    void warning(const SourceLocation& place, std::string key, std::string message);
    void warning(const SourceLocation& place, std::string key, Explanation message);

    // Returns true if there are no errors; warnings do not count.
    [[nodiscard]] bool ok() const { return error_count_ == 0; }
    [[nodiscard]] std::size_t error_count() const { return error_count_; }

    // Returns the problems in the order in which they were reported, without the copies and cost of
    // sorted().
    [[nodiscard]] const std::vector<Problem>& reported() const { return problems_; }

    // Returns the problems by file, then by position; at one position in the order in which they
    // were reported. Of errors in the same words about one value, which several keys share by a
    // variable, there is the first.
    [[nodiscard]] std::vector<Problem> sorted() const;

    // Returns all problems as sorted(), one per line, without a final line break; "" if there are
    // none.
    [[nodiscard]] std::string text() const;
    // Returns text() without the fixes.
    [[nodiscard]] std::string reasons() const;

private:
    void add(Problem problem);

    std::vector<Problem> problems_;
    std::size_t error_count_ = 0;
};

}  // namespace ptp
