// Accesses and compares values; the readers and writers of TOML and JSON have their own files.

#include "base/value.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace ptp {

std::string_view type_name(ValueType type) {
    switch (type) {
        case ValueType::kBool:
            return "a boolean";
        case ValueType::kInteger:
            return "an integer";
        case ValueType::kReal:
            return "a real";
        case ValueType::kString:
            return "a string";
        case ValueType::kList:
            return "a list";
        case ValueType::kTable:
            return "a table";
    }
    return "a value";
}

Value::Value() : data_(Table{}) {}
Value::Value(double value) : data_(value) {}
Value::Value(const char* value) : data_(std::string(value)) {}
Value::Value(std::string value) : data_(std::move(value)) {}

Value Value::list(std::vector<Value> items) {
    Value value;
    value.data_ = std::move(items);
    return value;
}

Value Value::table(std::initializer_list<std::pair<std::string, Value>> members) {
    Value value;
    for (const auto& [key, member] : members) {
        value.set(key, member);
    }
    return value;
}

double Value::as_real() const {
    assert(is_number());
    return is_integer() ? static_cast<double>(as_integer()) : std::get<double>(data_);
}

const std::vector<Value>& Value::items() const {
    assert(is_list());
    return std::get<List>(data_);
}
std::vector<Value>& Value::items() {
    assert(is_list());
    return std::get<List>(data_);
}
const std::vector<Member>& Value::members() const {
    assert(is_table());
    return std::get<Table>(data_);
}
std::vector<Member>& Value::members() {
    assert(is_table());
    return std::get<Table>(data_);
}

const Value* Value::find(std::string_view key) const {
    if (!is_table()) {
        return nullptr;
    }
    const auto found = std::ranges::find(members(), key, &Member::key);
    return found == members().end() ? nullptr : &found->value;
}

Value* Value::find(std::string_view key) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): this value is not const
    return const_cast<Value*>(std::as_const(*this).find(key));
}

std::string Value::text_at(std::string_view key) const {
    const Value* const text = find(key);
    return text != nullptr && text->is_string() ? text->as_string() : "";
}

std::optional<double> Value::number_at(std::string_view key) const {
    const Value* const number = find(key);
    return number != nullptr && number->is_number() ? std::optional(number->as_real())
                                                    : std::nullopt;
}

bool Value::is_true_at(std::string_view key) const {
    const Value* const truth = find(key);
    return truth != nullptr && truth->is_bool() && truth->as_bool();
}

const Value* Value::find_path(std::string_view dotted) const {
    const Value* value = this;
    while (value != nullptr) {
        const std::size_t dot = dotted.find('.');
        value = value->find(dotted.substr(0, dot));
        if (dot == std::string_view::npos) {
            break;
        }
        dotted.remove_prefix(dot + 1);
    }
    return value;
}

Value& Value::set(std::string key, Value value, SourceLocation key_place) {
    assert(is_table());
    std::vector<Member>& all = members();
    const auto found = std::ranges::find(all, key, &Member::key);
    if (found == all.end()) {
        all.push_back({std::move(key), std::move(key_place), std::move(value)});
        return all.back().value;
    }
    found->key_place = std::move(key_place);
    found->value = std::move(value);
    return found->value;
}

void Value::erase(std::string_view key) {
    assert(is_table());
    std::erase_if(members(), [&](const Member& member) { return member.key == key; });
}

Value Value::at(SourceLocation place) const {
    Value copy = *this;
    copy.place_ = std::move(place);
    return copy;
}

namespace {

// Compares the members. Tables mostly have the same order: only the others need a search for each
// key.
bool same_members(const std::vector<Member>& left, const Value& right) {
    const std::vector<Member>& others = right.members();
    if (left.size() != others.size()) {
        return false;
    }
    for (std::size_t i = 0; i < left.size(); ++i) {
        const Value* other =
            others[i].key == left[i].key ? &others[i].value : right.find(left[i].key);
        if (other == nullptr || *other != left[i].value) {
            return false;
        }
    }
    return true;
}

}  // namespace

bool operator==(const Value& left, const Value& right) {
    if (left.type() != right.type()) {
        return false;
    }
    if (left.is_table()) {
        return same_members(left.members(), right);
    }
    if (left.is_real() && std::isnan(left.as_real())) {
        return std::isnan(right.as_real());
    }
    if (left.is_real()) {
        return left.as_real() == right.as_real();
    }
    if (left.is_list()) {
        return left.items() == right.items();
    }
    if (left.is_string()) {
        return left.as_string() == right.as_string();
    }
    return left.is_bool() ? left.as_bool() == right.as_bool()
                          : left.as_integer() == right.as_integer();
}

}  // namespace ptp
