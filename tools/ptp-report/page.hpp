// The HTML file of a report: one file that asks for nothing, with its script, style and data.
#pragma once

#include "base/json.hpp"

#include <string>
#include <string_view>

namespace ptp::report {

// Files of the folder page and the chart library, as embedded when the program was built.
extern const std::string_view kStyle;
extern const std::string_view kScript;

// Returns the page that shows the data. Its Content-Security-Policy names the hashes of the
// script and of the style, so that nothing else in it can be executed.
std::string page_of(const Json& data, std::string_view title);

}  // namespace ptp::report
