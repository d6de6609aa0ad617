#include "base/toml_guard.hpp"

#include "base/digit.hpp"
#include "base/text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace ptp {

namespace {

constexpr int kMaxKeyDots = 31;

// Scans TOML text as its library does, but only for strings, comments and lines.
class Scanner {
public:
    explicit Scanner(std::string_view text) : rest_(text) {}

    std::optional<Flaw> find_flaw() {
        for (skip_plain(); !rest_.empty(); skip_plain()) {
            if (utf8_length(rest_) == 0) {
                const int byte = static_cast<unsigned char>(rest_.front());
                return flaw(fmt::format("not UTF-8 text (byte 0x{:02x})", byte));
            }
            if (quote_.empty() && !is_comment_ && !is_ascii() && !is_byte_order_mark()) {
                return flaw(foreign_text(rest_.substr(0, utf8_length(rest_))));
            }
            if (!quote_.empty()) {
                step_in_string();
            } else if (is_comment_) {
                step();
            } else {
                step_outside();
            }
            if (key_dots_ > kMaxKeyDots) {
                return flaw("a key of more than 32 parts");
            }
        }
        return std::nullopt;
    }

private:
    // Skips characters that begin or end no string or comment: most of a file.
    void skip_plain() {
        const auto is_plain = [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == ' ' ||
                   c == '_';
        };
        const auto count = std::ranges::find_if_not(rest_, is_plain) - rest_.begin();
        rest_.remove_prefix(static_cast<std::size_t>(count));
        column_ += static_cast<int>(count);
    }

    // Checks for ASCII: TOML allows other characters only in strings and comments.
    bool is_ascii() const { return static_cast<unsigned char>(rest_.front()) < 0x80; }
    bool is_byte_order_mark() const {
        return line_ == 1 && column_ == 1 && rest_.starts_with("\xef\xbb\xbf");
    }

    static std::string foreign_text(std::string_view letter) {
        constexpr std::array<std::string_view, 5> kTypographic = {"\u201c", "\u201d", "\u201e",
                                                                  "\u2018", "\u2019"};
        return std::ranges::find(kTypographic, letter) != kTypographic.end()
                   ? fmt::format(
                         "'{}' is a typographic quote: texts are between straight ones, "
                         "\"like this\"",
                         letter)
                   : fmt::format("'{}' outside of quotes: a key or a text with it needs them",
                                 letter);
    }

    Flaw flaw(std::string message) const { return {line_, column_, std::move(message)}; }

    void step(std::size_t bytes = 1) {
        while (bytes > 0 && !rest_.empty()) {
            const std::size_t size = std::max<std::size_t>(1, utf8_length(rest_));
            const bool is_line_end = rest_.front() == '\n';
            rest_.remove_prefix(size);
            bytes -= std::min(bytes, size);
            column_ = is_line_end ? 1 : column_ + 1;
            line_ += is_line_end ? 1 : 0;
            if (is_line_end) {
                is_comment_ = false;
            }
        }
    }

    void step_in_string() {
        if (rest_.starts_with(quote_) || (quote_.size() == 1 && rest_.front() == '\n')) {
            step(rest_.front() == '\n' ? 1 : quote_.size());
            // A string may itself end in quotes: """"two quotes"""""
            for (int i = 0; quote_.size() == 3 && i < 2 && rest_.starts_with(quote_.front()); ++i) {
                step();
            }
            quote_ = {};
        } else {
            const bool is_escape = rest_.front() == '\\' && quote_.front() == '"';
            step(is_escape && rest_.size() > 1 && utf8_length(rest_.substr(1)) == 1 ? 2 : 1);
        }
    }

    void step_outside() {
        const char c = rest_.front();
        for (const std::string_view quote : {"\"\"\"", "'''", "\"", "'"}) {
            if (!rest_.starts_with(quote)) {
                continue;
            }
            quote_ = quote;
            step(quote.size());
            return;
        }
        const bool is_key = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
                            c == '-' || c == '.' || c == ' ' || c == '\t';
        key_dots_ = is_key ? key_dots_ + (c == '.' ? 1 : 0) : 0;
        is_comment_ = c == '#';
        step();
    }

    std::string_view rest_;
    std::string_view quote_;  // ends the string that we are in; empty outside
    bool is_comment_ = false;
    int key_dots_ = 0;
    int line_ = 1;
    int column_ = 1;
};

struct Translation {
    std::string_view part;  // what the library's description contains
    std::string_view plain;
};

constexpr std::array kTranslations = {
    Translation{"could not determine value type", "not a TOML value; a string needs quotes"},
    Translation{"expected 'true'",
                "not a TOML value; a string needs quotes, booleans are true and false"},
    Translation{"expected 'false'",
                "not a TOML value; a string needs quotes, booleans are true and false"},
    Translation{"control characters other than TAB",
                "the string has no closing quote on its line, or holds a "
                "control character"},
    Translation{"dangling comma", "a comma before the closing '}'; remove it"},
    Translation{"could not be interpreted as a value", "the number is too large for a real"},
    Translation{"is not representable in 64 bits", "the number is too large for an integer"},
    Translation{"tables with blank bare keys", "a table needs a name between its brackets"},
    Translation{"expected bare key starting character", "a key is expected here"},
    Translation{"exceeded maximum nested value depth", "nested more than 32 levels deep"},
    Translation{"expected a comment or whitespace", "only a comment may follow on this line"},
};

std::string with_article(std::string_view noun) {
    const bool starts_with_vowel = std::string_view("aeiou").find(noun.front()) != noun.npos;
    return fmt::format("{} {}", starts_with_vowel ? "an" : "a", noun);
}

}  // namespace

std::optional<Flaw> find_flaw(std::string_view text) {
    return Scanner(text).find_flaw();
}

std::string plain_syntax_error(std::string_view description) {
    for (const Translation& translation : kTranslations) {
        if (description.find(translation.part) != std::string_view::npos) {
            return fmt::format("not valid TOML: {}", translation.plain);
        }
    }
    constexpr std::string_view kPrefix = "Error while parsing ";
    if (description.starts_with(kPrefix)) {
        description.remove_prefix(kPrefix.size());
    }
    const std::size_t colon = description.find(": ");
    if (colon == std::string_view::npos) {
        return fmt::format("not valid TOML: {}", description);
    }
    const std::string_view where = description.substr(0, colon);
    const std::string_view what = description.substr(colon + 2);
    if (where == "root table") {
        return fmt::format("not valid TOML: {}", what);
    }
    if (what == "encountered end-of-file") {
        return fmt::format("not valid TOML: the text ends within {}", with_article(where));
    }
    constexpr std::string_view kRedefined = "cannot redefine existing ";
    if (what.starts_with(kRedefined)) {
        const std::string_view first = what.substr(kRedefined.size());  // "integer 'a' as table"
        const std::size_t quote = first.find('\'');
        const std::string_view name = first.substr(quote, first.find('\'', quote + 1) - quote + 1);
        return fmt::format("not valid TOML: {} was already given above", name);
    }
    return fmt::format("not valid TOML: in {}: {}", with_article(where), what);
}

}  // namespace ptp
