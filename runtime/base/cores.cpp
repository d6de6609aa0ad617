#include "base/cores.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace ptp {

namespace {

namespace fs = std::filesystem;

std::string first_line(const fs::path& file) {
    std::ifstream stream(file);
    std::string line;
    std::getline(stream, line);
    return line;
}

// Of this group alone; version 1 has two files, whose numbers are those of version 2's one.
std::optional<double> quota_of(const fs::path& group) {
    if (const auto quota = cores_of_quota(first_line(group / "cpu.max"))) {
        return quota;
    }
    return cores_of_quota(first_line(group / "cpu.cfs_quota_us") + " " +
                          first_line(group / "cpu.cfs_period_us"));
}

// The group and those above it, up to the root.
void narrow(double& cores, const fs::path& root, fs::path group) {
    for (;;) {
        if (const auto quota = quota_of(root / group.relative_path())) {
            cores = std::min(cores, *quota);
        }
        if (!group.has_relative_path()) {
            return;
        }
        group = group.parent_path();
    }
}

// "4:cpu,cpuacct:/path" of version 1 or "0::/path" of version 2: the folders below the root where
// the groups of that hierarchy are.
std::vector<std::string> hierarchies(const std::string& controllers) {
    if (controllers.empty()) {
        return {"", "unified"};
    }
    std::istringstream names(controllers);
    for (std::string name; std::getline(names, name, ',');) {
        if (name == "cpu") {
            return {"cpu", controllers};
        }
    }
    return {};
}

}  // namespace

std::optional<double> cores_of_quota(std::string_view text) {
    std::istringstream numbers{std::string(text)};
    double quota = 0;
    double period = 0;
    if (!(numbers >> quota >> period) || quota <= 0 || period <= 0) {
        return std::nullopt;
    }
    return quota / period;
}

std::int64_t available_cores(const CoreLimits& limits) {
    auto cores = static_cast<double>(std::max<std::int64_t>(limits.affinity, 1));
    std::ifstream groups(limits.groups);
    for (std::string line; std::getline(groups, line);) {
        const std::size_t first = line.find(':');
        const std::size_t second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos) {
            continue;
        }
        for (const std::string& folder : hierarchies(line.substr(first + 1, second - first - 1))) {
            narrow(cores, limits.group_root / folder, line.substr(second + 1));
        }
    }
    constexpr double kRounding = 1e-9;
    return std::max<std::int64_t>(std::llround(std::ceil(cores - kRounding)), 1);
}

}  // namespace ptp
