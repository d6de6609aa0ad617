// Finds the names of the classes that a predicted stream has scores of, among the globals.

#include "base/error.hpp"
#include "base/suggest.hpp"
#include "engine/predict/prediction_columns.hpp"
#include "pipeline/task_data.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace ptp::engine {

namespace {

using Names = std::optional<std::vector<std::string>>;

Names names_in(const Value& table, std::int64_t count) {
    const bool has_count = table.is_table() && std::ssize(table.members()) == count;
    return has_count ? pipeline::class_names_in(table) : std::nullopt;
}

std::vector<std::string> asked_for(const Value& globals, const std::string& name,
                                   std::int64_t count) {
    const Value* table = globals.find(name);
    if (table == nullptr) {
        std::vector<std::string> known;
        for (const Member& member : globals.members()) {
            if (member.value.is_table()) {
                known.push_back(member.key);
            }
        }
        throw RunError(kConfigurationError,
                       fmt::format("--classes {}: unknown global{}", name, hint(name, known)));
    }
    Names names = names_in(*table, count);
    if (!names) {
        throw RunError(kConfigurationError,
                       fmt::format("--classes {}: is not a table from the names of {} classes to "
                                   "the numbers from 0 to {}",
                                   name, count, count - 1));
    }
    return *names;
}

// Returns the names of the only table among these globals, or among all for nullptr, or of equal
// ones; those of the task's classes, `usual`, if there are several.
Names only_names(const Value& globals, const std::vector<std::string>* among,
                 const std::string& usual, std::int64_t count) {
    Names only;
    bool are_several = false;
    for (const Member& member : globals.members()) {
        const bool is_meant = among == nullptr || std::ranges::count(*among, member.key) > 0;
        Names names = is_meant ? names_in(member.value, count) : std::nullopt;
        if (names && member.key == usual) {
            return names;
        }
        are_several = are_several || (only && names && *only != *names);
        only = names ? names : only;
    }
    return are_several ? std::nullopt : only;
}

}  // namespace

std::optional<std::vector<std::string>> class_names(const Value& globals,
                                                    const pipeline::PredictedStream& predicted,
                                                    std::int64_t count,
                                                    const std::optional<std::string>& global) {
    if (global) {
        return asked_for(globals, *global, count);
    }
    if (Names names = only_names(globals, &predicted.globals, predicted.class_names, count)) {
        return names;
    }
    return only_names(globals, nullptr, predicted.class_names, count);
}

}  // namespace ptp::engine
