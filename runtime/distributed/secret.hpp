// The secret of a training's ranks, without which no process can take part in it.
//
// ptprun --nproc makes one for each training. Ranks that are started in another way have the text
// of the variable PTP_SECRET, or else the secret of their user, ~/.config/ptp/rank_secret, which is
// created if it is missing: hosts that share home folders share it.

#pragma once

#include <cstddef>
#include <string>

namespace ptp::distributed {

std::string random_bytes(std::size_t count);

// 64 random hexadecimal digits.
std::string new_secret();

// Returns the user's secret; "" where there is no home folder, or nothing can be made in it. Throws
// WithFix<RunError> with kConfigurationError for a file that has no secret, or cannot be read.
std::string secret_of_user();

}  // namespace ptp::distributed
