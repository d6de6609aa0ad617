// What the commands share that install packages.

#pragma once

#include "ptp-pack/common_options.hpp"
#include "ptp-pack/install.hpp"
#include "ptp-pack/plan.hpp"

#include <vector>

namespace ptp::pack {

struct Installation {
    const StoreChange& change;
    const std::vector<InstalledPackage>& installed;
    const std::vector<OpenRepository>& repositories;
    const Acquisition& how;
    bool allows_downgrade = false;
    bool allows_other_key = false;
};

// --allow-other-key.
inline constexpr const char* kAllowOtherKey = "allow-other-key";
Option other_key_option();

// Plans, fetches and checks everything before the first package is changed, then installs each and
// prints it. Returns how many. Throws RunError.
std::size_t install_packages(const std::vector<Candidate>& wanted, const Installation& with);

}  // namespace ptp::pack
