// Trees of values in the form that the C ABI has, and back.

#include "engine/component/data_tree.hpp"

#include "base/text.hpp"
#include "base/toml_writer.hpp"

#include <stdexcept>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace ptp::engine {

namespace {

constexpr int kMaxDepth = 64;

Value value_at(const ptp_data& data, int depth);

// Requires UTF-8: published and saved values are written as TOML, whose readers refuse anything
// else.
void require_utf8(const char* text, const char* what) {
    if (!is_utf8(text)) {
        throw std::invalid_argument(std::string("data: ") + what +
                                    " is not UTF-8: " + short_text(Value(utf8_text(text))));
    }
}

void require_items(const ptp_data& data) {
    if (data.item_count > 0 && data.items == nullptr) {
        throw std::invalid_argument("data: items is NULL");
    }
}

Value to_list(const ptp_data& data, int depth) {
    require_items(data);
    std::vector<Value> items;
    for (std::uint64_t i = 0; i < data.item_count; ++i) {
        items.push_back(value_at(data.items[i], depth + 1));
    }
    return Value::list(std::move(items));
}

Value to_table(const ptp_data& data, int depth) {
    require_items(data);
    Value table = Value::table();
    std::unordered_set<std::string_view> keys;  // a vocabulary has a hundred thousand of them
    for (std::uint64_t i = 0; i < data.item_count; ++i) {
        const ptp_data& member = data.items[i];
        if (member.key == nullptr) {
            throw std::invalid_argument("data: a member of a table has no key");
        }
        require_utf8(member.key, "a key");
        if (!keys.insert(member.key).second) {
            throw std::invalid_argument("data: the key '" + std::string(member.key) +
                                        "' is there twice");
        }
        table.members().push_back({member.key, {}, value_at(member, depth + 1)});
    }
    return table;
}

Value value_at(const ptp_data& data, int depth) {
    if (depth > kMaxDepth) {
        throw std::invalid_argument("data: more than 64 levels");
    }
    switch (data.type) {
        case PTP_DATA_BOOL:
            return data.integer != 0;
        case PTP_DATA_INTEGER:
            return data.integer;
        case PTP_DATA_REAL:
            return data.real;
        case PTP_DATA_TEXT:
            if (data.text == nullptr) {
                throw std::invalid_argument("data: text is NULL");
            }
            require_utf8(data.text, "a text");
            return data.text;
        case PTP_DATA_LIST:
            return to_list(data, depth);
        case PTP_DATA_TABLE:
            return to_table(data, depth);
        default:
            throw std::invalid_argument("data: unknown type " + std::to_string(data.type));
    }
}

}  // namespace

DataTree::DataTree() : root_{} {
    root_.type = PTP_DATA_ABSENT;
}

DataTree::DataTree(const Value& value) : root_(converted(value, nullptr)) {}

std::vector<ptp_data> DataTree::converted_items(const Value& value) {
    std::vector<ptp_data> items;
    if (value.is_list()) {
        for (const Value& item : value.items()) {
            items.push_back(converted(item, nullptr));
        }
    } else {
        for (const Member& member : value.members()) {
            items.push_back(converted(member.value, kept(member.key)));
        }
    }
    return items;
}

ptp_data DataTree::converted(const Value& value, const char* key) {
    ptp_data data{};
    data.key = key;
    switch (value.type()) {
        case ValueType::kBool:
            data.type = PTP_DATA_BOOL;
            data.integer = value.as_bool() ? 1 : 0;
            return data;
        case ValueType::kInteger:
            data.type = PTP_DATA_INTEGER;
            data.integer = value.as_integer();
            return data;
        case ValueType::kReal:
            data.type = PTP_DATA_REAL;
            data.real = value.as_real();
            return data;
        case ValueType::kString:
            data.type = PTP_DATA_TEXT;
            data.text = kept(value.as_string());
            return data;
        case ValueType::kList:
            data.type = PTP_DATA_LIST;
            break;
        case ValueType::kTable:
            data.type = PTP_DATA_TABLE;
            break;
    }
    const std::vector<ptp_data>& items = lists_.emplace_back(converted_items(value));
    data.items = items.data();
    data.item_count = items.size();
    return data;
}

Value to_value(const ptp_data& data) {
    return value_at(data, 0);
}

}  // namespace ptp::engine
