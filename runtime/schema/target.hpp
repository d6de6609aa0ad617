// Maps the types of targets to the form of their values, and reads and writes targets. Included
// only by fields.cpp and number_list.cpp.

#pragma once

#include "base/duration.hpp"
#include "base/paths.hpp"
#include "base/ranges.hpp"
#include "schema/fields.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptp::schema {

template <class T>
inline constexpr Form kFormOf = Form::kAny;  // for Raw
template <>
inline constexpr Form kFormOf<bool> = Form::kBool;
template <>
inline constexpr Form kFormOf<std::int64_t> = Form::kInteger;
template <>
inline constexpr Form kFormOf<double> = Form::kReal;
template <>
inline constexpr Form kFormOf<std::string> = Form::kString;
template <>
inline constexpr Form kFormOf<std::filesystem::path> = Form::kPath;
template <>
inline constexpr Form kFormOf<Duration> = Form::kDuration;
template <>
inline constexpr Form kFormOf<RawTable> = Form::kTable;
template <>
inline constexpr Form kFormOf<NumberList<std::int64_t>> = Form::kIntegers;
template <>
inline constexpr Form kFormOf<NumberList<double>> = Form::kReals;

template <class T>
void describe(Key& key, const T*) {
    key.form = kFormOf<T>;
}
template <class Number>
void describe(Key& key, const std::array<Number, 2>*) {
    describe(key, static_cast<const Number*>(nullptr));
    key.list_depth = 1;
    key.length = "[2, 2]";
}
template <class T>
void describe(Key& key, const Placed<T>*) {
    describe(key, static_cast<const T*>(nullptr));
}
template <class T>
void describe(Key& key, const std::vector<T>*) {
    describe(key, static_cast<const T*>(nullptr));
    ++key.list_depth;
}
template <class T>
void describe(Key& key, const Map<T>*) {
    describe(key, static_cast<const T*>(nullptr));
    key.is_map = true;
}
template <class T>
void describe(Key& key, const std::optional<T>*) {
    describe(key, static_cast<const T*>(nullptr));
}

// Stores the result of the check, `checked`, of a value of the document.
inline void put(const Value& checked, const Value&, bool& into) {
    into = checked.as_bool();
}
inline void put(const Value& checked, const Value&, std::int64_t& into) {
    into = checked.as_integer();
}
inline void put(const Value& checked, const Value&, double& into) {
    into = checked.as_real();
}
inline void put(const Value& checked, const Value&, std::string& into) {
    into = checked.as_string();
}
inline void put(const Value& checked, const Value&, std::filesystem::path& into) {
    into = checked.as_string();
}
inline void put(const Value& checked, const Value&, Duration& into) {
    into.seconds = duration_from(checked.as_string()).value();
}
inline void put(const Value&, const Value& original, Raw& into) {
    into = &original;
}
inline void put(const Value&, const Value& original, RawTable& into) {
    into.table = &original;
}
template <class Number>
void put(const Value& checked, const Value& original, std::array<Number, 2>& into) {
    for (std::size_t i = 0; i < into.size(); ++i) {
        put(checked.items()[i], original.items()[i], into[i]);
    }
}
template <class T>
void put(const Value& checked, const Value& original, Placed<T>& into) {
    put(checked, original, into.value);
    into.place = original.place();
}
template <class T>
void put(const Value& checked, const Value& original, std::vector<T>& into) {
    into.clear();
    for (std::size_t i = 0; i < checked.items().size(); ++i) {
        put(checked.items()[i], original.items()[i], into.emplace_back());
    }
}
template <class T>
void put(const Value& checked, const Value& original, Map<T>& into) {
    into.clear();
    for (const Member& member : checked.members()) {
        const Value& value = *original.find(member.key);
        Entry<T>& entry = into.emplace_back();
        entry.key = member.key;
        entry.key_place = member.key_place;
        entry.place = value.place();
        put(member.value, value, entry.value);
    }
}
template <class T>
void put(const Value& checked, const Value& original, std::optional<T>& into) {
    put(checked, original, into.emplace());
}

// Returns the value of a target; nullopt for what is absent or written by other code.
template <class T>
std::optional<Value> written(const T& value) {
    return Value(value);
}
inline std::optional<Value> written(const std::filesystem::path& path) {
    return path.empty() ? std::nullopt : std::optional(Value(absolute_text(path)));
}
inline std::optional<Value> written(const Duration& duration) {
    return duration.seconds > 0 ? std::optional(Value(duration_text(duration.seconds)))
                                : std::nullopt;
}
inline std::optional<Value> written(const Raw&) {
    return std::nullopt;
}
inline std::optional<Value> written(const RawTable&) {
    return std::nullopt;
}
template <class T>
std::optional<Value> written(const Placed<T>& placed) {
    return written(placed.value);
}
template <class Items>
Value list_of(const Items& items) {
    return Value::list(transformed(items, [](const auto& item) { return *written(item); }));
}
template <class Number>
std::optional<Value> written(const std::array<Number, 2>& numbers) {
    return list_of(numbers);
}
template <class T>
std::optional<Value> written(const std::vector<T>& items) {
    return items.empty() ? std::nullopt : std::optional(list_of(items));
}
template <class T>
std::optional<Value> written(const NumberList<T>& numbers) {
    return numbers.source.empty() ? list_of(numbers.values) : Value(numbers.source);
}
template <class T>
std::optional<Value> written(const Map<T>& map) {
    Value table;
    for (const Entry<T>& entry : map) {
        if (auto value = written(entry.value)) {
            table.set(entry.key, std::move(*value));
        }
    }
    return table.members().empty() ? std::nullopt : std::optional(std::move(table));
}
template <class T>
std::optional<Value> written(const std::optional<T>& value) {
    return value ? written(*value) : std::nullopt;
}
// Distinguishes an empty list from an absent one.
inline std::optional<Value> written(const std::optional<std::vector<std::string>>& names) {
    return names ? std::optional(list_of(*names)) : std::nullopt;
}

// Reads [1, 2], "1, 2", or the name of a file with numbers that are separated by commas, on any
// number of lines. Negative and infinite numbers are rejected. Reports errors, in a file with the
// line, and returns nullopt. Instantiated in number_list.cpp for std::int64_t and double.
template <class Number>
std::optional<std::vector<Number>> read_numbers(const Scope& scope, std::string_view name,
                                                const Value& value);

}  // namespace ptp::schema
