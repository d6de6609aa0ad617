// What texts in the files of a run may look like: anybody may have written them.

#pragma once

#include <string_view>

namespace ptp {

// 64 hexadecimal digits, lower case.
bool is_sha256(std::string_view text);

// A name without a folder, so that it cannot lead out of one.
bool is_file_name(std::string_view text);

}  // namespace ptp
