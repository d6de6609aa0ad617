// Moves values between a struct and a table by a list of keys.

#include "run/keys.hpp"

#include "base/error.hpp"
#include "base/toml_writer.hpp"

#include <fmt/core.h>

#include <cmath>
#include <limits>

namespace ptp::run {

namespace {

bool is_null(const Value& value) {
    return value.is_real() && std::isnan(value.as_real());
}

// Visitors over KeyTarget, with an overload for each type or group of types.
struct Write {
    Value operator()(const TextOrNull& target) const {
        return target.text->empty() ? null_value() : Value(*target.text);
    }
    Value operator()(const auto* target) const { return *target; }
    template <class T>
    Value operator()(const std::optional<T>* target) const {
        return *target ? Value(**target) : null_value();
    }
};

// Reads the value into the target; returns whether it was accepted.
struct Read {
    const Value& value;

    bool operator()(Value* into) const {
        *into = value;
        return true;
    }
    bool operator()(bool* into) const {
        *into = value.is_bool() ? value.as_bool() : *into;
        return value.is_bool();
    }
    bool operator()(std::int64_t* into) const {
        *into = value.is_integer() ? value.as_integer() : *into;
        return value.is_integer();
    }
    bool operator()(std::uint64_t* into) const {
        const bool is_count = value.is_integer() && value.as_integer() >= 0;
        *into = is_count ? static_cast<std::uint64_t>(value.as_integer()) : *into;
        return is_count;
    }
    bool operator()(double* into) const {
        *into = value.is_number() ? value.as_real() : *into;
        return value.is_number();
    }
    bool operator()(std::string* into) const {
        *into = value.is_string() ? value.as_string() : *into;
        return value.is_string();
    }
    bool operator()(const TextOrNull& into) const { return is_null(value) || (*this)(into.text); }
    template <class T>
    bool operator()(std::optional<T>* into) const {
        T taken{};
        if (is_null(value)) {
            return true;
        }
        if ((*this)(&taken)) {
            *into = taken;
        }
        return into->has_value();
    }
};

// Returns the required type of a required key.
ValueType type_of(const KeyTarget& target) {
    if (std::holds_alternative<std::string*>(target)) {
        return ValueType::kString;
    }
    if (std::holds_alternative<Value*>(target)) {
        return ValueType::kTable;
    }
    if (std::holds_alternative<double*>(target) ||
        std::holds_alternative<std::optional<double>*>(target)) {
        return ValueType::kReal;
    }
    return std::holds_alternative<bool*>(target) ? ValueType::kBool : ValueType::kInteger;
}

}  // namespace

Value null_value() {
    return std::numeric_limits<double>::quiet_NaN();
}

Value write_keys(const std::vector<Key>& keys) {
    Value table;
    add_keys(table, keys);
    return table;
}

void add_keys(Value& table, const std::vector<Key>& keys) {
    for (const Key& key : keys) {
        table.set(std::string(key.name), std::visit(Write(), key.into));
    }
}

void read_keys(const Value& table, const std::vector<Key>& keys) {
    for (const Key& key : keys) {
        if (const Value* value = table.find(key.name)) {
            static_cast<void>(std::visit(Read{*value}, key.into));
        }
    }
}

void require_keys(const Value& table, const std::vector<Key>& keys) {
    for (const Key& key : keys) {
        const Value& value = value_in(table, key.name, type_of(key.into));
        if (!std::visit(Read{value}, key.into)) {
            throw RunError(kDataError, fmt::format("'{}' is {}", key.name, inline_toml(value)));
        }
    }
}

const Value& value_in(const Value& table, std::string_view key, ValueType type) {
    const Value* value = table.find(key);
    if (value == nullptr || value->type() != type) {
        throw RunError(kDataError,
                       fmt::format("'{}' must be {}, and is {}", key, type_name(type),
                                   value == nullptr ? "missing" : type_name(value->type())));
    }
    return *value;
}

std::int64_t integer_in(const Value& table, std::string_view key) {
    return value_in(table, key, ValueType::kInteger).as_integer();
}

double real_in(const Value& table, std::string_view key) {
    return value_in(table, key, ValueType::kReal).as_real();
}

const std::vector<Value>& items_in(const Value& table, std::string_view key) {
    static const std::vector<Value> none;
    const Value* const list = table.find(key);
    return list != nullptr && list->is_list() ? list->items() : none;
}

}  // namespace ptp::run
