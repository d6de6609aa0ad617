#include "run/run.hpp"

#include "schema/key_path.hpp"

#include <fmt/core.h>

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
        add_leaves(member.value, schema::below(path, member.key), leaves);
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
