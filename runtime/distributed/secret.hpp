// The secret of a training's ranks, without which no process can take part in it.
//
// ptprun --nproc makes one for each training. Ranks that are started in another way have the text
// of the variable PTP_SECRET, or else the secret of their user, ~/.config/ptp/rank_secret, which is
// created if it is missing: hosts that share home folders share it.

#pragma once

#include <string>

namespace ptp::distributed {

// Returns 64 random hexadecimal digits.
std::string new_secret();

// Returns the user's; "" if there is no home folder, or it cannot be written.
std::string secret_of_user();

}  // namespace ptp::distributed
