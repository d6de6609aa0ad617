// SPDX license expressions, such as "MIT" and "Apache-2.0 OR MIT".

#pragma once

#include <optional>
#include <string>

namespace ptp::bundle {

struct WrongLicense {
    std::string reason;  // "must be an identifier of ..."
    std::string meant;   // the expression that is probably meant; "": none
};

// Returns what is wrong with a text as an SPDX license expression; nullopt: nothing.
std::optional<WrongLicense> wrong_license(const std::string& text);

}  // namespace ptp::bundle
