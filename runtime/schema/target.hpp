// Maps the types of targets to the form of their values, and reads and writes targets. Included
// only by fields.cpp.

#pragma once

#include "base/duration.hpp"
#include "base/paths.hpp"
#include "schema/fields.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace ptp::schema {

inline void describe(Key& key, const bool*) {
    key.form = Form::kBool;
}
inline void describe(Key& key, const std::int64_t*) {
    key.form = Form::kInteger;
}
inline void describe(Key& key, const double*) {
    key.form = Form::kReal;
}
inline void describe(Key& key, const std::string*) {
    key.form = Form::kString;
}
inline void describe(Key& key, const std::filesystem::path*) {
    key.form = Form::kPath;
}
inline void describe(Key& key, const Duration*) {
    key.form = Form::kDuration;
}
inline void describe(Key& key, const Raw*) {
    key.form = Form::kAny;
}
inline void describe(Key& key, const RawTable*) {
    key.form = Form::kTable;
}
inline void describe(Key& key, const NumberList<std::int64_t>*) {
    key.form = Form::kIntegers;
}
inline void describe(Key& key, const NumberList<double>*) {
    key.form = Form::kReals;
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
    std::vector<Value> values;
    for (const auto& item : items) {
        values.push_back(*written(item));
    }
    return Value::list(std::move(values));
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

}  // namespace ptp::schema
