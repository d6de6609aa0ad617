// Checks and transforms text, also from unchecked files and memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace ptp {

bool is_utf8(std::string_view text);

// Returns whether `c` is one of 0 to 9, regardless of the locale.
constexpr bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// Returns the number of bytes of the first character of `text`; 0 if it is not valid UTF-8.
// REQUIRES: !text.empty().
std::size_t utf8_length(std::string_view text);

// Returns the code point of a character. REQUIRES: utf8_length(character) == character.size().
std::uint32_t utf8_code(std::string_view character);

// Returns the text with U+FFFD for each byte that is not UTF-8.
std::string utf8_text(std::string_view text);

// Returns the part of `text` without spaces, tabs and line ends at its beginning and end.
std::string_view trimmed(std::string_view text);

// Returns the text with the letters A to Z as small ones, regardless of the locale.
std::string in_lower_case(std::string_view text);

// Returns whether `text` is a lower-case letter, then lower-case letters, digits and '_', as
// "batch_size".
bool is_snake_case(std::string_view text);

// Returns whether `text` is a letter, then letters, digits and '_', as "LeNet5".
bool is_type_name(std::string_view text);

// Returns whether a character can act as a command to a terminal or move other characters: control
// characters, including those of the upper half (C1), separators of lines, and overrides of the
// direction of text.
bool is_control(std::uint32_t code);

// Returns a text from outside, such as a name from a file, in a form that is safe for a terminal
// and a log: line ends and tabs stay; other control characters become "\u001b" and the like, bytes
// that are not UTF-8 "\x9b". Everything that is shown or logged passes through here.
std::string harmless(std::string_view text);

// Returns whether `text` has no control characters, so that it cannot break a listing or move a
// terminal's cursor.
bool is_one_line(std::string_view text);

// Returns whether `text` has no control characters other than line ends and tabs.
bool is_plain(std::string_view text);

// Returns whether `text` is 64 hexadecimal digits in lower case.
bool is_sha256(std::string_view text);

// Returns whether `text` is a name without a folder, so that it cannot leave its folder.
bool is_file_name(std::string_view text);

// Returns whether a list of words, which spaces separate, has this word.
bool has_word(std::string_view list, std::string_view word);

// Returns `text` as a cell of a CSV file (RFC 4180): in quotes if it contains a comma, a quote or a
// line end; bytes that are not UTF-8 are replaced by U+FFFD.
std::string csv_cell(std::string_view text);

// Quotes a text as one word of a shell, where it needs quotes.
std::string shell_word(const std::string& text);

// Joins the `parts`, texts or integers, with `between` between them. fmt::join() would compile all
// of fmt into each unit that uses it.
template <typename Parts>
std::string join(const Parts& parts, std::string_view between) {
    std::string text;
    bool is_first = true;
    for (const auto& part : parts) {
        text += is_first ? std::string_view() : between;
        is_first = false;
        if constexpr (std::is_convertible_v<decltype(part), std::string_view>) {
            text += std::string_view(part);
        } else {
            static_assert(std::is_integral_v<std::remove_cvref_t<decltype(part)>>);
            text += std::to_string(part);
        }
    }
    return text;
}

}  // namespace ptp
