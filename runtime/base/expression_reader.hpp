// Reads the text of an expression from left to right, ignoring blanks between its parts.

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace ptp {

// An error whose what() is a sentence about the text of an expression.
class ExpressionError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The limits are above what any declaration needs, and low enough that hostile texts are cheap.
inline constexpr std::size_t kMaxExpressionLength = 2'000;
inline constexpr int kMaxExpressionDepth = 32;

// Reads the parts of an expression. Every function that expects a part throws ExpressionError if it
// is not there.
class ExpressionReader {
public:
    // Throws if the text is longer than kMaxExpressionLength.
    explicit ExpressionReader(std::string_view text);

    bool is_at_end();

    // Returns the next character, '\0' at the end.
    char peek();
    bool is_at_name();
    bool is_at_number();

    bool take(std::string_view what);
    // Takes a whole word of letters, not the first letters of a longer one.
    bool take_word(std::string_view word);
    void expect(std::string_view what);

    std::string name(std::string_view what);
    std::int64_t number(std::string_view what);
    // Reads a real such as "0.95" or "1e-3", or an integer.
    double real(std::string_view what);
    // Reads the text of a value to compare with, up to a blank, '|' or '&'.
    std::string word();
    // Reads the text between two single quotes.
    std::string quoted(std::string_view what);

    // Reads operands and the operators of one rank between them, from left to right:
    // left = combine(sign, left, right). A sign of letters is a whole word.
    template <std::size_t kSigns, class Operand, class Combine>
    auto left_to_right(const std::array<std::string_view, kSigns>& signs, Operand operand,
                       Combine combine) {
        auto left = operand();
        for (;;) {
            const auto sign = std::ranges::find_if(signs, [&](std::string_view one) {
                return begins_name(one.front()) ? take_word(one) : take(one);
            });
            if (sign == signs.end()) {
                return left;
            }
            auto right = operand();
            left = combine(*sign, std::move(left), std::move(right));
        }
    }

    [[noreturn]] void fail(std::string_view expected);

    // Returns the text read since `begin`, an earlier position(), without the blanks around it.
    [[nodiscard]] std::size_t position() const { return position_; }
    [[nodiscard]] std::string text_since(std::size_t begin) const;

    // Counts the depth of a recursive reader; throws beyond kMaxExpressionDepth.
    class Depth {
    public:
        explicit Depth(ExpressionReader& reader);
        ~Depth() { --reader_.depth_; }
        Depth(const Depth&) = delete;
        Depth& operator=(const Depth&) = delete;

    private:
        ExpressionReader& reader_;
    };

private:
    static bool begins_name(char c);
    void skip_blanks();
    template <typename Predicate>
    std::string_view taken_while(Predicate is_part);

    std::string_view text_;
    std::size_t position_ = 0;
    int depth_ = 0;
};

}  // namespace ptp
