// Numbers as people and spreadsheets write them: $1,200.50 or 12,5 or 20 %.
#pragma once

#include <string>
#include <string_view>

namespace ptp::support {

// A cell that is a number in another form than tables have. Where `text` is "", it is none.
struct OtherNumber {
    std::string text = {};      // as it must be written, "1200.5"
    std::string how = {};       // what is other, "with a point" or "without '$' and ','"
    std::string as_comma = {};  // what it is if its only comma is a decimal one, "1.200", or ""
    bool has_comma = false;     // in place of the point, and is right otherwise

    // Returns "write 1200, without ',' (or 1.200, if the comma is a decimal one)".
    [[nodiscard]] std::string advice() const;
};

OtherNumber other_number(std::string_view cell);

}  // namespace ptp::support
