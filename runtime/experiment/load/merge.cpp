#include "experiment/load/merge.hpp"

#include "experiment/fields.hpp"

#include <fmt/core.h>

namespace ptp::experiment {

namespace {

// Returns whether the tables have different types, so that their keys mean different things.
bool are_of_different_types(const Value& lower, const Value& upper) {
    const Value* below = lower.find("type");
    const Value* above = upper.find("type");
    return below != nullptr && above != nullptr && below->is_string() && above->is_string() &&
           below->as_string() != above->as_string();
}

// Returns whether the value has a variable. Its type is then unknown until variables are replaced.
bool has_variable(const Value& value) {
    return value.is_string() && value.as_string().find("${") != std::string::npos;
}

}  // namespace

bool may_replace(const Value& lower, const Value& upper) {
    return lower.is_table() == upper.is_table() || (!has_variable(lower) && !has_variable(upper));
}

void merge(Value& lower, const Value& upper, const std::string& path, Diagnostics& problems) {
    for (const Member& member : upper.members()) {
        const std::string key = below(path, member.key);
        Value* old = lower.find(member.key);
        if (old != nullptr && old->is_table() && member.value.is_table() &&
            !are_of_different_types(*old, member.value)) {
            merge(*old, member.value, key, problems);
        } else if (old == nullptr || may_replace(*old, member.value)) {
            lower.set(member.key, member.value, member.key_place);
        } else {
            problems.error(member.value, key,
                           Explanation{fmt::format("{} here, but {} at {}; of a table and a "
                                                   "variable neither replaces the other",
                                                   type_name(member.value.type()),
                                                   type_name(old->type()), old->place().text()),
                                       "set the variable, or write its value"});
        }
    }
}

}  // namespace ptp::experiment
