// The time of day for files.

#pragma once

#include <string>

namespace ptp {

// Now, in UTC, as RFC 3339 has it: "2026-11-21T08:59:12Z".
std::string now_text();

}  // namespace ptp
