// Reads a file as a whole, and refuses one that is not UTF-8 text, naming the line.

#include "text_file.hpp"

#include <line_ends.hpp>
#include <words.hpp>

#include <ptp/error.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

namespace ptp::support {

namespace {

namespace fs = std::filesystem;

std::string read_bytes_of(const fs::path& path, const std::string& remedy) {
    std::error_code error;
    if (!fs::exists(path, error)) {
        throw DataError(path, ": no such file", remedy.empty() ? "" : "; ", remedy);
    }
    if (!fs::is_regular_file(path, error)) {
        throw DataError(path, ": is not a file");
    }
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        throw DataError(path, ": cannot be opened: ", std::strerror(errno));
    }
    std::string text(static_cast<std::size_t>(fs::file_size(path)), '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (!file) {
        throw DataError(path, ": cannot be read whole");
    }
    return text;
}

std::int64_t line_at(std::string_view text, std::size_t at) {
    return 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
}

}  // namespace

std::string read_text(const fs::path& file, const std::string& remedy, Expected expected) {
    std::string text = read_bytes_of(file, remedy);
    const auto invalid = invalid_utf8_at(text);
    const auto zero = text.find('\0');
    const bool is_text = !invalid && zero == std::string::npos;
    if (const std::string kind = other_kind(file, text, is_text, expected); !kind.empty()) {
        throw DataError(file, kind);
    }
    if (!is_text && (invalid || wide_encoding(text))) {
        const std::size_t at = invalid.value_or(zero);
        throw DataError(file, ":", line_at(text, at), other_encoding(file, text, at, expected));
    }
    if (!is_text) {
        throw DataError(file, ":", line_at(text, zero), ": has a NUL character");
    }
    if (has_lone_returns(text)) {
        throw DataError(file, ": ", kLoneReturns);
    }
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (text.starts_with(kByteOrderMark)) {
        text.erase(0, kByteOrderMark.size());
    }
    return text;
}

}  // namespace ptp::support
