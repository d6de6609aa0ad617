// The common parts of commands that install packages.

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

// The option --allow-other-key.
inline constexpr const char* kAllowOtherKey = "allow-other-key";
Option other_key_option();

// Plans, fetches and checks everything before changing the first package, then installs each
// package and prints it. Returns their number. Throws RunError.
std::size_t install_packages(const std::vector<Candidate>& wanted, const Installation& with);

}  // namespace ptp::pack
