// A value of an experiment: what TOML can express, each with the place where it was written.
//
// Absence is not a value: look-ups return nullptr for it. Accessing a value as a type that it does
// not have throws std::bad_variant_access: check the type first.

#pragma once

#include "base/source_location.hpp"

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace ptp {

enum class ValueType { kBool, kInteger, kReal, kString, kList, kTable };

// Returns "a boolean", "an integer", "a real", "a string", "a list" or "a table".
std::string_view type_name(ValueType type);

struct Member;

class Value {
public:
    // Makes an empty table.
    Value();

    // Implicit, to write trees as Value::table({{"lr", 0.1}, {"nesterov", true}}).
    template <std::same_as<bool> T>
    Value(T value) : data_(value) {}
    template <std::integral T>
    requires(!std::same_as<T, bool>) Value(T value) : data_(static_cast<std::int64_t>(value)) {}
    Value(double value);
    Value(const char* value);
    Value(std::string value);

    static Value list(std::vector<Value> items);
    static Value table(std::initializer_list<std::pair<std::string, Value>> members = {});

    [[nodiscard]] ValueType type() const { return static_cast<ValueType>(data_.index()); }
    [[nodiscard]] bool is_bool() const { return type() == ValueType::kBool; }
    [[nodiscard]] bool is_integer() const { return type() == ValueType::kInteger; }
    [[nodiscard]] bool is_real() const { return type() == ValueType::kReal; }
    [[nodiscard]] bool is_number() const { return is_integer() || is_real(); }
    [[nodiscard]] bool is_string() const { return type() == ValueType::kString; }
    [[nodiscard]] bool is_list() const { return type() == ValueType::kList; }
    [[nodiscard]] bool is_table() const { return type() == ValueType::kTable; }

    [[nodiscard]] bool as_bool() const { return std::get<bool>(data_); }
    [[nodiscard]] std::int64_t as_integer() const { return std::get<std::int64_t>(data_); }
    // Widens an integer. REQUIRES: is_number().
    [[nodiscard]] double as_real() const;
    [[nodiscard]] const std::string& as_string() const { return std::get<std::string>(data_); }

    // REQUIRES: is_list().
    [[nodiscard]] const std::vector<Value>& items() const;
    [[nodiscard]] std::vector<Value>& items();

    // Returns the members in the order in which they were written. REQUIRES: is_table().
    [[nodiscard]] const std::vector<Member>& members() const;
    [[nodiscard]] std::vector<Member>& members();

    // Returns the value under `key`; nullptr if there is none, or if this is not a table.
    [[nodiscard]] const Value* find(std::string_view key) const;
    [[nodiscard]] Value* find(std::string_view key);

    // Returns the text under `key`; "" if there is none.
    [[nodiscard]] std::string text_at(std::string_view key) const;
    // Returns the number under `key`, an integer as a real.
    [[nodiscard]] std::optional<double> number_at(std::string_view key) const;
    // Returns whether there is a boolean under `key` that is true.
    [[nodiscard]] bool is_true_at(std::string_view key) const;

    // Returns the value at a dotted path of bare keys, "training.task.batch_size"; nullptr if
    // absent.
    [[nodiscard]] const Value* find_path(std::string_view dotted) const;

    // Adds or replaces a member; a replaced one keeps its position. REQUIRES: is_table().
    Value& set(std::string key, Value value, SourceLocation key_place = {});

    // Removes a member, if it is there. REQUIRES: is_table().
    void erase(std::string_view key);

    [[nodiscard]] const SourceLocation& place() const { return place_; }
    void set_place(SourceLocation place) { place_ = std::move(place); }
    // Returns the same value with the location `place`.
    [[nodiscard]] Value at(SourceLocation place) const;

    // Compares without places and the order of keys; 1 and 1.0 differ; nan equals nan.
    friend bool operator==(const Value& left, const Value& right);

private:
    using List = std::vector<Value>;
    using Table = std::vector<Member>;

    std::variant<bool, std::int64_t, double, std::string, List, Table> data_;
    SourceLocation place_;
};

// A member of a table: a key and its value.
struct Member {
    std::string key;
    SourceLocation key_place;
    Value value;
};

}  // namespace ptp
