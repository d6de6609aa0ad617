// Reads text files in UTF-8.
#pragma once

#include "file_kind.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace ptp::support {

// Returns the whole file, without a byte order mark. Throws DataError, which names the kind of
// another file, or has the line of the first byte that is not UTF-8 or is NUL; `remedy`, how to get
// the file, ends the message if the file does not exist.
std::string read_text(const std::filesystem::path& file, const std::string& remedy = "",
                      Expected expected = Expected::kText);

// Calls use(std::string_view line, std::int64_t number) with each line, numbered from 1, without
// its LF or CR LF, which the last line need not have.
template <class Use>
void for_each_line(std::string_view text, Use use) {
    std::int64_t number = 0;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        if (line.ends_with('\r')) {
            line.remove_suffix(1);
        }
        use(line, ++number);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
}

}  // namespace ptp::support
