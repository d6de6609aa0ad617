#include "ptp-pack/install_packages.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <string>

namespace ptp::pack {

namespace {

std::string previous_version(const std::vector<InstalledPackage>& installed,
                             const std::string& name) {
    const auto found = std::ranges::find(installed, name, &InstalledPackage::name);
    return found == installed.end() ? "" : found->manifest.about.version;
}

void print_installed(const Candidate& candidate, const Installation& with) {
    const std::string before = previous_version(with.installed, candidate.about.name);
    fmt::print(
        "{} {} {}{}, {}\n", before.empty() ? "installed" : "replaced by", candidate.about.name,
        candidate.about.version,
        before.empty() || before == candidate.about.version ? "" : fmt::format(" (was {})", before),
        signed_text(candidate.signed_by));
}

}  // namespace

std::size_t install_packages(const std::vector<Candidate>& wanted, const Installation& with) {
    std::vector<Candidate> plan =
        plan_installation(wanted, {with.installed, with.repositories, with.allows_downgrade});
    for (Candidate& candidate : plan) {
        with.change.check_place(candidate.about.name);
        if (candidate.file.empty()) {
            acquire(candidate, with.how);
        }
    }
    if (plan.size() > 1) {  // so that the first is not installed where the last is damaged
        for (const Candidate& candidate : plan) {
            PackageFile(candidate.file, candidate.source).unpack([](const PackedFile&) {
                return std::nullopt;
            });
        }
    }
    for (const Candidate& candidate : plan) {
        install(candidate, with.change);
        print_installed(candidate, with);
    }
    return plan.size();
}

}  // namespace ptp::pack
