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

std::string read_text(const fs::path& file, const std::string& remedy) {
    std::string text = read_bytes_of(file, remedy);
    if (const auto at = invalid_utf8_at(text)) {
        throw DataError(file, ":", line_at(text, *at),
                        ": is not valid UTF-8; convert it, as from Windows: iconv -f ",
                        text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")
                            ? "UTF-16"
                            : "WINDOWS-1252",
                        " -t UTF-8 FILE > NEW");
    }
    if (const auto at = text.find('\0'); at != std::string::npos) {
        throw DataError(file, ":", line_at(text, at), ": has a NUL character");
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
