// Advice about sequences that are longer than a model with a vector for each position takes.
#pragma once

#include <ptp/error.hpp>

#include <cstdint>
#include <string>

// Returns the line with the fix; `more` steps are written behind the `steps` of the input. Nothing
// for an input without steps.
inline std::string fix_of_length(int64_t steps, int64_t max_length, int64_t more = 0) {
    const int64_t most = max_length - more;
    if (steps < 1) {
        return "";
    }
    const std::string larger =
        ptp::detail::join("\nfix: set max_length = ", steps + more, " for the training");
    return most < 1 ? larger
                    : ptp::detail::join(larger, ", or cut longer texts by fixed_padding = ", most,
                                        " in what makes the indices (SentenceIndexer)");
}
