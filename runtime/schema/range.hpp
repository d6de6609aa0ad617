// The valid numbers: an interval, in the form of messages and declarations, "[0, 1)", or also one
// number below it, "-1 or [1, inf)".

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ptp::schema {

class Range {
public:
    // Reads "[a, b]", "(a, b)", "[a, b)", "(a, b]"; a and b are numbers, "inf" or "-inf"; and
    // such an interval after "c or ", with a number c below it. Returns nullopt if the text is
    // something else, or the interval is empty.
    static std::optional<Range> parse(std::string_view text);

    // Returns false for nan.
    [[nodiscard]] bool contains(double value) const;

    // Returns the number below the interval that is valid, too.
    [[nodiscard]] std::optional<double> special() const { return special_; }

    // Returns the lower bound of the interval; infinite for "inf".
    [[nodiscard]] double low() const { return low_; }
    [[nodiscard]] double high() const { return high_; }
    [[nodiscard]] bool includes_low() const { return includes_low_; }
    [[nodiscard]] bool includes_high() const { return includes_high_; }

    // Returns the text that was parsed.
    [[nodiscard]] const std::string& text() const { return text_; }

    // Returns "in [0, 1)" or "-1 or in [1, inf)".
    [[nodiscard]] std::string words() const;

    // Returns the valid lengths of a list: "at least 1 item", "at most 3 items", "2 items", "1 to 4
    // items".
    [[nodiscard]] std::string items() const;

private:
    Range() = default;

    std::optional<double> special_;
    double low_ = 0;
    double high_ = 0;
    bool includes_low_ = false;
    bool includes_high_ = false;
    std::string text_;
};

}  // namespace ptp::schema
