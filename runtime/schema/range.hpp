// The valid interval of a number, in the form of messages and declarations: "[0, 1)".

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ptp::schema {

class Range {
public:
    // Reads "[a, b]", "(a, b)", "[a, b)", "(a, b]"; a and b are numbers, "inf" or "-inf". Returns
    // nullopt if the text is something else, or the interval is empty.
    static std::optional<Range> parse(std::string_view text);

    // Returns false for nan.
    [[nodiscard]] bool contains(double value) const;

    // Returns the lower bound; infinite for "inf".
    [[nodiscard]] double low() const { return low_; }
    [[nodiscard]] double high() const { return high_; }
    [[nodiscard]] bool includes_low() const { return includes_low_; }
    [[nodiscard]] bool includes_high() const { return includes_high_; }

    // Returns the text that was parsed.
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
