#include "run/run.hpp"

#include "experiment/load/merge.hpp"

#include <fmt/core.h>

#include <cmath>
#include <limits>

namespace ptp::run {

namespace {

void add_leaves(const Value& value, const std::string& path,
                std::vector<std::pair<std::string, Value>>& leaves) {
    if (!value.is_table() || (value.members().empty() && !path.empty())) {
        leaves.emplace_back(path, value);
        return;
    }
    for (const Member& member : value.members()) {
        add_leaves(member.value, experiment::below(path, member.key), leaves);
    }
}

}  // namespace

const std::vector<std::string>& states() {
    static const std::vector<std::string> all = {"running", "done", "stopped",
                                                 "failed",  "died", "unreadable"};
    return all;
}

std::vector<std::pair<std::string, Value>> flat(const Value& tree) {
    std::vector<std::pair<std::string, Value>> leaves;
    add_leaves(tree, "", leaves);
    return leaves;
}

std::string duration_text(std::optional<double> seconds) {
    constexpr double kMaxSeconds = 1e9;  // thirty years, so that hours fit a whole number
    if (!seconds || !(*seconds >= 0) || *seconds > kMaxSeconds) {
        return "";
    }
    if (*seconds < 60) {
        return fmt::format("{:.1f}s", *seconds);
    }
    const auto whole = static_cast<std::int64_t>(std::llround(*seconds));
    if (whole < 3600) {
        return fmt::format("{}m{:02}s", whole / 60, whole % 60);
    }
    return fmt::format("{}h{:02}m", whole / 3600, whole % 3600 / 60);
}

std::string number_text(std::optional<double> number) {
    return fmt::format("{:.6g}", number.value_or(std::numeric_limits<double>::quiet_NaN()));
}

std::string plain(std::string_view text) {
    std::string result;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        result += byte < 0x20 || byte == 0x7f ? ' ' : c;
    }
    return result;
}

}  // namespace ptp::run
