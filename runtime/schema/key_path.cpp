// Joins and quotes the parts of a key's path.

#include "schema/key_path.hpp"

#include "base/toml_writer.hpp"

#include <fmt/core.h>

namespace ptp::schema {

namespace {

void add_leaves(const Value& value, const std::string& path,
                std::vector<std::pair<std::string, Value>>& leaves) {
    if (!value.is_table() || (value.members().empty() && !path.empty())) {
        leaves.emplace_back(path, value);
        return;
    }
    for (const Member& member : value.members()) {
        add_leaves(member.value, below(path, member.key), leaves);
    }
}

}  // namespace

std::string below(const std::string& path, std::string_view key) {
    return path.empty() ? toml_key(key) : path + "." + toml_key(key);
}

std::string KeyPath::text() const {
    if (outer_ == nullptr) {
        return std::string(key_);
    }
    return index_ ? fmt::format("{}[{}]", outer_->text(), *index_) : below(outer_->text(), key_);
}

std::vector<std::pair<std::string, Value>> flat(const Value& tree) {
    std::vector<std::pair<std::string, Value>> leaves;
    add_leaves(tree, "", leaves);
    return leaves;
}

}  // namespace ptp::schema
