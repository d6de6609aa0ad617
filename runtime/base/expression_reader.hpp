// Reads the text of an expression from left to right; blanks between its parts do not count.

#pragma once

#include "base/expression_error.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ptp {

// More than any declaration needs, and few enough that hostile ones cost nothing.
inline constexpr std::size_t kMaxExpressionLength = 2'000;
inline constexpr int kMaxExpressionDepth = 32;

// Every function that expects something throws ExpressionError where it is not there.
class ExpressionReader {
public:
    // Throws if the text is longer than kMaxExpressionLength.
    explicit ExpressionReader(std::string_view text);

    bool is_at_end();

    // The next character, '\0' at the end.
    char peek();
    bool is_at_name();
    bool is_at_number();

    bool take(std::string_view what);
    // A word of letters, not the first letters of a longer one.
    bool take_word(std::string_view word);
    void expect(std::string_view what);

    std::string name(std::string_view what);
    std::int64_t number(std::string_view what);
    // "0.95", "1e-3"; an integer too.
    double real(std::string_view what);
    // The text of a value to compare with: up to a blank, '|' or '&'.
    std::string word();
    // The text between two single quotes.
    std::string quoted(std::string_view what);

    [[noreturn]] void fail(std::string_view expected);

    // What was read since `begin`, a former position(), without the blanks around it.
    [[nodiscard]] std::size_t position() const { return position_; }
    [[nodiscard]] std::string text_since(std::size_t begin) const;

    // Counts how deep a recursive reader is; throws beyond kMaxExpressionDepth.
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
    void skip_blanks();
    template <typename Predicate>
    std::string_view taken_while(Predicate is_part);

    std::string_view text_;
    std::size_t position_ = 0;
    int depth_ = 0;
};

}  // namespace ptp
