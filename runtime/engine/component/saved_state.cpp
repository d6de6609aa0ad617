#include "engine/component/saved_state.hpp"

#include "base/error.hpp"

#include <fmt/core.h>

#include <utility>

namespace ptp::engine {

namespace {

const Value& value_in(const Value& record, std::string_view key, ValueType type) {
    const Value* value = record.find(key);
    if (value == nullptr || value->type() != type) {
        throw RunError(kDataError,
                       fmt::format("'{}' must be {}, and is {}", key, type_name(type),
                                   value == nullptr ? "missing" : type_name(value->type())));
    }
    return *value;
}

}  // namespace

void add_part(SavedState& whole, const std::string& part, SavedState saved) {
    whole.record.set(part, std::move(saved.record));
    for (auto& [name, tensor] : saved.tensors) {
        whole.tensors.emplace_back(part + "/" + name, std::move(tensor));
    }
}

SavedState part_of(const SavedState& whole, const std::string& part) {
    SavedState made;
    made.record = value_in(whole.record, part, ValueType::kTable);
    const std::string prefix = part + "/";
    for (const auto& [name, tensor] : whole.tensors) {
        if (name.starts_with(prefix)) {
            made.tensors.emplace_back(name.substr(prefix.size()), tensor);
        }
    }
    return made;
}

std::int64_t integer_in(const Value& record, std::string_view key) {
    return value_in(record, key, ValueType::kInteger).as_integer();
}

double real_in(const Value& record, std::string_view key) {
    return value_in(record, key, ValueType::kReal).as_real();
}

const std::string& text_in(const Value& record, std::string_view key) {
    return value_in(record, key, ValueType::kString).as_string();
}

}  // namespace ptp::engine
