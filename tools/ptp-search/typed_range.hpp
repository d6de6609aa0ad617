// The ranges that --space names.

#pragma once

#include <optional>
#include <string>

namespace ptp::search {

struct TypedRange {
    std::string key;
    std::string value;  // "{ uniform = [0, 1] }"
};

// Reads "training.optimizer.lr=log_uniform:1e-4,0.1" as a value of the experiment; nullopt if it
// has another form.
std::optional<TypedRange> range_in(const std::string& text);

// Throws UsageError for a text that is no range, with the range that is meant, if one is.
[[noreturn]] void refuse_range(const std::string& text);

}  // namespace ptp::search
