// The interval that a number must lie in, as messages and declarations write it: "[0, 1)".

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ptp::schema {

class Range {
public:
    // Reads "[a, b]", "(a, b)", "[a, b)", "(a, b]"; a and b are numbers, "inf" or "-inf". nullopt
    // when the text is something else, or the interval is empty.
    static std::optional<Range> parse(std::string_view text);

    // nan is in no range.
    [[nodiscard]] bool contains(double value) const;

    // "inf" is infinite.
    [[nodiscard]] double low() const { return low_; }
    [[nodiscard]] double high() const { return high_; }
    [[nodiscard]] bool includes_low() const { return includes_low_; }
    [[nodiscard]] bool includes_high() const { return includes_high_; }

    // The text that was read.
    [[nodiscard]] const std::string& text() const { return text_; }

private:
    Range() = default;

    double low_ = 0;
    double high_ = 0;
    bool includes_low_ = false;
    bool includes_high_ = false;
    std::string text_;
};

}  // namespace ptp::schema
