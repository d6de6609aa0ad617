// Reads quotas of control groups, versions 1 and 2; what the system itself counts is in
// cores_posix.cpp and cores_windows.cpp.

#include "base/cores.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>
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

// Returns the quota of this group alone; version 1 splits the numbers of version 2's file in two.
std::optional<double> quota_of(const fs::path& group) {
    if (const auto quota = cores_of_quota(first_line(group / "cpu.max"))) {
        return quota;
    }
    return cores_of_quota(first_line(group / "cpu.cfs_quota_us") + " " +
                          first_line(group / "cpu.cfs_period_us"));
}

// Returns the folder that counts the CPU time. Version 1 may count it in a separate hierarchy,
// where containers have the same groups.
fs::path with_usage(const fs::path& root, const fs::path& folder) {
    constexpr const char* kUsage = "cpuacct.usage";
    const fs::path counting = root.parent_path() / "cpuacct" / folder.lexically_relative(root);
    std::error_code ignored;
    const bool is_elsewhere =
        !fs::exists(folder / kUsage, ignored) && fs::exists(counting / kUsage, ignored);
    return is_elsewhere ? counting : folder;
}

// Applies the quotas of the group and of those above it, up to the root.
void narrow(std::optional<CoreQuota>& smallest, const fs::path& root, fs::path group) {
    for (;;) {
        const fs::path folder = root / group.relative_path();
        const auto quota = quota_of(folder);
        if (quota && (!smallest || *quota < smallest->cores)) {
            smallest = CoreQuota{*quota, with_usage(root, folder)};
        }
        if (!group.has_relative_path()) {
            return;
        }
        group = group.parent_path();
    }
}

// Returns the folders below the root that contain the groups of a hierarchy, by the line
// "4:cpu,cpuacct:/path" of version 1 or "0::/path" of version 2.
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

std::optional<CoreQuota> smallest_quota(const CoreLimits& limits) {
    std::optional<CoreQuota> smallest;
    std::ifstream groups(limits.groups);
    for (std::string line; std::getline(groups, line);) {
        const std::size_t first = line.find(':');
        const std::size_t second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos) {
            continue;
        }
        for (const std::string& folder : hierarchies(line.substr(first + 1, second - first - 1))) {
            narrow(smallest, limits.group_root / folder, line.substr(second + 1));
        }
    }
    return smallest;
}

std::optional<double> cpu_seconds_of_group(const fs::path& group) {
    constexpr double kMicroseconds = 1e-6;
    constexpr double kNanoseconds = 1e-9;
    std::ifstream stat(group / "cpu.stat");
    double value = 0;
    for (std::string name; stat >> name >> value;) {
        if (name == "usage_usec") {
            return value * kMicroseconds;
        }
    }
    std::ifstream usage(group / "cpuacct.usage");
    return usage >> value ? std::optional(value * kNanoseconds) : std::nullopt;
}

std::int64_t cores_of_each(const CoreLimits& limits, std::int64_t online, std::int64_t processes) {
    CoreLimits unbound = limits;
    unbound.affinity = std::max(online, limits.affinity);
    return std::max<std::int64_t>(std::min(limits.affinity, available_cores(unbound) / processes),
                                  1);
}

std::int64_t available_cores(const CoreLimits& limits) {
    auto cores = static_cast<double>(std::max<std::int64_t>(limits.affinity, 1));
    if (const auto quota = smallest_quota(limits)) {
        cores = std::min(cores, quota->cores);
    }
    constexpr double kRounding = 1e-9;
    return std::max<std::int64_t>(std::llround(std::ceil(cores - kRounding)), 1);
}

}  // namespace ptp
