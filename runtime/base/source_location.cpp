// Compares places in files, writes them as FILE:LINE:COLUMN, and finds one that begins a message.

#include "base/source_location.hpp"

#include <fmt/core.h>

#include <tuple>
#include <utility>

namespace ptp {

SourceLocation::SourceLocation(std::shared_ptr<const std::string> file, int line, int column)
    : file_(std::move(file)), line_(line), column_(column) {}

SourceLocation::SourceLocation(std::string file, int line, int column)
    : SourceLocation(std::make_shared<const std::string>(std::move(file)), line, column) {}

const std::string& SourceLocation::file() const {
    static const std::string nowhere;
    return file_ ? *file_ : nowhere;
}

// For an override, the line is its number, and the column counts within its text.
std::string SourceLocation::text() const {
    const bool is_whole = line_ == 0 || file() == kCommandLine;
    return is_whole ? file() : fmt::format("{}:{}:{}", file(), line_, column_);
}

bool SourceLocation::begins(std::string_view message) {
    const std::size_t end = message.find(": ");
    if (end == std::string_view::npos) {
        return false;
    }
    std::string_view place = message.substr(0, end);
    if (place == kCommandLine) {
        return true;
    }
    for (int i = 0; i < 2; ++i) {  // the column, then the line
        const std::size_t digits = place.find_last_not_of("0123456789");
        if (digits == std::string_view::npos || digits + 1 == place.size() ||
            place[digits] != ':') {
            return false;
        }
        place = place.substr(0, digits);
    }
    return !place.empty();
}

std::strong_ordering operator<=>(const SourceLocation& left, const SourceLocation& right) {
    return std::tie(left.file(), left.line_, left.column_) <=>
           std::tie(right.file(), right.line_, right.column_);
}

bool operator==(const SourceLocation& left, const SourceLocation& right) {
    return (left <=> right) == 0;
}

}  // namespace ptp
