// Collects the keys of tables as they are read.

#include "schema/key_record.hpp"

#include "base/ranges.hpp"

#include <algorithm>
#include <utility>

namespace ptp::schema {

namespace {

std::vector<Key> keys_of(const std::vector<Field>& fields) {
    return transformed(fields, [](const Field& field) { return key_of(field); });
}

}  // namespace

void KeyRecord::note(const std::string& path, const std::vector<Field>& fields) {
    std::vector<Key>& keys = tables_[path].keys;
    for (Key& key : keys_of(fields)) {
        const auto earlier = std::ranges::find(keys, key.name, &Key::name);
        (earlier == keys.end() ? keys.emplace_back() : *earlier) = std::move(key);
    }
}

void KeyRecord::note(const std::string& path, const Kinds& kinds) {
    TableKeys& table = tables_[path];
    table.kind_key = kinds.key;
    table.kinds.clear();
    std::string name(kinds.default_name);
    for (const Kind& kind : kinds.list) {
        std::vector<Field> fields = fields_of(kinds, kind);
        fields.insert(fields.begin(), key_field(kinds, &name));
        table.kinds.push_back({std::string(kind.name), std::string(kind.help), keys_of(fields)});
    }
    note(path, {key_field(kinds, &name)});
}

const Key* KeyRecord::find(const std::string& table, std::string_view name) const {
    const auto found = tables_.find(table);
    if (found == tables_.end()) {
        return nullptr;
    }
    const auto key = std::ranges::find(found->second.keys, name, &Key::name);
    return key == found->second.keys.end() ? nullptr : &*key;
}

}  // namespace ptp::schema
