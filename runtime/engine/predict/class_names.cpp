#include "engine/predict/class_names.hpp"

#include "base/error.hpp"
#include "base/suggest.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace ptp::engine {

namespace {

constexpr const char* kUsual = "label_word_mappings";

std::optional<std::vector<std::string>> names_in(const Value& table, std::int64_t count) {
    if (!table.is_table() || static_cast<std::int64_t>(table.members().size()) != count) {
        return std::nullopt;
    }
    std::vector<std::string> names(static_cast<std::size_t>(count));
    std::vector<bool> is_named(names.size(), false);
    for (const Member& member : table.members()) {
        if (!member.value.is_integer() || member.value.as_integer() < 0 ||
            member.value.as_integer() >= count) {
            return std::nullopt;
        }
        const auto number = static_cast<std::size_t>(member.value.as_integer());
        names[number] = member.key;
        is_named[number] = true;
    }
    const bool is_whole = std::ranges::find(is_named, false) == is_named.end();
    return is_whole ? std::optional(names) : std::nullopt;
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
        throw RunError(kConfigurationError, fmt::format("--classes {}: there is no such global{}",
                                                        name, hint(name, known)));
    }
    auto names = names_in(*table, count);
    if (!names) {
        throw RunError(kConfigurationError,
                       fmt::format("--classes {}: is not a table from the names of {} classes to "
                                   "the numbers from 0 to {}",
                                   name, count, count - 1));
    }
    return *names;
}

}  // namespace

std::optional<std::vector<std::string>> class_names(const Globals& globals, std::int64_t count,
                                                    const std::optional<std::string>& global) {
    const Value values = globals.values();
    if (global) {
        return asked_for(values, *global, count);
    }
    std::optional<std::vector<std::string>> only;
    std::size_t found = 0;
    for (const Member& member : values.members()) {
        if (auto names = names_in(member.value, count)) {
            if (member.key == kUsual) {
                return names;
            }
            ++found;
            only = std::move(names);
        }
    }
    return found == 1 ? only : std::nullopt;
}

}  // namespace ptp::engine
