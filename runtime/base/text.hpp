// Text: what it may look like where it comes from unchecked files and memory, and its ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace ptp {

bool is_utf8(std::string_view text);

// The bytes of the first character of `text`; 0 if they are not UTF-8. REQUIRES: !text.empty().
std::size_t utf8_length(std::string_view text);

// The code point of a character. REQUIRES: utf8_length(character) == character.size().
std::uint32_t utf8_code(std::string_view character);

// Without spaces, tabs and line ends at its beginning and end. A part of `text`.
std::string_view trimmed(std::string_view text);

// "batch_size": a lower-case letter, then lower-case letters, digits and '_'.
bool is_snake_case(std::string_view text);

// "LeNet5": a letter, then letters, digits and '_'.
bool is_type_name(std::string_view text);

// Whether a terminal takes a character for a command, or shows others elsewhere because of it:
// control characters, those of the upper half (C1) and separators of lines too, and those that
// override the direction of text.
bool is_control(std::uint32_t code);

// A text from outside, such as a name from a file, as a terminal and a log may get it: lines may
// end and tabs may be in it; other control characters are "\u001b" and the like, bytes that are not
// UTF-8 "\x9b". All that is shown or logged passes here.
std::string harmless(std::string_view text);

// Without control characters, so that it cannot break a listing or move a terminal's cursor.
bool is_one_line(std::string_view text);

// The same, but lines may end and tabs may be in it.
bool is_plain(std::string_view text);

// 64 hexadecimal digits, lower case.
bool is_sha256(std::string_view text);

// A name without a folder, so that it cannot lead out of one.
bool is_file_name(std::string_view text);

// The `parts`, texts or integers, with `between` between them. fmt::join() would do, and compile
// all of fmt into each unit that uses it.
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
