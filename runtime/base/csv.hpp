// Cells of a CSV file, as RFC 4180 has them.
#pragma once

#include <string>
#include <string_view>

namespace ptp {

// `text`, in quotes where it has a comma, a quote or a line end; bytes that are not UTF-8 are
// replaced by U+FFFD.
std::string csv_cell(std::string_view text);

}  // namespace ptp
