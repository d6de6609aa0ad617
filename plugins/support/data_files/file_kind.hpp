// Names what a file is that is not text in UTF-8, by its first bytes.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace ptp::support {

// The kind of text that is read where such a file was named.
enum class Expected { kText, kTable };

// Returns what the bytes of the file begin as, and how to convert it, ": is a PNG image; a text in
// UTF-8 is read here"; "" if they begin as no known kind. What letters alone mark is such a file
// only if it is not text, or if its name has their ending.
std::string other_kind(const std::filesystem::path& file, std::string_view bytes, bool is_text,
                       Expected expected);

// Returns why bytes that are not UTF-8 at this place are none, and how to convert them where they
// may be text, ": is not valid UTF-8; ...", for behind the line.
std::string other_encoding(const std::filesystem::path& file, std::string_view bytes,
                           std::size_t at, Expected expected);

// Returns in which encoding of two bytes for a letter the text is; nullopt if in none.
std::optional<std::string_view> wide_encoding(std::string_view bytes);

}  // namespace ptp::support
