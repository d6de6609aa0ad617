// Writes cells of a CSV file, as defined by RFC 4180.
#pragma once

#include <string>
#include <string_view>

namespace ptp {

// Returns `text`, in quotes if it contains a comma, a quote or a line end; bytes that are not UTF-8
// are replaced by U+FFFD.
std::string csv_cell(std::string_view text);

}  // namespace ptp
