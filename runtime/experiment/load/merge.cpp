#include "experiment/load/merge.hpp"

#include "experiment/fields.hpp"

#include <fmt/core.h>

namespace ptp::experiment {

namespace {

// Their keys mean different things.
bool are_of_different_types(const Value& lower, const Value& upper) {
    const Value* below = lower.find("type");
    const Value* above = upper.find("type");
    return below != nullptr && above != nullptr && below->is_string() && above->is_string() &&
           below->as_string() != above->as_string();
}

}  // namespace

void merge(Value& lower, const Value& upper, const std::string& path, Diagnostics& problems) {
    for (const Member& member : upper.members()) {
        const std::string key = below(path, member.key);
        Value* old = lower.find(member.key);
        if (old != nullptr && old->is_table() && member.value.is_table() &&
            !are_of_different_types(*old, member.value)) {
            merge(*old, member.value, key, problems);
        } else if (old == nullptr || old->is_table() == member.value.is_table() || is_none(*old) ||
                   is_none(member.value)) {
            lower.set(member.key, member.value, member.key_place);
        } else {
            problems.error(member.value, key,
                           fmt::format("{} here, but {} at {}; a table merges with tables only",
                                       type_name(member.value.type()), type_name(old->type()),
                                       old->place().text()));
        }
    }
}

}  // namespace ptp::experiment
