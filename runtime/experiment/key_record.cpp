#include "experiment/key_record.hpp"

#include "experiment/load/merge.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

namespace ptp::experiment {

namespace {

template <typename T>
KeyForm form_of() {
    if constexpr (std::is_same_v<T, bool>) {
        return KeyForm::kBool;
    }
    if constexpr (std::is_same_v<T, std::int64_t> ||
                  std::is_same_v<T, std::optional<std::int64_t>>) {
        return KeyForm::kInteger;
    }
    if constexpr (std::is_same_v<T, double> || std::is_same_v<T, std::optional<double>>) {
        return KeyForm::kReal;
    }
    if constexpr (std::is_same_v<T, std::string>) {
        return KeyForm::kString;
    }
    if constexpr (std::is_same_v<T, std::array<double, 2>>) {
        return KeyForm::kRealPair;
    }
    if constexpr (std::is_same_v<T, RawTable>) {
        return KeyForm::kTable;
    }
    return KeyForm::kOther;
}

Key key_of(const Field& field) {
    Key key{.name = std::string(field.name),
            .range = std::string(field.range),
            .choices = field.choices,
            .is_required = field.is_required,
            .can_be_none = field.can_be_none,
            .default_value = {}};
    std::visit(
        [&](const auto* target) { key.form = form_of<std::remove_cvref_t<decltype(*target)>>(); },
        field.into);
    const Value written = write_fields({field}, {});
    const Value* value = written.find(field.name);
    const bool is_empty_text = value != nullptr && value->is_string() && value->as_string().empty();
    if (value != nullptr && !is_empty_text && !field.is_required) {
        key.default_value = *value;
    }
    return key;
}

bool is_for(const Field& field, std::string_view type) {
    return type.empty() || field.only_for.empty() ||
           std::ranges::find(field.only_for, type) != field.only_for.end();
}

// Adds the tables that are missing; false when there are none.
bool add_tables(const KeyRecord& record, Value& root) {
    bool has_added = false;
    for (const auto& [path, keys] : record.tables()) {
        Value* table = &root;
        for (std::size_t at = 0; at < path.size() && table != nullptr;) {
            const std::size_t dot = std::min(path.find('.', at), path.size());
            table = table->find(path.substr(at, dot - at));
            at = dot + 1;
        }
        if (table == nullptr || !table->is_table()) {
            continue;
        }
        for (const Key& key : keys) {
            if (key.form == KeyForm::kTable && table->find(key.name) == nullptr) {
                table->set(key.name, Value());
                has_added = true;
            }
        }
    }
    return has_added;
}

}  // namespace

std::string expected_text(const Key& key) {
    static const std::map<KeyForm, std::string> kWords = {
        {KeyForm::kBool, "a boolean"}, {KeyForm::kInteger, "an integer"},
        {KeyForm::kReal, "a real"},    {KeyForm::kString, "a string"},
        {KeyForm::kTable, "a table"},  {KeyForm::kRealPair, "a list of 2 reals"},
        {KeyForm::kOther, ""},
    };
    std::string text = kWords.at(key.form);
    if (!key.range.empty()) {
        text += " in " + key.range;
    }
    if (!key.choices.empty()) {
        text += fmt::format(", one of {}", fmt::join(key.choices, ", "));
    }
    if (key.can_be_none) {
        text += ", or \"none\"";
    }
    return text;
}

void KeyRecord::note(const std::string& path, const std::vector<Field>& fields,
                     std::string_view type) {
    std::vector<Key>& keys = tables_[path];
    for (const Field& field : fields) {
        if (!is_for(field, type)) {
            continue;
        }
        Key key = key_of(field);
        const auto earlier = std::ranges::find(keys, key.name, &Key::name);
        if (earlier == keys.end()) {
            keys.push_back(std::move(key));
            continue;
        }
        // A type is read first, and then again with all other keys.
        key.is_required = key.is_required || earlier->is_required;
        if (key.is_required) {
            key.default_value.reset();
        }
        *earlier = std::move(key);
    }
}

const Key* KeyRecord::find(const std::string& table, std::string_view name) const {
    const auto keys = tables_.find(table);
    if (keys == tables_.end()) {
        return nullptr;
    }
    const auto key = std::ranges::find(keys->second, name, &Key::name);
    return key == keys->second.end() ? nullptr : &*key;
}

KeyRecord possible_keys(const Value& root, const std::string& default_name) {
    Value tree = root;
    KeyRecord record;
    do {
        record = KeyRecord();
        Diagnostics unused;
        read_experiment(tree, {.default_name = default_name, .keys = &record}, unused);
    } while (add_tables(record, tree));
    return record;
}

}  // namespace ptp::experiment
